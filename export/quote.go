package export

import (
	"strings"
)

// lineBreaks are what Markdown treats as the end of a line.
var lineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// prose writes text as a quote, so that headings, lists and unclosed fences in
// it end with the quote. Text that may have a tag or a link to a script in it
// is fenced, because not every Markdown renderer removes those, and escaping
// goes wrong when it has to tell code from prose.
func prose(s string) string {
	s = lineBreaks.Replace(s)
	if mayAct(s) {
		return fence(s)
	}
	s = strings.Trim(s, "\n")
	if s == "" {
		return ""
	}
	var b strings.Builder
	for line := range strings.SplitSeq(s, "\n") {
		b.WriteString(strings.TrimSuffix("> "+line, " ") + "\n")
	}
	return b.String()
}

// mayAct reports whether some renderer could treat part of s as more than
// text.
func mayAct(s string) bool {
	for i := 0; i+1 < len(s); i++ {
		if s[i] != '<' {
			continue
		}
		switch c := s[i+1]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '/', c == '!', c == '?':
			return true
		}
	}
	return strings.Contains(strings.ToLower(s), "script:") || strings.Contains(s, "&#") || strings.Contains(s, "&colon;")
}

// fence writes s word for word between two fences that are longer than any in
// it.
func fence(s string) string {
	s = lineBreaks.Replace(s)
	mark := strings.Repeat("`", max(3, longestRun(s, '`')+1))
	return mark + "\n" + strings.TrimSuffix(s, "\n") + "\n" + mark + "\n"
}

// code writes s as inline code.
func code(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	mark := strings.Repeat("`", longestRun(s, '`')+1)
	if s == "" || strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		return mark + " " + s + " " + mark
	}
	return mark + s + mark
}

// inert writes s on a line with all markup escaped.
func inert(s string) string {
	var b strings.Builder
	for _, r := range strings.Join(strings.Fields(s), " ") {
		if strings.ContainsRune("\\`*_{}[]<>#|~&!@$", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

func longestRun(s string, c byte) int {
	longest, run := 0, 0
	for i := range len(s) {
		if s[i] != c {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}
