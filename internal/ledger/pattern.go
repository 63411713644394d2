package ledger

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// pattern is a regular expression that runs only on texts with one of its
// words, and that is compiled for the first such text.
type pattern struct {
	expr string
	// words are pieces of plain(text); every matching text has at least one of
	// them. A blank at the end of a piece is a word boundary.
	words []string
	// literals are such pieces of the unchanged text.
	literals []string
	// list, between before and after, may be given instead of expr and words:
	// alternatives that begin with a word and, if they are plain, end with
	// one.
	before, after string
	list          []string

	ready, compiled sync.Once
	filter          []string // words, or the words of the list
	re              *regexp.Regexp
}

func (p *pattern) match(s string) bool {
	if p.literals != nil {
		return p.matchPlain(s, "")
	}
	return p.matchPlain(s, plain(s))
}

// matchPlain is match for a known plain(s).
func (p *pattern) matchPlain(s, plain string) bool {
	return p.mayMatch(s, plain) && p.regexp().MatchString(s)
}

// removePlain replaces each match with a blank.
func (p *pattern) removePlain(s, plain string) string {
	if !p.mayMatch(s, plain) {
		return s
	}
	return p.regexp().ReplaceAllString(s, " ")
}

func (p *pattern) regexp() *regexp.Regexp {
	p.compiled.Do(func() { p.re = regexp.MustCompile(p.String()) })
	return p.re
}

// String returns the expression.
func (p *pattern) String() string {
	if p.list == nil {
		return p.expr
	}
	return p.before + "(?:" + strings.Join(p.list, "|") + ")" + p.after
}

// mayMatch returns false only if the expression does not match.
func (p *pattern) mayMatch(s, plain string) bool {
	p.ready.Do(func() {
		p.filter = p.words
		for _, alternative := range p.list {
			p.filter = append(p.filter, start(alternative))
		}
	})
	return containsAny(s, p.literals) || containsAny(plain, p.filter) || strings.HasSuffix(plain, unsure)
}

func containsAny(s string, pieces []string) bool {
	return slices.ContainsFunc(pieces, func(p string) bool { return strings.Contains(s, p) })
}

// plain returns the text in which the words of patterns are searched: words of
// ASCII letters in lower case and words of digits, with one blank between,
// before and after them.
func plain(s string) string {
	out := make([]byte, 1, len(s)+8)
	out[0] = ' '
	for i := range len(s) {
		c, last := s[i], out[len(out)-1]
		switch {
		case (c|0x20)-'a' < 26 && !digit(last):
			out = append(out, c|0x20)
		case (c|0x20)-'a' < 26:
			out = append(out, ' ', c|0x20)
		case digit(c) && (last == ' ' || digit(last)):
			out = append(out, c)
		case digit(c):
			out = append(out, ' ', c)
		case last != ' ':
			out = append(out, ' ')
		}
	}
	if out[len(out)-1] != ' ' {
		out = append(out, ' ')
	}
	if strings.Contains(s, longS) || strings.Contains(s, kelvin) {
		out = append(out, unsure...)
	}
	return string(out)
}

// The two characters that a case-insensitive expression matches with the ASCII
// letters s and k, and how to detect them.
const (
	longS  = "\u017f"
	kelvin = "\u212a"
	unsure = "?"
)

// start returns the plain text at the beginning of every match of an
// expression, if the match begins with a word.
func start(expr string) string {
	word, rest := expr, `\b`
	if end := strings.IndexAny(expr, `\.+*?()[]{}|^$`); end >= 0 {
		word, rest = expr[:end], expr[end:]
	}
	if strings.IndexByte("?*{", rest[0]) >= 0 { // the character before it may be missing
		before := []rune(word)
		word = string(before[:len(before)-1])
	}
	if last := word[len(word)-1] | 0x20; last-'a' < 26 && !strings.HasPrefix(rest, `\b`) {
		return strings.TrimSuffix(plain(word), " ")
	}
	return plain(word)
}
