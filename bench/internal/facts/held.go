package facts

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/coppice-dev/coppice/internal/quote"
)

// Text is a text in which facts are looked for.
type Text struct{ folded string }

// NewText prepares a text.
func NewText(s string) Text { return Text{fold(s)} }

// Holds reports whether the text holds a fact: its Text is there, word for
// word. Case matters, runs of white space are one space, and &lt; &gt; &amp;
// &quot; &#39; count as their characters. In addition:
//
//   - a path, a command, an identifier, a URL, a number and a hash must not
//     be part of a longer one: src/a.ts is not held by src/a.tsx, nor by
//     lib/src/a.ts; ./src/a.ts holds it;
//   - a moved file needs its old and its new path;
//   - a sentence (constraint, request, decision, error, open work) may lack
//     its last full stop.
func (t Text) Holds(f Fact) bool {
	want := fold(f.Text)
	switch f.Class {
	case FileMoved:
		return containsWhole(t.folded, want, pathChar) && containsWhole(t.folded, fold(f.Note), pathChar)
	case FileRead, FileModified, FileCreated, FileDeleted, URL:
		return containsWhole(t.folded, want, pathChar)
	case Command, Identifier, Number, Hash:
		return containsWhole(t.folded, want, wordChar)
	}
	return strings.Contains(t.folded, strings.TrimRight(want, ".。"))
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

// fold makes each run of white space one space and resolves entities.
func fold(s string) string { return strings.Join(strings.Fields(quote.Unescape(s)), " ") }
