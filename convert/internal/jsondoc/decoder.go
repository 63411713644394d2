package jsondoc

import (
	"errors"
	"fmt"
	"io"

	"github.com/coppice-dev/coppice/internal/rawjson"
)

// decoder reads the parts of a document one by one. It has read what comes
// before at; the rest of buf is read ahead.
type decoder struct {
	in     io.Reader
	buf    []byte
	at     int
	offset int64 // of buf[at] in the document
}

// faultError says where, counted from what was read last, JSON ends.
type faultError struct{ at int }

func (e *faultError) Error() string { return fmt.Sprintf("no JSON %d bytes further on", e.at) }

// more reads ahead. It fails with io.ErrUnexpectedEOF at the end.
func (d *decoder) more() error {
	const chunk = 64 << 10
	if d.at > 0 { // what was read is not needed any more
		d.buf = d.buf[:copy(d.buf, d.buf[d.at:])]
		d.at = 0
	}
	if cap(d.buf)-len(d.buf) < chunk {
		d.buf = append(make([]byte, 0, 2*cap(d.buf)+chunk), d.buf...)
	}
	n, err := io.ReadAtLeast(d.in, d.buf[len(d.buf):cap(d.buf)], 1)
	d.buf = d.buf[:len(d.buf)+n]
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// next returns the first byte from the i-th on that is not white space, and
// where it is.
func (d *decoder) next(i int) (byte, int, error) {
	for ; ; i++ {
		for d.at+i >= len(d.buf) {
			if err := d.more(); err != nil {
				return 0, i, err
			}
		}
		switch c := d.buf[d.at+i]; c {
		case ' ', '\t', '\n', '\r':
		default:
			return c, i, nil
		}
	}
}

// pass reads up to the i-th byte.
func (d *decoder) pass(i int) {
	d.at += i
	d.offset += int64(i)
}

// open reads the bracket with which an object or an array begins.
func (d *decoder) open() error {
	_, i, err := d.next(0)
	if err == nil {
		d.pass(i + 1)
	}
	return err
}

// item finds the next member or element of what is closed by a bracket; first
// says that none came before. It reads the bracket if none comes any more.
func (d *decoder) item(closing byte, first bool) (at int, ok bool, err error) {
	c, i, err := d.next(0)
	switch {
	case err != nil:
		return 0, false, err
	case c == closing:
		d.pass(i + 1)
		return 0, false, nil
	case first:
		return i, true, nil
	case c != ',':
		return 0, false, &faultError{i}
	}
	_, i, err = d.next(i + 1)
	return i, err == nil, err
}

// name reads the name of a member that begins at the i-th byte, and finds its
// value.
func (d *decoder) name(i int) (name string, at int, err error) {
	if c := d.buf[d.at+i]; c != '"' {
		return "", 0, &faultError{i}
	}
	v, err := d.value(i)
	if err != nil {
		return "", 0, err
	}
	name = rawjson.String(v)
	c, i, err := d.next(0)
	if err == nil && c != ':' {
		err = &faultError{i}
	}
	if err != nil {
		return "", 0, err
	}
	_, at, err = d.next(i + 1)
	return name, at, err
}

// value reads the value that begins at the i-th byte, nested as deeply as it
// may be. It is valid until more is read.
func (d *decoder) value(i int) ([]byte, error) {
	end, err := d.end(i)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	v, n := rawjson.First(d.buf[d.at+i : d.at+end])
	if v == nil {
		return nil, &faultError{i + n}
	}
	d.pass(i + n)
	return v, nil
}

// end returns where the value ends that begins at the i-th byte, if it is valid.
// It is the end of the document if the value does not end before.
func (d *decoder) end(i int) (int, error) {
	depth, quoted, escaped := 0, false, false
	for {
		for b := d.buf[d.at:]; i < len(b); i++ {
			switch c := b[i]; {
			case escaped:
				escaped = false
			case quoted && c == '\\':
				escaped = true
			case quoted && c != '"':
				for i+1 < len(b) && b[i+1] != '"' && b[i+1] != '\\' {
					i++
				}
			case c == '"':
				if quoted = !quoted; !quoted && depth == 0 {
					return i + 1, nil
				}
			case c == '{' || c == '[':
				depth++
			case c == '}' || c == ']':
				if depth--; depth <= 0 {
					return i + 1 + depth, nil // a bracket that was not opened is not of the value
				}
			case depth == 0 && (c == ',' || c == ':' || c == ' ' || c == '\t' || c == '\n' || c == '\r'):
				return i, nil
			}
		}
		if err := d.more(); err != nil {
			return i, err
		}
	}
}
