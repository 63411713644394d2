package mcp

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// maxLine is the longest message that is read, in bytes.
const maxLine = 16 << 20

var errLongLine = errors.New("a message is longer than 16 MiB")

// lines passes on the lines of a stream that can be messages. Programs print
// banners and logs where only messages belong; that is not a reason to
// disconnect.
type lines struct {
	io.Closer
	r    *bufio.Reader
	rest []byte
}

func newLines(in io.ReadCloser) *lines {
	return &lines{Closer: in, r: bufio.NewReaderSize(in, 64<<10)}
}

// Read reads only from messages.
func (l *lines) Read(p []byte) (int, error) {
	for len(l.rest) == 0 {
		line, err := l.line()
		if isMessage(line) {
			l.rest = line
		} else if err != nil {
			return 0, err
		}
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// line reads one line, its end included.
func (l *lines) line() ([]byte, error) {
	var line []byte
	for {
		part, err := l.r.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > maxLine:
			return nil, errLongLine
		case !errors.Is(err, bufio.ErrBufferFull):
			return line, err
		}
	}
}

func isMessage(line []byte) bool {
	line = bytes.TrimSpace(line)
	return len(line) > 0 && (line[0] == '{' || line[0] == '[')
}
