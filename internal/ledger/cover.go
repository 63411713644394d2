package ledger

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// ResidueHeading is the heading of the facts that code adds to a summary
// because the summarizer dropped them. An extraction does not carry these lines
// over: its ledger has them.
const ResidueHeading = "## Facts Found by Code"

// Cover says, class by class, how many facts a text still holds.
//
// A fact is held if its Text is in the text, word for word: case matters, runs
// of white space are one space, and &lt; &gt; &amp; &quot; &#39; count as
// their characters. In addition:
//
//   - a path, a command, an identifier, a URL, a number and a hash must not
//     be part of a longer one: src/a.ts is not held by src/a.tsx, nor by
//     lib/src/a.ts; ./src/a.ts holds it;
//   - a moved file needs its old and its new path;
//   - a sentence (constraint, request, decision, question, error, open and
//     finished work) may lack its last full stop.
func (l *Ledger) Cover(text string) Coverage {
	folded := fold(text)
	cov := Coverage{}
	for _, f := range factsOf(l) {
		s := cov[f.Class]
		s.Facts++
		if holds(folded, f) {
			s.Kept++
		}
		cov[f.Class] = s
	}
	return cov
}

// Missing returns the facts that a text does not hold (see Cover). The most
// important come last, and within a class the oldest come first, so that a
// caller with little room begins at the end.
func (l *Ledger) Missing(text string) []Fact {
	folded := fold(text)
	var out []Fact
	for _, f := range factsOf(l) {
		if !holds(folded, f) {
			out = append(out, f)
		}
	}
	byImportance(out)
	return out
}

// holds reports whether a folded text holds a fact.
func holds(folded string, f Fact) bool {
	want := fold(f.Text)
	switch f.Class {
	case FileMoved:
		return containsWhole(folded, want, pathChar) && containsWhole(folded, fold(f.Note), pathChar)
	case FileRead, FileModified, FileCreated, FileDeleted, URL:
		return containsWhole(folded, want, pathChar)
	case Command, Identifier, Number, Hash:
		return containsWhole(folded, want, wordChar)
	}
	return strings.Contains(folded, strings.TrimRight(want, ".。"))
}

// containsWhole reports whether want is in text and not part of a longer word;
// part reports the characters of words.
func containsWhole(text, want string, part func(rune) bool) bool {
	if want == "" {
		return true
	}
	for from := 0; ; {
		i := strings.Index(text[from:], want)
		if i < 0 {
			return false
		}
		start, end := from+i, from+i+len(want)
		if !partBefore(text[:start], want, part) && !partAfter(text[end:], want, part) {
			return true
		}
		_, n := utf8.DecodeRuneInString(text[start:])
		from = start + n
	}
}

func partBefore(before, want string, part func(rune) bool) bool {
	first, _ := utf8.DecodeRuneInString(want)
	r, _ := utf8.DecodeLastRuneInString(before)
	if before == "" || !part(r) || !part(first) {
		return false
	}
	dir, ok := strings.CutSuffix(before, "./") // the same path, written differently
	last, _ := utf8.DecodeLastRuneInString(dir)
	return !ok || dir != "" && part(last)
}

func partAfter(after, want string, part func(rune) bool) bool {
	last, _ := utf8.DecodeLastRuneInString(want)
	r, n := utf8.DecodeRuneInString(after)
	if after == "" || !part(r) || !part(last) {
		return false
	}
	if r == '.' { // ends a sentence unless a word goes on after it
		next, _ := utf8.DecodeRuneInString(after[n:])
		return after[n:] != "" && part(next) && next != '.'
	}
	return true
}

// Some scripts have no spaces between words, so only letters of the other
// alphabets are parts of words.
func wordChar(r rune) bool {
	return r == '_' || unicode.IsDigit(r) || unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic)
}

func pathChar(r rune) bool { return wordChar(r) || r == '-' || r == '/' || r == '.' }

var entities = sync.OnceValue(func() *strings.Replacer {
	return strings.NewReplacer("&lt;", "<", "&gt;", ">", "&quot;", `"`, "&#39;", "'", "&amp;", "&")
})

// Unescape resolves the entities that a summarizer may have written.
func Unescape(s string) string { return entities().Replace(s) }

// fold makes each run of white space one space and resolves entities.
func fold(s string) string {
	if strings.IndexByte(s, '&') >= 0 {
		s = entities().Replace(s)
	}
	if folded(s) {
		return s
	}
	return strings.Join(strings.Fields(s), " ")
}

// folded reports whether s has only single spaces inside it.
func folded(s string) bool {
	space := true
	for _, r := range s {
		if r != ' ' && unicode.IsSpace(r) || r == ' ' && space {
			return false
		}
		space = r == ' '
	}
	return !space || s == ""
}
