package recall

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"unicode"
)

// ErrEmptyQuery says that the query is empty.
var ErrEmptyQuery = errors.New("the query has no words")

// query is what every hit has to contain.
type query struct {
	terms  [][]byte // folded, each once
	probes [][]byte // what the raw line of every hit contains, in lower case
}

// parseQuery reads words, and phrases in double quotes. An unclosed quote ends
// with the query; a quote in the middle of a word is a plain character.
func parseQuery(s string) (query, error) {
	var q query
	for s = strings.TrimSpace(s); s != ""; s = strings.TrimSpace(s) {
		var term string
		if s[0] == '"' {
			term, s, _ = strings.Cut(s[1:], `"`)
		} else {
			end := strings.IndexFunc(s, unicode.IsSpace)
			if end < 0 {
				end = len(s)
			}
			term, s = s[:end], s[end:]
		}
		q.add(strings.TrimSpace(term))
	}
	if len(q.terms) == 0 {
		return q, ErrEmptyQuery
	}
	return q, nil
}

func (q *query) add(term string) {
	folded := fold(nil, term)
	if len(folded) == 0 || slices.ContainsFunc(q.terms, func(t []byte) bool { return bytes.Equal(t, folded) }) {
		return
	}
	q.terms = append(q.terms, folded)
	if p := probe(folded); p != nil {
		q.probes = append(q.probes, p)
	}
}

// probe returns the longest part of a folded term that looks the same in JSON,
// or nil. It does not return digits alone, because numbers can be written in
// several ways.
func probe(term []byte) []byte {
	var best []byte
	for len(term) > 0 {
		n := 0
		for n < len(term) && plain(term[n]) {
			n++
		}
		if run := term[:n]; n > len(best) && bytes.ContainsFunc(run, func(r rune) bool { return r >= 'a' && r != 'e' }) {
			best = run
		}
		term = term[max(n, 1):]
	}
	return best
}

func plain(c byte) bool {
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '_' || c == '-' || c == '.'
}

// rulesOut reports whether the raw line of an entry shows that it is not a hit,
// so that it need not be decoded. scratch is reused from line to line.
func (q *query) rulesOut(raw []byte, scratch *[]byte) bool {
	if len(q.probes) == 0 {
		return false
	}
	lower := append((*scratch)[:0], raw...)
	*scratch = lower
	for i, c := range lower {
		if 'A' <= c && c <= 'Z' {
			lower[i] = c + 'a' - 'A'
		}
	}
	for _, p := range q.probes {
		if !bytes.Contains(lower, p) {
			// Escapes, and the two letters that fold to ASCII, can hide a
			// word.
			return !bytes.Contains(raw, []byte(`\u`)) && !bytes.Contains(raw, []byte("\u212a")) && !bytes.Contains(raw, []byte("ſ"))
		}
	}
	return false
}
