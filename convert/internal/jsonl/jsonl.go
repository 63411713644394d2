// Package jsonl reads the files in which other agents keep one JSON object a
// line. It holds only one line in memory, and it salvages whole objects from a
// damaged line.
package jsonl

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/coppice-dev/coppice/convert"
	"github.com/coppice-dev/coppice/internal/kinds"
	"github.com/coppice-dev/coppice/internal/lines"
)

// maxLine is the length above which a line is skipped, in bytes. Real lines
// hold one tool output or one image.
const maxLine = 1 << 30

// keepBuffer is the largest buffer that is reused for the next line.
const keepBuffer = 4 << 20

// progressStep is how many bytes are between two reports of progress.
const progressStep = 256 << 10

// The kinds by which unreadable lines are counted.
const (
	KindDamaged = "damaged line"
	KindTooLong = "line too long"
)

// Options configure how a file is read.
type Options struct {
	// Starts are the bytes with which the agent's objects begin. They help
	// find a whole object after a torn one on the same line.
	Starts []string
	// Skip, if not nil, is called with the kind of each piece that cannot be
	// read.
	Skip func(kind string)
	// Read, if not nil, is called with how many bytes have been read.
	Read func(n int64)
}

// Objects walks the JSON objects of a file that have a string type, in order.
// An object is valid until the next step. The sequence ends with an error if
// the file cannot be read further.
func Objects(ctx context.Context, src convert.Source, o Options) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		f, err := src.Open()
		if err != nil {
			yield(nil, fmt.Errorf("open %s: %w", src.Path, err))
			return
		}
		defer f.Close()
		r := &reader{in: bufio.NewReaderSize(f, 64<<10), read: o.Read}
		for {
			line, tooLong, err := r.line(ctx)
			if tooLong {
				o.skip(KindTooLong)
			} else if !o.objects(line, yield) {
				return
			}
			if errors.Is(err, io.EOF) {
				r.report()
				return
			}
			if err != nil {
				yield(nil, fmt.Errorf("read %s: %w", src.Path, err))
				return
			}
		}
	}
}

func (o Options) skip(kind string) {
	if o.Skip != nil {
		o.Skip(kind)
	}
}

// reader reads lines of any length.
type reader struct {
	in       *bufio.Reader
	buf      []byte
	n        int64 // bytes read
	reported int64
	read     func(int64)
}

// line reads one line. What it returns is valid until the next call. A last
// line without LF comes with io.EOF.
func (r *reader) line(ctx context.Context) (line []byte, tooLong bool, err error) {
	first := r.n == 0
	if cap(r.buf) > keepBuffer {
		r.buf = nil
	}
	r.buf = r.buf[:0]
	for {
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
		part, err := r.in.ReadSlice('\n')
		r.n += int64(len(part))
		if r.n-r.reported >= progressStep {
			r.report()
		}
		if len(r.buf)+len(part) > maxLine {
			tooLong, r.buf = true, r.buf[:0]
		}
		if !tooLong {
			r.buf = append(r.buf, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if first {
			r.buf = bytes.TrimPrefix(r.buf, []byte("\xef\xbb\xbf"))
		}
		return r.buf, tooLong, err
	}
}

func (r *reader) report() {
	r.reported = r.n
	if r.read != nil {
		r.read(r.n)
	}
}

// maxTries bounds how many places of a damaged line are tried as the start of
// an object. Real damage has one.
const maxTries = 64

// objects yields what is on a line.
func (o Options) objects(line []byte, yield func([]byte, error) bool) bool {
	for tries := 0; tries < maxTries; tries++ {
		l := lines.Split(line)
		end := 0
		for _, rec := range l.Records {
			if !yield(line[rec.Start:rec.End], nil) {
				return false
			}
			end = rec.End
		}
		if l.Lost == 0 {
			return true
		}
		o.skip(KindDamaged)
		if l.Kind != kinds.ProblemDamagedLine {
			return true // whole JSON, but not one of the agent's objects
		}
		next := o.nextStart(line, end+1)
		if next < 0 {
			return true
		}
		line = line[next:]
	}
	return true
}

// nextStart returns the next place from at on where an object may begin, or
// -1.
func (o Options) nextStart(line []byte, at int) int {
	if at >= len(line) {
		return -1
	}
	found := -1
	for _, s := range o.Starts {
		if i := bytes.Index(line[at:], []byte(s)); i >= 0 && (found < 0 || at+i < found) {
			found = at + i
		}
	}
	return found
}

// Head walks the lines of the first bytes of a file. The last one may be cut
// off; what comes before the cut can still be read with rawjson.Fields.
func Head(head []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
		for line := range bytes.Lines(head) {
			if !lines.Blank(line) && !yield(line) {
				return
			}
		}
	}
}
