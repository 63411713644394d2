package tokens

import "github.com/coppice-dev/coppice/message"

// Vocabulary is a family of tokenizers. They differ little in ASCII and much
// in the scripts that they hold words of.
type Vocabulary uint8

// The vocabularies that weights are known of.
const (
	Unknown Vocabulary = iota // between the two, nearer to O200K
	O200K                     // since 2024: words of most living languages
	CL100K                    // before: words of English, and of little else
)

// weight is what a character of a script costs, by vocabulary: the first of a
// word or a symbol, and what follows it in the word or repeats it.
type weight struct{ first, more [3]uint16 }

// Classes estimates by classes of characters: pairs and runs of ASCII, scripts.
// It is within 0.7 and 1.5 of the count for every kind of text that
// bench/tokens knows.
type Classes struct{ Vocabulary Vocabulary }

// Counter counts a text that comes in pieces as c does.
func (c Classes) Counter() Counter { return Counter{vocabulary: c.Vocabulary} }

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
