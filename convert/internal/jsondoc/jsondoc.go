// Package jsondoc reads a JSON document that holds a whole session, without
// keeping it all in memory: it reads the members of the top object one by one,
// and the elements of its one long list one by one.
package jsondoc

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/go-json-experiment/json/jsontext"
)

// Part is a piece of a document.
type Part struct {
	Name    string         // name of the member of the top object; "" in a top array
	Value   jsontext.Value // valid until the next part is read
	Element bool           // Value is one element of the member's list
	Offset  int64          // bytes read so far
	Lost    int64          // bytes skipped because of damage; Value is then empty
}

// BrokenError says where a document stops being JSON, or that it is cut off.
type BrokenError struct {
	Offset int64
	Err    error
}

func (e *BrokenError) Error() string {
	return fmt.Sprintf("broken JSON from byte %d on: %v", e.Offset, e.Err)
}

// Unwrap returns the cause.
func (e *BrokenError) Unwrap() error { return e.Err }

var errNoContainer = errors.New("neither an object nor an array")

// Read walks a document: the members of its top object in order, those of the
// list with that name, or of a top array, element by element. An error ends
// the walk; what came before it is whole. If the document itself is at fault,
// the error is a *BrokenError. A byte-order mark is skipped.
func Read(r io.Reader, list string) iter.Seq2[Part, error] {
	return func(yield func(Part, error) bool) {
		w := walk(r, list, yield)
		if err := w.top(); err != nil && !w.stopped {
			yield(Part{}, w.explain(err))
		}
	}
}

func walk(r io.Reader, list string, yield func(Part, error) bool) *walker {
	b := bufio.NewReader(r)
	w := &walker{list: list, yield: yield, dec: decoder{in: b}}
	if mark, _ := b.Peek(3); bytes.Equal(mark, []byte("\xef\xbb\xbf")) {
		_, _ = b.Discard(3) // they were peeked at
		w.dec.offset = 3
	}
	return w
}

type walker struct {
	dec     decoder
	array   bool // the document is a list
	list    string
	yield   func(Part, error) bool
	stopped bool // the caller wants no more parts
}

var errStopped = errors.New("stopped")

func (w *walker) top() error {
	c, _, err := w.dec.next(0)
	switch {
	case err != nil:
		return err
	case c == '{':
		return w.members()
	case c == '[':
		w.array = true
		return w.elements("")
	}
	return errNoContainer
}

func (w *walker) members() error {
	if err := w.dec.open(); err != nil {
		return err
	}
	for first := true; ; first = false {
		at, ok, err := w.dec.item('}', first)
		if err != nil || !ok {
			return err
		}
		name, at, err := w.dec.name(at)
		if err != nil {
			return err
		}
		if name == w.list && w.dec.buf[w.dec.at+at] == '[' {
			w.dec.pass(at)
			err = w.elements(name)
		} else {
			err = w.value(name, at, false)
		}
		if err != nil {
			return err
		}
	}
}

func (w *walker) elements(name string) error {
	if err := w.dec.open(); err != nil {
		return err
	}
	for first := true; ; first = false {
		at, ok, err := w.dec.item(']', first)
		if err != nil || !ok {
			return err
		}
		if err := w.value(name, at, true); err != nil {
			return err
		}
	}
}

func (w *walker) value(name string, at int, element bool) error {
	v, err := w.dec.value(at)
	if err != nil {
		return err
	}
	if !w.yield(Part{Name: name, Value: v, Element: element, Offset: w.dec.offset}, nil) {
		w.stopped = true
		return errStopped
	}
	return nil
}

// explain distinguishes a broken document from a file that cannot be read.
func (w *walker) explain(err error) error {
	var fault *faultError
	if errors.As(err, &fault) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, errNoContainer) {
		return &BrokenError{Offset: w.dec.offset, Err: err}
	}
	return err
}
