package tokens

import (
	"strings"

	"github.com/coppice-dev/coppice/message"
)

// vocabulary is a family of tokenizers. They differ little in ASCII and much
// in the scripts that they hold words of.
type vocabulary uint8

const (
	unknown vocabulary = iota // between the two, nearer to o200k
	o200k                     // since 2024: words of most living languages
	cl100k                    // before: words of English, and of little else
)

// weight is what a character of a script costs, by vocabulary: the first of a
// word or a symbol, and what follows it in the word or repeats it.
type weight struct{ first, more [3]uint16 }

// Classes estimates by classes of characters: pairs and runs of ASCII, scripts.
// It is within 0.7 and 1.5 of the count for every kind of text that
// bench/tokens knows.
// The zero value is for a model whose tokenizer is not known; see For.
type Classes struct{ vocabulary vocabulary }

// For is the estimate for a model, by its name.
func For(m message.Model) Classes { return Classes{vocabularyOf(m.ID)} }

// vocabularyOf finds a model's vocabulary, also behind a router's prefix.
func vocabularyOf(id string) vocabulary {
	id = strings.ToLower(id[strings.LastIndexByte(id, '/')+1:])
	for _, v := range []struct {
		prefix string
		vocabulary
	}{
		{"gpt-4o", o200k}, {"gpt-4.", o200k}, {"gpt-4", cl100k}, {"gpt-3.5", cl100k}, {"gpt-35", cl100k}, {"gpt-", o200k}, {"chatgpt-", o200k},
		{"o1", o200k}, {"o3", o200k}, {"o4-", o200k}, {"codex-", o200k},
	} {
		if strings.HasPrefix(id, v.prefix) {
			return v.vocabulary
		}
	}
	return unknown
}

// Counter counts a text that comes in pieces as c does.
func (c Classes) Counter() Counter { return Counter{vocabulary: c.vocabulary} }

// Text counts a text by itself, rounded up.
func (c Classes) Text(s string) int64 {
	n := c.Counter()
	n.AddString(s)
	return n.Total()
}

// Message counts one message, rounded up once.
func (c Classes) Message(m *message.Message) int64 {
	n := c.Counter()
	parts(m, func(s string) { n.AddString(s); n.End() }, func(message.Image) { n.media += ImageTokens })
	return n.Total()
}
