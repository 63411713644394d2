// Package quote makes text by others safe to be inside our requests and
// summaries.
package quote

import (
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/coppice-dev/coppice/internal/lazy"
	"github.com/coppice-dev/coppice/internal/safetext"
)

// Text from tools, web pages and people is data. Three things in it could be
// mistaken for ours: the tags that wrap the parts of a request, the role
// markers of the transcript, and the control tokens of chat templates.
var (
	wrapperTag = lazy.Regexp(`<((?i:\s*/?\s*(?:conversation|transcript|previous-summary|summary|short-summary|` +
		`additional-context|turn-request|focus|instructions|read-files|modified-files|system|system-reminder|tool_result|turn-prefix)\b))`)
	controlToken = lazy.Regexp(`<([|\x{FF5C}][^<>\n]{1,40}[|\x{FF5C}]>)`)
	roleMarker   = lazy.Regexp(`^\[\s*(?i:user(?:,[^\]\n]{0,80})?|harness(?:,[^\]\n]{0,120})?|human|assistant|assistant tool calls?|assistant thinking|` +
		`tool results?[^\]\n]{0,80}|tool|system|developer)\s*\]\s*:`)
	// tagName reports whether a text has a name that a wrapper tag may have.
	tagName     = lazy.AnyOf("conversation", "transcript", "summary", "additional-context", "turn-request", "focus", "instructions", "read-files", "modified-files", "system", "tool_result", "turn-prefix")
	lineSpeaker = []string{"System", "Human", "User", "Assistant", "Developer"}
)

// Escape makes text safe to be inside a summary request or a summary: what
// looks like a wrapper tag, a role marker or a control token is still readable
// but no longer one (invariant I11). Escaping twice changes nothing.
func Escape(text string) string {
	if strings.Contains(text, "<") {
		if tagName(text) {
			text = wrapperTag().ReplaceAllString(text, "&lt;$1")
		}
		text = controlToken().ReplaceAllString(text, "&lt;$1")
	}
	return escapeSpeakers(escapeRoles(text))
}

// Safe makes a text by a summarizer or a hook safe to be a summary: valid
// UTF-8, no control characters but line feeds and tabs, none that change the
// direction of writing, and escaped. Doing it twice changes nothing more.
func Safe(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) {
			return -1
		}
		return r
	}, safetext.Sanitize(text))
	return Escape(text)
}

// escapeSpeakers puts a backslash before the speakers that lines begin with, as "User:".
func escapeSpeakers(text string) string {
	if !slices.ContainsFunc(lineSpeaker, func(word string) bool { return strings.Contains(text, word) }) {
		return text // a look at each line is slow
	}
	var b strings.Builder
	b.Grow(len(text))
	for line := range strings.Lines(text) {
		bare := strings.TrimLeft(line, " \t>")
		if speaks(bare) {
			b.WriteString(line[:len(line)-len(bare)] + `\`)
			line = bare
		}
		b.WriteString(line)
	}
	return b.String()
}

// speaks reports whether a line begins with a speaker and a colon.
func speaks(line string) bool {
	return slices.ContainsFunc(lineSpeaker, func(word string) bool {
		rest, ok := strings.CutPrefix(line, word)
		return ok && strings.HasPrefix(strings.TrimLeft(rest, " \t"), ":")
	})
}

// escapeRoles puts a backslash before role markers, wherever they are.
func escapeRoles(text string) string {
	var b strings.Builder
	done := 0
	for _, i := range roleMarkers(text) {
		b.WriteString(text[done:i] + `\`)
		done = i
	}
	if done == 0 && b.Len() == 0 {
		return text
	}
	return b.String() + text[done:]
}

// roleMarkers finds the role markers that are not escaped.
func roleMarkers(text string) []int {
	var at []int
	for i := 0; i < len(text); i++ {
		next := strings.IndexByte(text[i:], '[')
		if next < 0 {
			break
		}
		i += next
		if (i == 0 || text[i-1] != '\\') && roleMarker().MatchString(text[i:]) {
			at = append(at, i)
		}
	}
	return at
}

var entities = sync.OnceValue(func() *strings.Replacer {
	return strings.NewReplacer("&lt;", "<", "&gt;", ">", "&quot;", `"`, "&#39;", "'", "&amp;", "&")
})

// Unescape resolves the entities that a summarizer may have written.
func Unescape(s string) string {
	if strings.IndexByte(s, '&') < 0 {
		return s
	}
	return entities().Replace(s)
}
