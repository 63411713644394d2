// Package texts makes texts of the kinds that fill a model's context: prose in
// many languages, code, data, logs, and what tools print between them. They are
// drawn from a seed, so that a test can ask for other texts of the same kind.
package texts

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// Kind is one kind of text.
type Kind struct {
	Name  string
	piece func(g *source) // writes a piece: a sentence, a function, a line
}

// size is about how long a text is, in bytes.
const size = 6000

// Text draws a text of the kind. The same seed gives the same text.
func (k Kind) Text(seed uint64) string {
	g := &source{Rand: rand.New(rand.NewPCG(seed, uint64(len(k.Name))))}
	for g.Len() < size {
		k.piece(g)
	}
	return g.String()
}

// All are the kinds, by topic.
func All() []Kind {
	return slices.Concat(languages(), code(), data(), dense(), shapes())
}

// source draws the pieces of a text, and holds what is written.
type source struct {
	*rand.Rand
	strings.Builder
}

func (g *source) printf(format string, args ...any) { fmt.Fprintf(g, format, args...) }

func (g *source) one(of []string) string { return of[g.IntN(len(of))] }

// chars returns n characters of an alphabet.
func (g *source) chars(n int, alphabet string) string {
	runes := []rune(alphabet)
	out := make([]rune, n)
	for i := range out {
		out[i] = runes[g.IntN(len(runes))]
	}
	return string(out)
}

func (g *source) bytes(n int) []byte {
	out := make([]byte, n)
	for i := range out {
		out[i] = byte(g.Uint32())
	}
	return out
}

// between returns a number from least to most.
func (g *source) between(least, most int) int { return least + g.IntN(most-least+1) }

var (
	nouns = strings.Fields(`session request user file config cache window token message server client handler buffer
		index value result error response model branch commit test worker queue order invoice account payment
		report stream packet address version module package parser writer reader policy budget limit session
		summary entry label path root node tree list table column row key option setting event hook task`)
	verbs = strings.Fields(`get set read write load save open close parse build make create update delete find check
		send receive start stop render encode decode merge split count measure apply undo resolve validate`)
	adjectives = strings.Fields(`new old last first next open empty valid broken large small local remote default
		pending active current previous hidden shared internal maximum minimum`)
)

// words are n words joined by sep, in the given case.
func (g *source) name(n int, sep string, change func(i int, w string) string) string {
	parts := make([]string, n)
	for i := range parts {
		list := nouns
		switch {
		case i == 0 && n > 1:
			list = verbs
		case i < n-1:
			list = adjectives
		}
		parts[i] = change(i, g.one(list))
	}
	return strings.Join(parts, sep)
}

func title(w string) string { return strings.ToUpper(w[:1]) + w[1:] }

func (g *source) camel() string {
	return g.name(g.between(1, 3), "", func(i int, w string) string {
		if i == 0 {
			return w
		}
		return title(w)
	})
}

func (g *source) pascal() string {
	return g.name(g.between(1, 3), "", func(_ int, w string) string { return title(w) })
}

func (g *source) joined(sep string) string {
	return g.name(g.between(1, 3), sep, func(_ int, w string) string { return w })
}

func (g *source) upper() string {
	return g.name(g.between(1, 3), "_", func(_ int, w string) string { return strings.ToUpper(w) })
}

// phrase is a few English words.
func (g *source) phrase() string {
	return "the " + g.one(adjectives) + " " + g.one(nouns) + " of the " + g.one(nouns)
}

func (g *source) path() string {
	return g.one(strings.Fields("src internal lib pkg cmd web")) + "/" + g.one(nouns) + "/" + g.joined("_") +
		g.one(strings.Fields(".go .ts .py .json .md .rs"))
}

func (g *source) time() string {
	return fmt.Sprintf("2026-%02d-%02dT%02d:%02d:%02d.%03dZ", g.between(1, 12), g.between(1, 28), g.IntN(24), g.IntN(60), g.IntN(60), g.IntN(1000))
}
