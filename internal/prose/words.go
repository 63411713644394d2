package prose

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// word is a word of a sentence, in lower case.
type word struct {
	text       string
	start, end int
	clause     bool // a sentence or a clause begins with it
}

// wordsOf parts a sentence into words.
func wordsOf(s string) []word {
	out := make([]word, 0, len(s)/6+1)
	for r := readWords(s); r.next(); {
		out = append(out, r.word)
	}
	return out
}

// wordReader reads the words of a text one by one.
type wordReader struct {
	word word // at hand

	text   string
	at     int    // where the next word is looked for
	left   string // of a word that is parted at elisions, in lower case
	from   int    // of left, in text
	clause bool
}

func readWords(s string) wordReader { return wordReader{text: s, clause: true} }

// next goes to the next word, if there is one.
func (r *wordReader) next() bool {
	if r.left == "" {
		if r.skip(); r.at == len(r.text) {
			return false
		}
		r.take()
	}
	part := r.left
	if n := elision(part); n > 0 {
		part = part[:n]
	}
	r.left = r.left[len(part):]
	r.word = word{part, r.from, min(r.from+len(part), r.at), r.clause}
	r.from, r.clause = r.word.end, r.left == "" && connects(part) // a clause may begin after "and"
	return true
}

// skip goes to where a word begins.
func (r *wordReader) skip() {
	for r.at < len(r.text) {
		c, n := runeAt(r.text, r.at)
		if wordRune(c) {
			return
		}
		r.at += n
		if endsWords(c) || c == '-' && r.at < len(r.text) && r.text[r.at] == ' ' {
			r.clause = true
		}
	}
}

// take takes the word that begins here.
func (r *wordReader) take() {
	r.from = r.at
	for r.at < len(r.text) {
		c, n := runeAt(r.text, r.at)
		if !wordRune(c) && !(inWord(c) && r.at > r.from && nextIsWord(r.text[r.at+n:])) {
			break
		}
		r.at += n
	}
	r.left = lower(r.text[r.from:r.at])
}

// runeAt is the character at i; nearly all are ASCII.
func runeAt(s string, i int) (rune, int) {
	if c := s[i]; c < utf8.RuneSelf {
		return rune(c), 1
	}
	return utf8.DecodeRuneInString(s[i:])
}

// lower is a word in lower case with straight apostrophes.
func lower(w string) string {
	plain := func(c byte) bool {
		return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '\'' || c == '-' || c == '_'
	}
	for i := range len(w) {
		if !plain(w[i]) {
			return strings.ToLower(strings.ReplaceAll(w, "’", "'"))
		}
	}
	return w
}

// endsWords reports whether a sentence or a clause may begin after a sign.
func endsWords(r rune) bool {
	switch r {
	case ',', ';', ':', '.', '!', '?', '(', ')', '\n', '"':
		return true
	}
	return r >= utf8.RuneSelf && strings.ContainsRune("—–¡¿“”«»、。，；：！？", r)
}

// asciiWord are the ASCII characters of words.
var asciiWord = func() (t [utf8.RuneSelf]bool) {
	for _, c := range []byte("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") {
		t[c] = true
	}
	return t
}()

func wordRune(r rune) bool {
	if uint32(r) < utf8.RuneSelf {
		return asciiWord[r]
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

func inWord(r rune) bool { return r == '\'' || r == '’' || r == '-' }

func nextIsWord(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLetter(r)
}

// connects are words that put clauses one after the other.
func connects(w string) bool {
	switch w {
	case "and", "but", "so", "then", "also", "please", "just", "or", "well", "und", "aber", "bitte", "et", "mais", "y", "pero", "e", "mas", "и", "а", "но", "now":
		return true
	}
	return false
}

// elisions are parted from the word after them: l'export, n'utilise.
var elisions = []string{"l'", "d'", "n'", "s'", "j'", "m'", "t'", "c'", "qu'", "jusqu'", "lorsqu'", "puisqu'", "parce_qu'"}

// elision is the length of the elision that a word begins with, or 0.
func elision(w string) int {
	if i := strings.IndexByte(w, '\''); i > 0 && i < len(w)-1 && slices.Contains(elisions, w[:i+1]) {
		return i + 1
	}
	return 0
}
