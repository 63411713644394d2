package provider

import (
	"errors"
	"io"
)

// maxAnswer is how long a streamed answer may be, in bytes. No model writes that
// much in one answer; a server that never stops must not use up all memory.
const maxAnswer = 32 << 20

var errTooLong = errors.New("the answer is too long: it did not end within 32 MB")

// bounded reads at most left bytes and then fails.
type bounded struct {
	r    io.Reader
	left int
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLong
	}
	n, err := b.r.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
