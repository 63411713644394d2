package prose

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Sentence is a sentence and what it says.
type Sentence struct {
	Text string
	Lang Lang
	Hits []Hit

	words []word
}

// Read reads a sentence in the language of the text that it is from. English
// is looked for in any text: it is next to any other.
func Read(text string, l Lang) Sentence {
	s := Sentence{Text: text, Lang: l}
	bare := Unquoted(text)
	s.words = wordsOf(bare)
	s.Hits = tableOf(l).matches(bare, s.words)
	if l != "en" && hasLatin(bare) {
		s.Hits = append(s.Hits, tableOf("en").matches(bare, s.words)...)
	}
	return s
}

func hasLatin(s string) bool {
	for i := range len(s) {
		if c := s[i] | 0x20; c >= 'a' && c <= 'z' {
			return true
		}
	}
	return false
}

// Has reports whether the sentence has a phrase of one of the classes.
func (s Sentence) Has(classes ...Class) bool {
	return slices.ContainsFunc(s.Hits, func(h Hit) bool { return slices.Contains(classes, h.Class) })
}

// First returns the first phrase of a class; ok is false where there is none.
func (s Sentence) First(c Class) (h Hit, ok bool) {
	for _, x := range s.Hits {
		if x.Class == c && (!ok || x.Start < h.Start || x.Start == h.Start && x.End > h.End) {
			h, ok = x, true
		}
	}
	return h, ok
}

// Question reports whether the sentence asks.
func (s Sentence) Question() bool {
	t := strings.TrimRight(s.Text, ")\"'*_` ”»」")
	if strings.HasSuffix(t, "?") || strings.HasSuffix(t, "？") {
		return true
	}
	switch s.Lang {
	case "ja":
		t = strings.TrimRight(t, "。")
		return strings.HasSuffix(t, "ですか") || strings.HasSuffix(t, "ますか") || strings.HasSuffix(t, "でしょうか") || strings.HasSuffix(t, "ましたか")
	case "zh":
		t = strings.TrimRight(t, "。")
		return strings.HasSuffix(t, "吗") || strings.HasSuffix(t, "呢")
	}
	return false
}

// Detect tells the language of a text, "en" where nothing speaks for another.
func Detect(text string) Lang {
	const most = 2000
	if len(text) > most {
		text = text[:most]
	}
	var han, kana, hangul, cyrillic, latin int
	for _, r := range text {
		switch {
		case r < 0x250:
			if unicode.IsLetter(r) {
				latin++
			}
		case unicode.Is(unicode.Cyrillic, r):
			cyrillic++
		case unicode.In(r, unicode.Hiragana, unicode.Katakana):
			kana++
		case unicode.Is(unicode.Hangul, r):
			hangul++
		case unicode.Is(unicode.Han, r):
			han++
		}
	}
	switch {
	case hangul > 0 && 3*hangul >= han+kana:
		return "ko"
	case kana > 0 && 8*(kana+han) >= latin:
		return "ja"
	case han > 0 && 8*han >= latin:
		return "zh"
	case cyrillic > 0 && 2*cyrillic >= latin:
		return "ru"
	case latin == 0:
		return "en"
	}
	return latinLang(text)
}

// latinLang tells languages by their commonest words.
func latinLang(text string) Lang {
	best, most := langs[0], 0
	var marked []rune // the marks of all languages are beyond ASCII
	for _, r := range text {
		if r >= utf8.RuneSelf {
			marked = append(marked, r)
		}
	}
	counts := [nLatin]int{}
	speaks := speaksFor()
	for r := readWords(text); r.next(); {
		for i, n := range speaks[r.word.text] {
			counts[i] += int(n)
		}
	}
	for i, l := range langs[:nLatin] {
		for _, r := range marked {
			if strings.ContainsRune(marks(l), r) {
				counts[i] += 4
			}
		}
		if counts[i] > most {
			best, most = l, counts[i]
		}
	}
	return best
}

// nLatin is how many of langs are written in Latin letters.
const nLatin = 5

// speaksFor holds how much a word speaks for each of these languages: 2 for one
// without content, 1 for one that a phrase begins with.
var speaksFor = sync.OnceValue(func() map[string][nLatin]uint8 {
	out := map[string][nLatin]uint8{}
	add := func(w string, lang int, n uint8) {
		points := out[w]
		points[lang] += n
		out[w] = points
	}
	for i, l := range langs[:nLatin] {
		t := tableOf(l)
		for w := range t.stop {
			add(w, i, 2)
		}
		for w := range t.exact {
			add(w, i, 1)
		}
	}
	return out
})

// marks are letters that tell a language.
func marks(l Lang) string {
	switch l {
	case "de":
		return "äöüßÄÖÜ"
	case "fr":
		return "èêçàùûœÉÀ"
	case "es":
		return "ñ¿¡"
	case "pt":
		return "ãõ"
	}
	return ""
}

// abbreviations end with a full stop that ends no sentence.
var abbreviations = []string{"e.g.", "i.e.", "etc.", "vs.", "cf.", "approx.", "resp.", "incl.", "z.b.", "bzw.", "d.h.", "usw.", "p.ej.",
	"no.", "nr.", "fig.", "mr.", "dr.", "st.", "т.е.", "т.д.", "p.ex."}

// Split parts a line of prose into sentences at full stops, question and
// exclamation marks. Stops in quotes, brackets, file names and versions end no
// sentence.
func Split(line string) []string {
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
			continue // "ok. but …": too short for a sentence
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
	return slices.Contains(abbreviations, last) || len(last) == 2 && last[0] >= '0' && last[0] <= '9' // "1."
}

// Unquoted blanks what is in `…`, "…" and “…”, at most 200 bytes each, so that
// quoted words give no orders. Lengths are kept.
func Unquoted(s string) string {
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

// closingQuote is what ends a quotation that r begins, or "".
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
