package prose

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Bag is the words of a text that say what it is about: in lower case, without
// endings and without words that are in every text. Scripts without blanks
// count by pairs of characters.
type Bag map[string]bool

// Content returns the words with content of a text.
func Content(text string, l Lang) Bag {
	b := Bag{}
	own, english := tableOf(l).stop, tableOf("en").stop
	for r := readWords(text); r.next(); {
		for part := range strings.SplitSeq(r.word.text, "-") {
			if c, _ := utf8.DecodeRuneInString(part); c > 0x1100 && !unicode.Is(unicode.Cyrillic, c) {
				b.solid(part)
			} else if part != "" && !own[part] && !english[part] {
				b.spaced(part, l)
			}
		}
	}
	return b
}

// Content returns the words with content of the sentence.
func (s Sentence) Content() Bag { return Content(s.Text, s.Lang) }

// spaced takes a word of a script with blanks.
func (b Bag) spaced(w string, l Lang) {
	if s := stem(w, l); utf8.RuneCountInString(s) > 1 || s != "" && s[0] >= '0' && s[0] <= '9' {
		b[s] = true
	}
}

// solid takes a word of Chinese, Japanese or Korean apart: runs of one script;
// of Han characters each pair; of Hangul without the particle; hiragana, which
// is grammar, not at all.
func (b Bag) solid(w string) {
	var run []rune
	script := rune(0)
	flush := func() {
		switch {
		case len(run) == 0 || script == 'h':
		case script == 'c' && len(run) > 1:
			for i := range run[1:] {
				b[string(run[i:i+2])] = true
			}
		case script == 'k':
			b[string(bareHangul(run))] = true
		default:
			b[string(run)] = true
		}
		run = nil
	}
	for _, r := range w {
		s := scriptOf(r)
		if s != script {
			flush()
			script = s
		}
		run = append(run, r)
	}
	flush()
}

func scriptOf(r rune) rune {
	switch {
	case unicode.Is(unicode.Hiragana, r):
		return 'h'
	case unicode.Is(unicode.Katakana, r) || r == 'ー':
		return 't'
	case unicode.Is(unicode.Han, r):
		return 'c'
	case unicode.Is(unicode.Hangul, r):
		return 'k'
	}
	return 'l'
}

// particles end Korean words.
var particles = []string{"에서는", "으로", "에서", "에게", "까지", "부터", "은", "는", "이", "가", "을", "를", "의", "에", "와", "과", "도", "로", "만"}

func bareHangul(run []rune) []rune {
	s := string(run)
	for _, p := range particles {
		if rest, ok := strings.CutSuffix(s, p); ok && rest != "" {
			return []rune(rest)
		}
	}
	return run
}

// endings are taken off words, the longest first.
var endings = sync.OnceValue(func() map[Lang][]string {
	return map[Lang][]string{
		"en": {"ations", "ation", "ings", "ing", "ied", "ies", "ed", "es", "s", "e", "y"},
		"de": {"ungen", "ung", "ern", "est", "en", "er", "em", "es", "st", "te", "e", "n", "s", "t"},
		"fr": {"ations", "ation", "ements", "ement", "ées", "ez", "er", "es", "és", "ée", "s", "e", "é"},
		"es": {"aciones", "ación", "ando", "endo", "ados", "adas", "ado", "ada", "os", "as", "es", "ar", "er", "ir", "a", "o", "e", "s"},
		"pt": {"ações", "ação", "ando", "endo", "ados", "adas", "ado", "ada", "os", "as", "es", "ar", "er", "ir", "a", "o", "e", "s"},
		"ru": {"иями", "ами", "ями", "ого", "его", "ому", "ему", "ыми", "ими", "ать", "ять", "ить", "еть", "ах", "ях", "ов", "ев", "ей", "ой", "ый", "ий", "ая", "яя", "ые", "ие", "ом", "ем", "ам", "ям", "ую", "а", "я", "ы", "и", "у", "ю", "о", "е", "ь", "й"},
	}
})

const minStem = 3

func stem(w string, l Lang) string {
	if strings.ContainsAny(w, "0123456789_") {
		return w
	}
	if r, _ := utf8.DecodeRuneInString(w); unicode.Is(unicode.Cyrillic, r) {
		l = "ru"
	}
	for _, e := range endings()[l] {
		if rest, ok := strings.CutSuffix(w, e); ok && utf8.RuneCountInString(rest) >= minStem {
			return rest
		}
	}
	return w
}

// Shared returns the words that both have.
func (b Bag) Shared(o Bag) Bag {
	out := Bag{}
	for w := range b {
		if o.has(w) {
			out[w] = true
		}
	}
	return out
}

// has looks a word up, however it ends.
func (b Bag) has(w string) bool {
	if b[w] {
		return true
	}
	if !long(w) {
		return false
	}
	for x := range b {
		if alike(w, x) {
			return true
		}
	}
	return false
}

// longWord is from how many characters on the beginning of a word decides, for
// endings that are not known.
const longWord = 5

func long(w string) bool {
	return utf8.RuneCountInString(w) >= longWord && (w[0] >= 'a' || w[0] >= utf8.RuneSelf)
}

// alike reports whether a long word is another one, but for the ending.
func alike(w, x string) bool {
	n := min(len(x), len(w))
	if n*5 < max(len(x), len(w))*4 || x[0] != w[0] { // most words
		return false
	}
	return utf8.RuneCountInString(x[:n]) >= longWord && commonPrefix(x, w)*5 >= max(len(x), len(w))*4
}

// Index finds words in many bags.
type Index struct {
	places map[string][]int // of each word, in order
	words  map[byte][]string
	found  map[string][]int
}

// NewIndex makes an index of bags.
func NewIndex(n int, bag func(int) Bag) *Index {
	x := &Index{places: map[string][]int{}, words: map[byte][]string{}, found: map[string][]int{}}
	for i := range n {
		for w := range bag(i) {
			if x.places[w] == nil {
				x.words[w[0]] = append(x.words[w[0]], w)
			}
			x.places[w] = append(x.places[w], i)
		}
	}
	return x
}

// Index makes an index of one bag, for a text with which many are compared.
func (b Bag) Index() *Index { return NewIndex(1, func(int) Bag { return b }) }

func (x *Index) has(w string) bool { return len(x.Find(w)) > 0 }

// Find returns which bags have a word, however it ends, in order.
func (x *Index) Find(w string) []int {
	at, ok := x.found[w]
	if ok {
		return at
	}
	at = slices.Clone(x.places[w])
	if w != "" && long(w) {
		for _, other := range x.words[w[0]] {
			if other != w && alike(w, other) {
				at = append(at, x.places[other]...)
			}
		}
		slices.Sort(at)
		at = slices.Compact(at)
	}
	x.found[w] = at
	return at
}

func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// Mostly reports whether o, a bag or an index, has at least a share of the words
// of b.
func (b Bag) Mostly(o interface{ has(word string) bool }, share float64) bool {
	if len(b) == 0 {
		return share <= 0
	}
	missing := 0
	for w := range b {
		if !o.has(w) {
			missing++
			if float64(len(b)-missing) < share*float64(len(b)) {
				return false
			}
		}
	}
	return true
}

// Within is the share of the words of b that o has, from 0 to 1.
func (b Bag) Within(o Bag) float64 {
	if len(b) == 0 {
		return 0
	}
	return float64(len(b.Shared(o))) / float64(len(b))
}

// Sorted lists the words.
func (b Bag) Sorted() []string {
	out := make([]string, 0, len(b))
	for w := range b {
		out = append(out, w)
	}
	slices.Sort(out)
	return out
}
