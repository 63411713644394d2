package ledger

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// abbreviations end with a full stop that does not end a sentence.
var abbreviations = []string{"e.g.", "i.e.", "etc.", "vs.", "cf.", "approx.", "resp.", "incl.", "z.B.", "bzw.", "d.h.", "usw.", "p.ej.",
	"no.", "nr.", "fig.", "mr.", "dr.", "st."}

// sentences splits a line of prose at its full stops, question and
// exclamation marks. Stops in quotes, brackets, file names and versions do
// not end a sentence.
func sentences(line string) []string {
	var out []string
	start := 0
	for i, r := range line {
		if i < start || !strings.ContainsRune(".!?。！？", r) {
			continue
		}
		end := i + utf8.RuneLen(r)
		for end < len(line) && strings.IndexByte(".!?)\"'*_", line[end]) >= 0 {
			end++
		}
		next, n := utf8.DecodeRuneInString(line[end:])
		if end < len(line) && r < 0x2000 && !unicode.IsSpace(next) || r == '.' && abbreviated(line[start:end]) {
			continue
		}
		if after, _ := utf8.DecodeRuneInString(line[end+min(n, len(line)-end):]); r == '.' && unicode.IsLower(after) && end-start < 12 {
			continue // "ok. but …": too short to be alone
		}
		if s := strings.TrimSpace(line[start:end]); s != "" {
			out = append(out, s)
		}
		start = end
	}
	if s := strings.TrimSpace(line[start:]); s != "" {
		out = append(out, s)
	}
	return out
}

func abbreviated(s string) bool {
	last := strings.ToLower(s[strings.LastIndexAny(s, " \n(")+1:])
	for _, a := range abbreviations {
		if last == strings.ToLower(a) {
			return true
		}
	}
	return len(last) == 2 && last[0] >= '0' && last[0] <= '9' // "1."
}

// unquoted replaces what is in `…`, "…" and “…” with blanks, at most 200 bytes
// each, so that quoted words are not taken for orders. The length stays the
// same.
func unquoted(s string) string {
	const maxQuote = 200
	if !strings.ContainsAny(s, "`\"“«「") {
		return s
	}
	out := []byte(s)
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		shut := closingQuote(r)
		if shut == "" {
			i += n
			continue
		}
		end := strings.Index(s[i+n:min(len(s), i+n+maxQuote)], shut)
		if end < 0 {
			i += n
			continue
		}
		for k := i + n; k < i+n+end; k++ {
			out[k] = '_'
		}
		i += n + end + len(shut)
	}
	return string(out)
}

// closingQuote returns the quote that closes one opened by r, or "".
func closingQuote(r rune) string {
	switch r {
	case '`', '"':
		return string(r)
	case '“':
		return "”"
	case '«':
		return "»"
	case '「':
		return "」"
	}
	return ""
}
