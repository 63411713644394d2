package terminal

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"
)

// Terminal is what one run of the program may do to a terminal. What it returns
// to be printed is marked with a key that no text can know; a Writer turns it
// into escape sequences. A nil Terminal does nothing: texts stay as they are.
type Terminal struct {
	mark   string // how a marked sequence begins
	colors bool
}

// New returns the Terminal of a process with an environment, or nil if the
// terminal only prints.
func New(getenv func(string) string) *Terminal {
	if getenv("TERM") == "dumb" {
		return nil
	}
	return &Terminal{mark: "\x1b_" + rand.Text() + ";", colors: getenv("NO_COLOR") == ""}
}

const (
	markEnd   = "\x1b\\"
	clearLine = "\r\x1b[K"
	plain     = "\x1b[m"
)

// Style colours a text. color is a number of the 256 colours; "": the terminal's own.
func (t *Terminal) Style(color, text string) string {
	if t == nil || !t.colors || color == "" || text == "" {
		return text
	}
	return t.mark + "38;5;" + color + markEnd + text + t.mark + "0" + markEnd
}

// ClearLine goes to the start of the line and clears it.
func (t *Terminal) ClearLine() string {
	if t == nil {
		return ""
	}
	return t.mark + "K" + markEnd
}

// sequenceOf is what a marked sequence stands for; "" for one of anybody else.
func (t *Terminal) sequenceOf(marked []byte) string {
	if t == nil {
		return ""
	}
	what, begun := bytes.CutPrefix(marked, []byte(t.mark))
	what, ended := bytes.CutSuffix(what, []byte(markEnd))
	if !begun || !ended {
		return ""
	}
	switch string(what) {
	case "K":
		return clearLine
	case "0":
		return plain
	}
	return "\x1b[" + string(what) + "m"
}

// Writer writes to a terminal what Clean leaves of a text, and what its
// Terminal has marked. It is safe for concurrent use.
type Writer struct {
	t  *Terminal
	to io.Writer

	mu   sync.Mutex
	held []byte // the beginning of a character or of a sequence
	out  []byte
}

// Writer returns a Writer for a terminal that to writes to.
func (t *Terminal) Writer(to io.Writer) *Writer { return &Writer{t: t, to: to} }

// longestHeld bounds how much of a sequence is held until its end comes: all
// marked ones are shorter.
const longestHeld = 64

// Write writes a piece of the output. A character may be cut in two between
// pieces, and a marked sequence, too.
func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	b := p
	if len(w.held) > 0 {
		b = append(w.held, p...)
	}
	rest := w.clean(b, false)
	w.held = bytes.Clone(rest)
	return len(p), w.flush()
}

// Close writes what was held for an end that has not come. The terminal stays
// open.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.clean(w.held, true)
	w.held = nil
	return w.flush()
}

func (w *Writer) flush() error {
	out := w.out
	w.out = w.out[:0]
	if len(out) == 0 {
		return nil
	}
	_, err := w.to.Write(out)
	return err
}

// clean appends to out what may be written of b, and returns what has to wait
// for more; nothing if this is the end.
func (w *Writer) clean(b []byte, end bool) (rest []byte) {
	for len(b) > 0 {
		if n := plainASCII(b); n > 0 {
			w.out, b = append(w.out, b[:n]...), b[n:]
			continue
		}
		if b[0] == escape {
			n, whole := sequence(b)
			if !whole && !end && len(b) < longestHeld {
				return b
			}
			w.out = append(w.out, w.t.sequenceOf(b[:n])...)
			b = b[n:]
			continue
		}
		if !end && !utf8.FullRune(b) {
			return b
		}
		r, n := utf8.DecodeRune(b)
		if !removed(r) {
			w.out = utf8.AppendRune(w.out, r)
		}
		b = b[n:]
	}
	return nil
}

// plainASCII is how much of the start of b is ASCII that can be written as it is.
func plainASCII(b []byte) int {
	for i, c := range b {
		if (c < ' ' && c != '\n' && c != '\t') || c >= 0x7f {
			return i
		}
	}
	return len(b)
}

// Escapes returns a Writer for JSON: characters inside its strings that would
// steer a terminal are written as escapes. Those below U+0020 already are.
func Escapes(to io.Writer) io.Writer { return &escapes{to: to} }

type escapes struct {
	to   io.Writer
	held []byte
}

func (e *escapes) Write(p []byte) (int, error) {
	b := append(e.held, p...)
	e.held = nil
	var out strings.Builder
	for len(b) > 0 {
		if n := plainASCII(b); n > 0 {
			out.Write(b[:n])
			b = b[n:]
			continue
		}
		if !utf8.FullRune(b) {
			e.held = bytes.Clone(b)
			break
		}
		r, n := utf8.DecodeRune(b)
		if r >= 0x7f && removed(r) {
			appendEscape(&out, r)
		} else {
			out.Write(b[:n])
		}
		b = b[n:]
	}
	_, err := io.WriteString(e.to, out.String())
	return len(p), err
}

// appendEscape writes a character as JSON escapes it: by the numbers of its
// UTF-16 code units.
func appendEscape(out *strings.Builder, r rune) {
	for _, u := range utf16.AppendRune(nil, r) {
		fmt.Fprintf(out, `\u%04x`, u)
	}
}
