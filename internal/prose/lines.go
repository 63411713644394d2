package prose

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line is a line of prose, without its bullet.
type Line struct {
	Text string
	Item bool   // an item of a list
	Rule bool   // an item of a list of rules
	Head string // what introduces the list
}

// ruleHeads are in what introduces a list of rules.
var ruleHeads = []string{"rule", "never", "do not", "don't", "don’t", "avoid", "always", "constraint", "requirement", "convention", "guideline", "restriction",
	"condition", "criteria", "non-goal", "must", "should", "shall", "how we want", "how i want", "we want", "we need", "behavio",
	"regeln", "vorgaben", "anforderungen", "règles", "contraintes", "exigences", "reglas", "requisitos", "restricciones", "regras", "restrições",
	"правила", "требования", "условия", "ルール", "制約", "要件", "规则", "規則", "要求", "约束", "規定", "규칙", "요구사항", "제약"}

func introducesRules(text string) bool {
	low := strings.ToLower(text)
	return slices.ContainsFunc(ruleHeads, func(w string) bool { return strings.Contains(low, w) })
}

// introduces reports whether a line comes before a list.
func introduces(text string) bool {
	return strings.HasSuffix(text, ":") || strings.HasSuffix(text, "：")
}

// Lines returns the lines of a text that are prose: no fenced code, no quotes,
// no logs, no code, no headings. Lines of a paragraph that was wrapped by hand
// are joined with the line end between them.
func Lines(text string) []Line {
	var out []Line
	fence, joinable := "", false
	head, rules := "", false // of the list at hand
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
		if Heading(bare) {
			head, rules = strings.TrimSpace(strings.TrimLeft(bare, "#")), introducesRules(bare)
		}
		if bare == "" || !proseLine(full, bare) {
			joinable = false
			continue
		}
		marker := ListMarker(bare)
		if joinable && marker == 0 && continues(out[len(out)-1].Text, bare) {
			joined := out[len(out)-1].Text + "\n" + bare
			out[len(out)-1].Text = joined
			if introduces(joined) {
				head, rules = lastSentence(joined), rules || introducesRules(joined)
			}
			continue
		}
		if marker == 0 {
			head, rules = "", false
			if introduces(bare) {
				head = lastSentence(bare)
				rules = introducesRules(head)
			}
		}
		l := Line{Text: bare[marker:], Item: marker > 0}
		if l.Item {
			l.Rule, l.Head = rules, head
		}
		out = append(out, l)
		joinable = true
	}
	return out
}

func lastSentence(text string) string {
	all := Split(text)
	return all[len(all)-1]
}

func fenceOf(line string) string {
	for _, f := range []string{"```", "~~~", `"""`, "'''"} {
		if strings.HasPrefix(line, f) {
			return f
		}
	}
	return ""
}

// continues reports whether a line goes on where the line before was wrapped.
func continues(before, line string) bool {
	const wrapped = 50 // bytes; shorter lines were ended on purpose
	if i := strings.LastIndexByte(before, '\n'); i >= 0 {
		before = before[i+1:]
	}
	r, _ := utf8.DecodeRuneInString(line)
	last, _ := utf8.DecodeLastRuneInString(before)
	return len(before) >= wrapped && !unicode.IsUpper(r) && !strings.ContainsRune(".!?:;。！？：", last)
}

// ListMarker returns the length of a bullet, number or checkbox before a line.
func ListMarker(line string) int {
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
		} else if len(line) > 2 && line[0]|0x20 >= 'a' && line[0]|0x20 <= 'z' && line[1] == ')' && line[2] == ' ' {
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

// codeEnds end lines of code, codeHeads begin lines of code, logs, diffs and
// prompts, and what is quoted.
var (
	codeEnds  = []string{"{", "}", "};", ");", "=>", "&&", "||", "\\", "</", "/>", "({", "})"}
	codeHeads = []string{">", "$ ", "% ", "//", "/*", "#!", "+++ ", "--- ", "@@ ", "diff --git", "index ", "import ", "from '", "const ", "let ",
		"var ", "func ", "def ", "return ", "public ", "private ", "export ", "#include", "package ", "Traceback", "File \"", "at ", "</", "| ",
		"<?", "{", "}", "[INFO", "[WARN", "[ERROR", "[DEBUG", "INFO ", "WARN ", "ERROR ", "DEBUG ", "=== ", "--- FAIL", "--- PASS", "ok  \t", "FAIL\t",
		"panic: ", "fatal: ", "Error: ", "error: ", "npm ERR!", "➜"}
)

// proseLine reports whether a line is written language. Lines that begin as
// code may still be prose when they read like a sentence.
func proseLine(line, bare string) bool {
	if Heading(bare) {
		return false
	}
	for _, h := range codeHeads {
		if strings.HasPrefix(bare, h) && !(unicode.IsLetter(rune(h[0])) && sentenceLike(bare)) {
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
	if (strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "    ")) && ListMarker(bare) == 0 && !sentenceLike(bare) {
		return false
	}
	return !logLine(bare) && mostlyWords(bare)
}

// Heading reports whether a line is a heading of Markdown.
func Heading(bare string) bool {
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

// mostlyWords reports whether letters make the greater part of a line.
func mostlyWords(line string) bool {
	letters, signs := 0, 0
	for _, r := range line {
		switch {
		case unicode.IsLetter(r):
			letters++
		case r == ' ' || r == '`' || r == '\'' || r == '"' || r == ',' || r == '.' || r >= '0' && r <= '9':
		default:
			signs++
		}
	}
	return letters >= 1 && signs <= letters
}
