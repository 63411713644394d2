package tokens

import (
	"unicode"
	"unicode/utf8"

	"github.com/coppice-dev/coppice/message"
)

// Plain is the estimate by weights (docs/context.md): Han, kana and Hangul one
// token a character, other non-Latin letters a half, everything else a quarter
// per UTF-16 unit; rounded up per message. For Latin text it gives the numbers
// that session files written elsewhere agree on, so cuts are measured with it
// where they have to agree too.
type Plain struct{}

// quarters count in units of a quarter token.
const (
	perToken      = 4
	imageQuarters = ImageTokens * perToken
)

// Text counts a text by itself, rounded up.
func (Plain) Text(s string) int64 { return roundUp(quarters(s)) }

// Message counts one message, rounded up once. An image costs ImageTokens
// wherever it is.
func (Plain) Message(m *message.Message) int64 {
	var q int64
	parts(m, func(s string) { q += quarters(s) }, func(message.Image) { q += imageQuarters })
	return roundUp(q)
}

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
		q += plainWeight(r)
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

// plainWeight is what one non-ASCII character costs, in quarters.
func plainWeight(r rune) int64 {
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
