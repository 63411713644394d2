package jsondoc

import (
	"bytes"
	"errors"
	"io"
	"iter"
	"strings"

	"github.com/coppice-dev/coppice/internal/rawjson"
)

// Elements says how the elements of a list begin, so that the next one can be
// found after damage.
type Elements struct {
	List  string   // the member of the top object that holds them
	First []string // names of members that one begins with
	Is    func(v []byte) bool
}

// Salvage walks a document like Read. After damage it continues at the next
// whole element of the list: a part without a value says how many bytes were
// skipped. What follows the damage is held in memory.
func Salvage(r io.Reader, e Elements) iter.Seq2[Part, error] {
	return func(yield func(Part, error) bool) {
		w := walk(r, e.List, yield)
		for {
			err := w.top()
			if err == nil || w.stopped {
				return
			}
			var broken *BrokenError
			if err = w.explain(err); !errors.As(err, &broken) {
				yield(Part{}, err)
				return
			}
			from := w.dec.offset
			rest, fault, readErr := w.rest(broken)
			if readErr != nil {
				yield(Part{}, readErr)
				return
			}
			at := e.next(rest, fault)
			if at < 0 {
				yield(Part{}, err)
				return
			}
			if !yield(Part{Lost: int64(at), Offset: from + int64(at)}, nil) {
				return
			}
			w.resume(rest[at:], from+int64(at))
		}
	}
}

// rest is what follows the last whole part, with the place of the fault in it.
func (w *walker) rest(broken *BrokenError) (rest []byte, fault int, err error) {
	rest, err = io.ReadAll(io.MultiReader(bytes.NewReader(bytes.Clone(w.dec.buf[w.dec.at:])), w.dec.in))
	if err != nil {
		return nil, 0, err
	}
	if f := (*faultError)(nil); errors.As(broken, &f) {
		fault = f.at
	}
	return rest, min(fault, len(rest)), nil
}

// resume continues with an element of the list that begins at an offset.
func (w *walker) resume(rest []byte, at int64) {
	front := `{"` + w.list + `":[`
	if w.array {
		front = "["
	}
	w.dec = decoder{in: io.MultiReader(strings.NewReader(front), bytes.NewReader(rest)), offset: at - int64(len(front))}
}

// next finds the first whole element from a place on, or -1.
func (e Elements) next(b []byte, from int) int {
	for at := from; ; at++ {
		i := bytes.IndexByte(b[at:], '{')
		if i < 0 {
			return -1
		}
		at += i
		if !e.begins(b[at+1:]) {
			continue
		}
		if v, _ := rawjson.First(b[at:]); v != nil && e.Is(v) {
			return at
		}
	}
}

// begins reports whether one of the first names comes next.
func (e Elements) begins(b []byte) bool {
	b = bytes.TrimLeft(b[:min(len(b), 256)], " \t\r\n")
	for _, name := range e.First {
		if bytes.HasPrefix(b, []byte(`"`+name+`"`)) {
			return true
		}
	}
	return false
}
