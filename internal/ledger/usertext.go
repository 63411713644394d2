package ledger

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/coppice-dev/coppice/internal/lazy"
)

// injectedTags wrap what programs put into user messages: the environment,
// attached files, output of commands, skills. The user did not say what is in
// them.
var injectedTags = []string{"environment_context", "environment_details", "user_instructions", "INSTRUCTIONS", "system-reminder",
	"system_reminder", "skill", "image", "file", "files", "document", "documents", "attached_files", "attachment", "attachments", "context",
	"command-name", "command-message", "local-command-stdout", "local-command-stderr", "local-command-caveat", "command-contents",
	"bash-input", "bash-stdout", "bash-stderr", "task-notification", "turn_aborted", "user_shell_command", "persisted-output",
	"ide_selection", "ide_opened_file", "ide_diagnostics", "editor_context", "function_results", "tool_result", "workspace_info",
	"repo_map", "subagent_notification", "available_skills", "skills_instructions", "permissions", "collaboration_mode",
	"output", "stdout", "stderr", "log", "logs", "diff", "patch", "summary", "conversation", "previous-summary", "code"}

// injectedHeads begin messages that a program wrote completely.
var injectedHeads = []string{"Caveat: The messages below were generated", "This session is being continued from a previous conversation",
	"[Request interrupted", "Base directory for this skill:", "Another language model started to solve this problem",
	"The conversation history before this point was compacted", "<command-name>"}

// maxUserText bounds how much of one message is read, in bytes: its beginning
// and its end. A longer one is pasted text.
const (
	maxUserHead = 48 << 10
	maxUserTail = 16 << 10
)

// ownText returns what the user wrote in a user message.
func ownText(text string) string {
	if args, ok := slashArguments(text); ok {
		return args
	}
	trimmed := strings.TrimSpace(text)
	for _, head := range injectedHeads {
		if strings.HasPrefix(trimmed, head) {
			return ""
		}
	}
	if len(text) > maxUserHead+maxUserTail {
		text = strings.ToValidUTF8(text[:maxUserHead], "") + "\n" + strings.ToValidUTF8(text[len(text)-maxUserTail:], "")
	}
	return dropComments(dropTags(text))
}

// slashArguments returns what the user typed after a slash command that
// Claude Code expanded.
func slashArguments(text string) (string, bool) {
	const open, shut = "<command-args>", "</command-args>"
	if !strings.Contains(text, "<command-name>") {
		return "", false
	}
	_, rest, ok := strings.Cut(text, open)
	if !ok {
		return "", false
	}
	args, _, _ := strings.Cut(rest, shut)
	return args, true
}

// dropTags removes the injected blocks. An unclosed block ends with its line.
func dropTags(text string) string {
	if strings.IndexByte(text, '<') < 0 {
		return text
	}
	var out strings.Builder
	missing := map[string]bool{} // tags that are not closed after this
	for {
		i := strings.IndexByte(text, '<')
		if i < 0 {
			out.WriteString(text)
			return out.String()
		}
		out.WriteString(text[:i])
		name, ok := injectedTag(text[i:])
		if !ok {
			out.WriteByte('<')
			text = text[i+1:]
			continue
		}
		text = text[i:]
		shut := "</" + name + ">"
		end := -1
		if !missing[name] {
			end = strings.Index(text, shut)
		}
		if end >= 0 {
			text = text[end+len(shut):]
			continue
		}
		missing[name] = true
		nl := strings.IndexByte(text, '\n')
		if nl < 0 {
			return out.String()
		}
		text = text[nl:]
	}
}

// injectedTag reports whether s begins with the opening tag of a block.
func injectedTag(s string) (string, bool) {
	end := strings.IndexAny(s[:min(len(s), 64)], "> \t\n")
	if end < 0 || s[end] == '\n' {
		return "", false
	}
	name := s[1:end]
	for _, t := range injectedTags {
		if name == t {
			return name, true
		}
	}
	return "", false
}

