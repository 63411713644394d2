package summarize

import "regexp"

// Text from tools, web pages and people is data. Three things in it could be
// taken for ours: the tags that wrap the parts of a request, the role markers
// of the transcript, and the control tokens of chat templates.
var (
	wrapperTag = regexp.MustCompile(`<((?i:\s*/?\s*(?:conversation|transcript|previous-summary|summary|short-summary|` +
		`additional-context|focus|instructions|read-files|modified-files|system|system-reminder|turn-prefix)\b))`)
	roleMarker = regexp.MustCompile(`\\?\[(\s*(?i:user|human|assistant|assistant tool calls?|assistant thinking|` +
		`tool results?[^\]\n]{0,80}|tool|system|developer)\s*\]\s*:)`)
	lineMarker   = regexp.MustCompile(`(?m)^([ \t>*#-]*)((?:System|Human|User|Assistant|Developer)[*_]{0,2}[ \t]*:)`)
	controlToken = regexp.MustCompile(`<([|\x{FF5C}][^<>\n]{1,40}[|\x{FF5C}]>)`)
)

// Escape makes text safe to stand inside a summary request or a summary: what
// looks like a wrapper tag, a role marker or a control token is still readable
// but no longer one (invariant I11; reference: R058, R233). Escaping twice
// changes nothing.
func Escape(text string) string {
	text = wrapperTag.ReplaceAllString(text, "&lt;$1")
	text = controlToken.ReplaceAllString(text, "&lt;$1")
	text = roleMarker.ReplaceAllString(text, `\[$1`)
	return lineMarker.ReplaceAllString(text, `$1\$2`)
}
