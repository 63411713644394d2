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
	w := &walker{in: b, list: list, yield: yield}
	if mark, _ := b.Peek(3); bytes.Equal(mark, []byte("\xef\xbb\xbf")) {
		_, _ = b.Discard(3) // they were peeked at
		w.base = 3
	}
	w.dec = newDecoder(b)
	return w
}

func newDecoder(r io.Reader) *jsontext.Decoder {
	return jsontext.NewDecoder(r, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

type walker struct {
	dec     *jsontext.Decoder
	in      io.Reader // what dec has not read yet
	base    int64     // of the decoder's offsets
	array   bool      // the document is a list
	list    string
	yield   func(Part, error) bool
	stopped bool // the caller wants no more parts
}

var errStopped = errors.New("stopped")

func (w *walker) top() error {
	switch w.dec.PeekKind() {
	case '{':
		return w.members()
	case '[':
		w.array = true
		return w.elements("")
	}
	if _, err := w.dec.ReadToken(); err != nil {
		return err
	}
	return errNoContainer
}

func (w *walker) members() error {
	if _, err := w.dec.ReadToken(); err != nil {
		return err
	}
	for w.dec.PeekKind() == '"' {
		name, err := w.dec.ReadToken()
		if err != nil {
			return err
		}
		if member := name.String(); member == w.list && w.dec.PeekKind() == '[' {
			err = w.elements(member)
		} else {
			err = w.value(member, false)
		}
		if err != nil {
			return err
		}
	}
	_, err := w.dec.ReadToken()
	return err
}

func (w *walker) elements(name string) error {
	if _, err := w.dec.ReadToken(); err != nil {
		return err
	}
	for {
		switch w.dec.PeekKind() {
		case ']':
			_, err := w.dec.ReadToken()
			return err
		case 0:
			_, err := w.dec.ReadToken()
			return err
		}
		if err := w.value(name, true); err != nil {
			return err
		}
	}
}

func (w *walker) value(name string, element bool) error {
	v, err := w.dec.ReadValue()
	if err != nil {
		return err
	}
	if !w.yield(Part{Name: name, Value: v, Element: element, Offset: w.offset()}, nil) {
		w.stopped = true
		return errStopped
	}
	return nil
}

// offset returns how far the document has been read.
func (w *walker) offset() int64 { return w.base + w.dec.InputOffset() }

// explain distinguishes a broken document from a file that cannot be read.
func (w *walker) explain(err error) error {
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, errNoContainer) {
		return &BrokenError{Offset: w.offset(), Err: err}
	}
	return err
}
