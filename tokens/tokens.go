// Package tokens says how big messages are: an estimate that needs no
// vocabulary, and the rules for trusting it beside what a provider measured.
package tokens

import (
	"unicode"
	"unicode/utf8"

	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
)

// Estimator counts tokens. Implementations are safe for concurrent use and
// monotone: more text never counts less.
type Estimator interface {
	// Text counts a text by itself.
	Text(s string) int64
	// Message counts one message, without what a wire format adds.
	Message(m *message.Message) int64
}

// ImageTokens is what an image costs wherever it stands, whatever the length
// of its encoding (spec/context.md).
const ImageTokens = 1200

// Margin is the factor on estimates where a hard limit must hold and no
// measured usage has calibrated them yet (invariants I5, I9).
const Margin = 1.15

// Hard is an estimate with the margin for hard limits, rounded up.
func Hard(estimate int64) int64 {
	return (estimate*115 + 99) / 100
}

// Default is the estimate by weights (spec/context.md, Sizes): Han, kana and
// Hangul one token a character, other non-Latin letters a half, everything
// else a quarter per UTF-16 unit; rounded up per message. For Latin text it
// gives the numbers that session files written elsewhere agree on.
type Default struct{}

// quarters count in units of a quarter token.
const (
	perToken      = 4
	imageQuarters = ImageTokens * perToken
)

// Text counts a text by itself, rounded up.
func (Default) Text(s string) int64 { return roundUp(quarters(s)) }

// Message counts one message, rounded up once.
func (Default) Message(m *message.Message) int64 {
	if m == nil {
		return 0
	}
	var q int64
	switch m.Role {
	case message.RoleBashExecution:
		if m.Bash != nil {
			q = quarters(m.Bash.Command) + quarters(m.Bash.Output)
		}
	case message.RoleCompactionSummary, message.RoleBranchSummary:
		q = quarters(m.Summary)
	case message.RoleSystem:
		q = contentQuarters(m.Content) + systemQuarters(m.System)
	default:
		q = contentQuarters(m.Content)
	}
	return roundUp(q)
}

func contentQuarters(content []message.Block) int64 {
	var q int64
	for _, b := range content {
		switch b := b.(type) {
		case message.Text:
			q += quarters(b.Text)
		case message.Thinking:
			q += quarters(b.Thinking)
		case message.Image:
			q += imageQuarters
		case message.ToolCall:
			q += quarters(b.Name) + quarters(string(b.Arguments))
		case message.Opaque:
			q += quarters(string(rawjson.JS(b.Raw)))
		}
	}
	return q
}

func systemQuarters(p *message.SystemPatch) int64 {
	if p == nil {
		return 0
	}
	var q int64
	for _, s := range p.Sections {
		if s.Text != nil {
			q += quarters(*s.Text)
		}
	}
	return q + toolQuarters(p.ToolsAdded)
}

func toolQuarters(tools []message.Tool) int64 {
	var q int64
	for _, t := range tools {
		q += quarters(string(rawjson.JS(message.EncodeTool(t))))
	}
	return q
}

// Tools counts tool definitions as compact JSON.
func Tools(tools []message.Tool) int64 { return roundUp(toolQuarters(tools)) }

func roundUp(q int64) int64 { return (q + perToken - 1) / perToken }

func quarters(s string) int64 {
	var q int64
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			// ASCII, which most text is: a quarter each.
			n := asciiPrefix(s[i:])
			q += int64(n)
			i += n
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		q += weight(r)
		i += size
	}
	return q
}

// asciiPrefix is the length of the ASCII text at the start of s, found eight
// bytes at a time.
func asciiPrefix(s string) int {
	n := 0
	for ; n+8 <= len(s); n += 8 {
		b := s[n : n+8]
		if (b[0]|b[1]|b[2]|b[3]|b[4]|b[5]|b[6]|b[7])&utf8.RuneSelf != 0 {
			break
		}
	}
	for n < len(s) && s[n] < utf8.RuneSelf {
		n++
	}
	return n
}

// weight is what one non-ASCII character costs, in quarters.
func weight(r rune) int64 {
	switch {
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
		return perToken
	case unicode.IsLetter(r) && !unicode.Is(unicode.Latin, r):
		return perToken / 2
	case r > 0xFFFF:
		return 2 // two UTF-16 units
	}
	return 1
}
