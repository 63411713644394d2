package tokens

import (
	"encoding/binary"
	"unicode"
	"unicode/utf8"
	"unsafe"

	"github.com/coppice-dev/coppice/internal/media"
	"github.com/coppice-dev/coppice/message"
)

// Plain is the estimate by weights (docs/context.md): Han, kana and Hangul one
// token a character, other non-Latin letters a half, everything else a quarter
// per UTF-16 unit; rounded up per message. For Latin text it gives the same
// numbers as other programs that write session files, so cuts that must agree
// with theirs are measured with it.
type Plain struct{}

// Text counts a text by itself, rounded up.
func (Plain) Text(s string) int64 {
	var q quarters
	q.Add(bytesOf(s))
	return q.Total()
}

// Message counts one message, rounded up once. An image costs 1,200, wherever it is
// (docs/context.md).
func (Plain) Message(m *message.Message) int64 {
	var q quarters
	parts(m, func(s string) { q.Add(bytesOf(s)) }, func(message.Image) { q += media.Unknown * perToken })
	return q.Total()
}

// bytesOf returns the bytes of a string without a copy; they must only be read.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// quarters is a sum in quarters of a token.
type quarters int64

const perToken = 4

// Add adds the weight of each character.
func (q *quarters) Add(b []byte) {
	for i := 0; i < len(b); {
		if b[i] < utf8.RuneSelf {
			// ASCII, which most text is: a quarter each.
			n := asciiPrefix(b[i:])
			*q += quarters(n)
			i += n
			continue
		}
		r, size := utf8.DecodeRune(b[i:])
		*q += plainWeight(r)
		i += size
	}
}

// Total rounds up.
func (q *quarters) Total() int64 { return int64((*q + perToken - 1) / perToken) }

// asciiPrefix returns the length of the ASCII text at the start of b. It reads
// eight bytes at a time.
func asciiPrefix(b []byte) int {
	const highBits = 0x8080_8080_8080_8080
	n := 0
	for n+8 <= len(b) && binary.LittleEndian.Uint64(b[n:])&highBits == 0 {
		n += 8
	}
	for n < len(b) && b[n] < utf8.RuneSelf {
		n++
	}
	return n
}

// plainWeight returns the weight of one non-ASCII character.
func plainWeight(r rune) quarters {
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