func dropComments(text string) string {
	for {
		i := strings.Index(text, "<!--")
		if i < 0 {
			return text
		}
		n := strings.Index(text[i:], "-->")
		if n < 0 {
			return text
		}
		text = text[:i] + text[i+n+3:]
	}
}

// line is a line of prose, without its bullet.
type line struct {
	text string
	rule bool   // an item of a list of rules
	not  string // the introduction of the list, if that forbids
}

// ruleHead matches the introduction of a list of rules.
var ruleHead = lazy.Regexp(`(?i)\b(?:rules?|never|do not|don['’]?t|avoid|always|constraints?|requirements?|conventions?|guidelines?|restrictions?|conditions|criteria|non-goals|` +
	`must|should|shall|how (?:we|i) (?:want|like|need)|(?:we|i) (?:want|need)|following behaviou?r|regeln|vorgaben|anforderungen|règles|contraintes|reglas|requisitos)\b|` +
	`ルール|制約|要件|规则|規則|要求|约束|規定|규칙|요구사항|제약`)

// forbids matches an introduction that turns the items of a list into their
// opposite.
var forbids = lazy.Regexp(`(?i)\b(?:not|never|don['’]?t|avoid|forbidden|nicht|nie|jamais|nunca)\b`)

// introduces reports whether a line comes before a list.
func introduces(text string) bool {
	return strings.HasSuffix(text, ":") || strings.HasSuffix(text, "：")
}

// proseLines returns the lines of a text that are prose: no fenced code, no
// quotes, no logs, no code, no headings. Lines of a paragraph that was wrapped
// by hand are joined with the line end between them.
func proseLines(text string) []line {
	var out []line
	fence, joinable := "", false
	rules := false // items are rules until the next line that is not an item
	not := ""
	for full := range strings.SplitSeq(text, "\n") {
		full = strings.TrimRight(full, " \t\r")
		bare := strings.TrimSpace(full)
		if fence != "" {
			if strings.HasPrefix(bare, fence) {
				fence = ""
			}
			continue
		}
		if fence = fenceOf(bare); fence != "" {
			if strings.Contains(bare[len(fence):], fence) { // opened and closed on one line
				fence = ""
			}
			joinable = false
			continue
		}
		if heading(bare) {
			rules, not = ruleHead().MatchString(bare), ""
		}
		if bare == "" || !prose(full, bare) {
			joinable = false
			continue
		}
		marker := listMarker(bare)
		if joinable && marker == 0 && continues(out[len(out)-1].text, bare) {
			joined := out[len(out)-1].text + "\n" + bare
			out[len(out)-1].text = joined
			if introduces(joined) {
				rules, not = rules || ruleHead().MatchString(joined), headOf(joined)
			}
			continue
		}
		if marker == 0 {
			rules, not = introduces(bare) && ruleHead().MatchString(bare), headOf(bare)
		}
		l := line{text: bare[marker:]}
		if rules && marker > 0 {
			l.rule, l.not = true, not
		}
		out = append(out, l)
		joinable = true
	}
	return out
}

// headOf returns the sentence that introduces a list, if it forbids.
func headOf(text string) string {
	all := sentences(text)
	if head := all[len(all)-1]; introduces(head) && forbids().MatchString(head) && len(head) < maxConstraint/2 {
		return head
	}
	return ""
}

func fenceOf(line string) string {
	for _, f := range []string{"```", "~~~", `"""`, "'''"} {
		if strings.HasPrefix(line, f) {
			return f
		}
	}
	return ""
}

// continues reports whether a line continues a wrapped line.
func continues(before, line string) bool {
	const wrapped = 50 // bytes; shorter lines were ended deliberately
	if i := strings.LastIndexByte(before, '\n'); i >= 0 {
		before = before[i+1:]
	}
	r, _ := utf8.DecodeRuneInString(line)
	last, _ := utf8.DecodeLastRuneInString(before)
	return len(before) >= wrapped && !unicode.IsUpper(r) && !strings.ContainsRune(".!?:;。！？：", last)
}

