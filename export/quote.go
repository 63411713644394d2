package export

import (
	"strings"
)

// lineBreaks are what Markdown takes for the end of a line.
var lineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// prose writes what someone said as a quote: headings, lists and fences that
// are never closed end with it. Text with something in it that may be a tag, or
// a link to a script, is in a fence, because not every reader of Markdown
// leaves those out, and telling code from prose is where escaping goes wrong.
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

// mayAct reports whether some reader could take a part of s for more than text.
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

// fence writes s word for word between two fences that are longer than any in it.
func fence(s string) string {
	s = lineBreaks.Replace(s)
	mark := strings.Repeat("`", max(3, longestRun(s, '`')+1))
	return mark + "\n" + strings.TrimSuffix(s, "\n") + "\n" + mark + "\n"
}

// code writes s as code inside a line.
func code(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	mark := strings.Repeat("`", longestRun(s, '`')+1)
	if s == "" || strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		return mark + " " + s + " " + mark
	}
	return mark + s + mark
}

// inert writes s on a line so that none of its characters is markup.
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
