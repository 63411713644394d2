// Package prose tells what sentences say that people write to an agent, and
// agents to people, in English, German, French, Spanish, Portuguese, Russian,
// Chinese, Japanese and Korean: orders, reversals, refusals, proposals,
// reasons, filler. It knows phrases, no grammar; they are files in phrases/.
package prose

import (
	"embed"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

//go:embed phrases/*.txt
var files embed.FS

// Class is what a phrase does to the state of the work.
type Class uint8

// The classes. The names are the headings of the files in phrases/.
const (
	Stop     Class = iota // a word without content
	Filler                // asks for nothing
	GoOn                  // asks to go on
	Accept                // agrees
	Reject                // refuses
	Scrap                 // takes something back
	Instead               // puts something in the place of another
	Order                 // orders or forbids
	Need                  // says what is wanted, or has to be
	Forbid                // forbids
	Permit                // allows
	Limit                 // holds for one place or one time
	Restate               // says once more what holds
	Ask                   // asks for an answer, not for a change
	Reason                // says why
	Propose               // proposes
	Choose                // decides
	Ways                  // speaks of ways to choose from
	Defer                 // puts off
	Cause                 // says what was found
	Next                  // says what is left
	Announce              // announces the next call
	Done                  // says that something is finished
	classes
)

var classNames = [classes]string{"stop", "filler", "goon", "accept", "reject", "scrap", "instead", "order", "need", "forbid", "permit", "limit", "restate", "ask",
	"reason", "propose", "choose", "ways", "defer", "cause", "next", "announce", "done"}

// Lang is a language, by its two letters.
type Lang string

// langs are the languages that are known. Of the first ones words are parted
// by blanks.
var langs = []Lang{"en", "de", "fr", "es", "pt", "ru", "ko", "zh", "ja"}

// Spaced reports whether phrases of a language are made of whole words.
func (l Lang) spaced() bool { return l != "zh" && l != "ja" && l != "ko" }

// Hit is where a sentence has a phrase, in bytes.
type Hit struct {
	Class      Class
	Start, End int
}

// tok is a word of a phrase.
type tok struct {
	text   string
	prefix bool
	gap    bool // up to maxGap words before it
}

const maxGap = 6

type phrase struct {
	class Class
	toks  []tok
	first bool   // at the beginning of a sentence or clause only
	text  string // of languages that put no blanks between words
}

// table holds the phrases of a language.
type table struct {
	exact  map[string][]phrase // by first word
	prefix map[byte][]phrase   // whose first word is a beginning, by its first byte
	solid  []phrase            // for scripts without blanks
	stop   map[string]bool
}

// loaded are the tables of langs that were needed so far.
var loaded [9]struct {
	once  sync.Once
	table *table
}

// tableOf returns the phrases of a language; an unknown one has none.
func tableOf(l Lang) *table {
	i := slices.Index(langs, l)
	if i < 0 {
		return &table{}
	}
	at := &loaded[i]
	at.once.Do(func() { at.table = load(l) })
	return at.table
}

// load reads the phrases of a language. The files are part of the program.
func load(l Lang) *table {
	data, err := files.ReadFile("phrases/" + string(l) + ".txt")
	if err != nil {
		panic("prose: " + err.Error())
	}
	t := &table{exact: map[string][]phrase{}, prefix: map[byte][]phrase{}, stop: map[string]bool{}}
	class := classes
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "["):
			class = Class(slices.Index(classNames[:], strings.Trim(line, "[]")))
		case class == Stop:
			for _, w := range strings.Fields(line) {
				t.stop[w] = true
			}
		case class < classes:
			t.add(l, class, line)
		}
	}
	return t
}

func (t *table) add(l Lang, class Class, line string) {
	p := phrase{class: class}
	line, p.first = strings.CutPrefix(line, "^")
	if !l.spaced() {
		p.text = line
		t.solid = append(t.solid, p)
		return
	}
	gap := false
	for _, w := range strings.Fields(line) {
		if w == "…" {
			gap = true
			continue
		}
		for w != "" {
			part := w
			if n := elision(w); n > 0 {
				part = w[:n]
			}
			w = w[len(part):]
			text, prefix := strings.CutSuffix(part, "*")
			p.toks = append(p.toks, tok{text, prefix, gap})
			gap = false
		}
	}
	if p.toks[0].prefix {
		first := p.toks[0].text[0]
		t.prefix[first] = append(t.prefix[first], p)
		return
	}
	t.exact[p.toks[0].text] = append(t.exact[p.toks[0].text], p)
}

// matches finds the phrases that a sentence has.
func (t *table) matches(s string, words []word) []Hit {
	var hits []Hit
	for _, p := range t.solid {
		for from := 0; ; {
			i := strings.Index(s[from:], p.text)
			if i < 0 {
				break
			}
			at := from + i
			if !p.first || opensClause(s[:at]) {
				hits = append(hits, Hit{p.class, at, at + len(p.text)})
			}
			from = at + len(p.text)
		}
	}
	for i, w := range words {
		for _, p := range t.exact[w.text] {
			if end := p.at(words, i); end >= 0 {
				hits = append(hits, Hit{p.class, w.start, words[end].end})
			}
		}
		for _, p := range t.prefix[w.text[0]] {
			if end := p.at(words, i); end >= 0 {
				hits = append(hits, Hit{p.class, w.start, words[end].end})
			}
		}
	}
	return hits
}

// opensClause reports whether a clause begins after the text, in scripts
// without blanks.
func opensClause(before string) bool {
	before = strings.TrimRight(before, " ")
	r, _ := utf8.DecodeLastRuneInString(before)
	return before == "" || !wordRune(r)
}

// at returns the last word of the phrase where it begins at word i, or -1.
func (p phrase) at(words []word, i int) int {
	if p.first && !words[i].clause {
		return -1
	}
	at := i
	for k, t := range p.toks {
		if k > 0 {
			at++
		}
		last := at
		if t.gap {
			last = at + maxGap
		}
		for ; ; at++ {
			if at >= len(words) || at > last || t.gap && at > i && words[at].clause && at-1 > i && !connects(words[at-1].text) {
				return -1
			}
			if words[at].text == t.text || t.prefix && strings.HasPrefix(words[at].text, t.text) {
				break
			}
		}
	}
	return at
}