// listMarker returns the length of a bullet, number or checkbox at the start.
func listMarker(line string) int {
	i := 0
	for _, m := range []string{"- ", "* ", "+ ", "• ", "– ", "・", "· "} {
		if strings.HasPrefix(line, m) {
			i = len(m)
			break
		}
	}
	if i == 0 {
		n := 0
		for n < len(line) && n < 3 && line[n] >= '0' && line[n] <= '9' {
			n++
		}
		if n > 0 && n+1 < len(line) && strings.IndexByte(".):", line[n]) >= 0 && line[n+1] == ' ' {
			i = n + 2
		} else if len(line) > 2 && unicode.IsLetter(rune(line[0])) && line[1] == ')' && line[2] == ' ' {
			i = 3
		}
	}
	rest := strings.TrimLeft(line[i:], " ")
	for _, box := range []string{"[ ] ", "[x] ", "[X] "} {
		if strings.HasPrefix(rest, box) {
			return len(line) - len(rest) + len(box)
		}
	}
	return len(line) - len(rest)
}

// codeEnds end lines of code; codeHeads begin lines of code, logs, diffs,
// prompts and quotes.
var (
	codeEnds  = []string{"{", "}", "};", ");", "=>", "&&", "||", "\\", "</", "/>", "({", "})"}
	codeHeads = []string{">", "$ ", "% ", "//", "/*", "#!", "+++ ", "--- ", "@@ ", "diff --git", "index ", "import ", "from '", "const ", "let ",
		"var ", "func ", "def ", "return ", "public ", "private ", "export ", "#include", "package ", "Traceback", "File \"", "at ", "</", "| ",
		"<?", "{", "}", "[INFO", "[WARN", "[ERROR", "[DEBUG", "INFO ", "WARN ", "ERROR ", "DEBUG ", "=== ", "--- FAIL", "--- PASS", "ok  \t", "FAIL\t"}
)

// prose reports whether a line is natural language. A line that begins like
// code may still be prose if it reads like a sentence.
func prose(line, bare string) bool {
	if heading(bare) {
		return false
	}
	for _, h := range codeHeads {
		if strings.HasPrefix(bare, h) && !(isLetter(rune(h[0])) && sentenceLike(bare)) {
			return false
		}
	}
	for _, e := range codeEnds {
		if strings.HasSuffix(bare, e) {
			return false
		}
	}
	if strings.HasSuffix(bare, ";") && !strings.Contains(bare, ", ") {
		return false
	}
	if (strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "    ")) && listMarker(bare) == 0 && !sentenceLike(bare) {
		return false
	}
	return !logLine(bare) && !strong(bare, plain(bare)) && mostlyWords(bare)
}

func heading(bare string) bool {
	return strings.HasPrefix(bare, "#") && strings.HasPrefix(strings.TrimLeft(bare, "#"), " ")
}

// sentenceLike reports whether a line has several words and an end or no
// signs of code.
func sentenceLike(line string) bool {
	return strings.Count(line, " ") >= 3 && !strings.ContainsAny(line, "{}=;<>()") && strings.IndexFunc(line, unicode.IsUpper) <= 0
}

// logLine reports whether a line begins with a time stamp.
func logLine(line string) bool {
	s := strings.TrimLeft(line, "[(")
	n := 0
	for n < len(s) && (s[n] >= '0' && s[n] <= '9' || strings.IndexByte("-:/.TZ+, ", s[n]) >= 0) {
		n++
	}
	digits := 0
	for i := range n {
		if s[i] >= '0' && s[i] <= '9' {
			digits++
		}
	}
	return digits >= 6 && strings.Contains(s[:n], ":")
}

// mostlyWords reports whether most of a line is letters.
func mostlyWords(line string) bool {
	letters, signs := 0, 0
	for _, r := range line {
		switch {
		case unicode.IsLetter(r):
			letters++
		case r == ' ' || r == '`' || r == '\'' || r == '"' || r == ',' || r == '.':
		default:
			signs++
		}
	}
	return letters >= 2 && signs <= letters
}

func isLetter(r rune) bool { return unicode.IsLetter(r) }
