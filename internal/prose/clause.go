package prose

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// IsFiller reports whether a sentence asks for nothing: every word of it is
// part of a phrase of filler.
func IsFiller(text string, l Lang) bool {
	return strings.IndexFunc(text, unicode.IsLetter) >= 0 && strings.TrimFunc(Meat(text, l), notWord) == ""
}

func notWord(r rune) bool { return !wordRune(r) }

// Meat is a sentence without the filler before it: "lol ok, and round to whole
// cents" is "round to whole cents". It is "" where nothing is left.
func Meat(text string, l Lang) string {
	for _, lang := range []Lang{l, "en"} {
		if lang == "en" && l != "en" && !hasLatin(text) {
			continue
		}
		text = meat(text, lang)
	}
	return text
}

func meat(text string, l Lang) string {
	t := tableOf(l)
	for stripped := false; ; stripped = true {
		rest := strings.TrimLeftFunc(text, func(r rune) bool {
			return unicode.IsSpace(r) || strings.ContainsRune(",;:.!…)-–—~。，！、", r)
		})
		n := t.leading(rest)
		if n == 0 {
			if first, after, ok := strings.Cut(rest, " "); stripped && ok && connects(strings.ToLower(first)) && len(first) < 5 && !strings.EqualFold(first, "now") {
				rest = after
			}
			return strings.TrimSpace(rest)
		}
		text = rest[n:]
	}
}

// leading is the length of the filler that a text begins with, up to where
// another clause begins; 0: none.
func (t *table) leading(text string) int {
	longest := 0
	for _, p := range t.solid {
		if p.class == Filler && strings.HasPrefix(text, p.text) && endsClause(text[len(p.text):]) {
			longest = max(longest, len(p.text))
		}
	}
	first := readWords(firstClause(text))
	if !first.next() || !t.maybeFiller(first.word.text) {
		return longest
	}
	words := wordsOf(firstClause(text))
	for _, list := range [][]phrase{t.exact[words[0].text], t.prefix[words[0].text[0]]} {
		for _, p := range list {
			if p.class != Filler {
				continue
			}
			if end := p.at(words, 0); end >= 0 {
				at := words[end].end
				if endsClause(text[at:]) || t.fillerNext(words[end+1:]) {
					longest = max(longest, at)
				}
			}
		}
	}
	return longest
}

// maybeFiller reports whether a phrase of filler begins with a word.
func (t *table) maybeFiller(word string) bool {
	filler := func(p phrase) bool { return p.class == Filler }
	return slices.ContainsFunc(t.exact[word], filler) || slices.ContainsFunc(t.prefix[word[0]], filler)
}

// fillerNext reports whether filler, or a word that connects, comes next.
func (t *table) fillerNext(words []word) bool {
	if len(words) == 0 || connects(words[0].text) {
		return true
	}
	return slices.ContainsFunc(t.exact[words[0].text], func(p phrase) bool { return p.class == Filler && p.at(words, 0) >= 0 })
}

func firstClause(text string) string {
	const most = 200
	if len(text) > most {
		text = text[:most]
	}
	return text
}

// endsClause reports whether a clause ends before the text.
func endsClause(rest string) bool {
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(rest, " "))
	return strings.TrimSpace(rest) == "" || strings.ContainsRune(",;:.!?…—–-)。，！？、~\n", r) || r > 0x1F000
}

// clauseEnds are where a sentence has another clause. Those with a word are
// ends only where the rest reads like a rule of its own.
var clauseEnds = []string{"; ", ", and ", ", but ", ", und ", ", aber ", ", et ", ", mais ", ", y ", ", pero ", ", e ", ", mas ", ", и ", ", а ", ", но ", ", ", "；", "，", "、", "，并"}

var joins = []string{" and ", " und ", " et ", " y ", " e ", " и ", " ni ", " nor "}

// Clauses parts a sentence into what may be said and taken back on its own.
// head is what introduces them ("House rules: "), or "".
func Clauses(text string, l Lang) (head string, parts []string) {
	rest := text
	for _, colon := range []string{": ", "：", " : "} {
		if i := strings.Index(text, colon); i > 0 && i < 60 && !strings.ContainsAny(text[:i], ",;、，`\"") {
			head, rest = text[:i+len(colon)], text[i+len(colon):]
			break
		}
	}
	for _, p := range splitAny(rest, clauseEnds) {
		parts = append(parts, splitJoined(p, l)...)
	}
	return head, parts
}

// splitAny parts a text at the first of the signs that comes, again and again.
// Signs in brackets and quotes part nothing.
func splitAny(text string, signs []string) []string {
	var out []string
	var begins [256]bool
	for _, sign := range signs {
		begins[sign[0]] = true
	}
	start, depth := 0, 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '(' || c == '[':
			depth++
		case (c == ')' || c == ']') && depth > 0:
			depth--
		case depth == 0 && begins[c]:
			for _, sign := range signs {
				if strings.HasPrefix(text[i:], sign) {
					out = append(out, strings.TrimSpace(text[start:i]))
					i += len(sign) - 1
					start = i + 1
					break
				}
			}
		}
	}
	out = append(out, strings.TrimSpace(text[start:]))
	return slices.DeleteFunc(out, func(s string) bool { return s == "" })
}

// splitJoined parts "no X and no Y" at the word between, where both sides are
// orders.
func splitJoined(part string, l Lang) []string {
	low := strings.ToLower(part)
	for _, j := range joins {
		i := strings.Index(low, j)
		if i <= 0 || i+len(j) >= len(part) {
			continue
		}
		left, right := part[:i], part[i+len(j):]
		if orders(left, l) && orders(right, l) {
			return append([]string{left}, splitJoined(right, l)...)
		}
	}
	return []string{part}
}

func orders(text string, l Lang) bool { return Read(text, l).Has(Order, Forbid) }

// Rest is the words with content of a sentence besides its phrases of some
// classes.
func (s Sentence) Rest(classes ...Class) Bag {
	bare := []byte(s.Text)
	for _, h := range s.Hits {
		if slices.Contains(classes, h.Class) {
			for i := h.Start; i < h.End; i++ {
				bare[i] = ' '
			}
		}
	}
	return Content(string(bare), s.Lang)
}
