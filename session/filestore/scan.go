package filestore

import (
	"bytes"
	"context"
	"errors"
	"io"
	"runtime"
	"sync"

	"github.com/coppice-dev/coppice/internal/guard"
	"github.com/coppice-dev/coppice/session"
)

// segment is how much of a file one worker reads at a time. It is small, so
// that the bytes are still in the processor's cache when they are scanned.
const segment = 256 << 10

// stretch is a part of a file that consists of whole lines. Its memory is
// reused for the next one.
type stretch struct {
	batch
	data []byte
	err  error
	s    *scanner
}

// bytes returns the bytes of a record, or nil if it is not in the stretch.
func (s *stretch) bytes(r *record) []byte {
	at := r.off - s.from
	if end := at + int64(r.n); at >= 0 && end <= int64(len(s.data)) {
		return s.data[at:end]
	}
	return nil
}

// long reports whether the stretch has a line that is much longer than others. Its
// memory is not reused.
func (s *stretch) long() bool { return len(s.data) > 4*segment }

// scanners belong to the workers that read a file. There is one more than
// there are processors, so that one result can be used while the others go on.
type scanners chan *scanner

// newScanners returns scanners, each with its own reader from reader.
func newScanners(reader func() *session.Reader) scanners {
	all := make(scanners, runtime.GOMAXPROCS(0)+1)
	for range cap(all) {
		all <- &scanner{reader: reader()}
	}
	return all
}

// stream reads the lines that begin in a range of a file, several segments in
// parallel, and calls each with every stretch in file order. to is the start
// of a line, or the end of the file.
func (all scanners) stream(ctx context.Context, f io.ReaderAt, from, to, segment int64, each func(stretch) error) error {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	type job struct {
		*scanner
		at     int64
		result chan<- stretch
	}
	jobs, results := make(chan job), make(chan chan stretch, cap(all))
	for range min(int64(cap(all)), (to-from+segment-1)/segment) {
		wg.Go(func() { // keeps its stack from one segment to the next
			for j := range jobs {
				j.result <- j.stretch(f, j.at, min(j.at+segment, to), to)
			}
		})
	}
	wg.Go(func() {
		defer close(results)
		defer close(jobs)
		for at := from; at < to; at += segment {
			var s *scanner
			select {
			case s = <-all:
			case <-ctx.Done():
				return
			}
			result := make(chan stretch, 1)
			results <- result // does not block: there are no more results than scanners
			jobs <- job{s, at, result}
		}
	})
	var err error
	for result := range results {
		s := <-result
		if err == nil {
			err = s.err
		}
		if err == nil && len(s.data) > 0 {
			err = each(s)
		}
		if err != nil {
			cancel()
		}
		all <- s.s
	}
	if err == nil {
		err = guard.Ready(ctx)
	}
	return err
}

// stretch reads the lines that begin in [from, to).
func (s *scanner) stretch(f io.ReaderAt, from, to, size int64) stretch {
	data, off, err := readLines(f, from, to, size, &s.buf)
	out := stretch{data: data, err: err, s: s}
	if err == nil {
		out.batch = s.scan(data, off)
	}
	if s.reader != nil && s.reader.Far == nil && len(out.recs) > 0 || out.long() {
		s.buf = nil // the entries keep it, or it is needed for one line only
	}
	return out
}

// readLines reads the lines that begin in [from, to), whole, into buf, and
// returns them with the offset of the first.
func readLines(f io.ReaderAt, from, to, size int64, buf *[]byte) ([]byte, int64, error) {
	start := max(from-1, 0) // a line begins at from if a LF comes before it
	data, err := readInto(f, (*buf)[:0], start, to)
	*buf = data
	if err != nil {
		return nil, 0, err
	}
	if from > 0 {
		i := bytes.IndexByte(data, '\n')
		if i < 0 || start+int64(i)+1 >= to {
			return nil, to, nil
		}
		data, start = data[i+1:], start+int64(i)+1
	}
	if data[len(data)-1] == '\n' || to >= size {
		return data, start, nil
	}
	end, err := lineEnd(f, to, size)
	if err == nil {
		data, err = readInto(f, data, to, end)
	}
	if err != nil {
		return nil, 0, err
	}
	return data, start, nil
}

// lineEnd returns where the line ends that has the byte at an offset, after its
// LF. Looking first means that a long line is read into memory of its size.
func lineEnd(f io.ReaderAt, from, size int64) (int64, error) {
	var piece []byte
	for step := int64(4 << 10); from < size; step = min(2*step, segment) {
		data, err := readInto(f, piece[:0], from, min(from+step, size))
		if err != nil {
			return 0, err
		}
		if i := bytes.IndexByte(data, '\n'); i >= 0 {
			return from + int64(i) + 1, nil
		}
		from, piece = from+int64(len(data)), data
	}
	return size, nil
}

// muchMemory is from how many bytes on memory is asked for with care.
const muchMemory = 16 << 20

// memory returns n bytes. The collector lets garbage grow to the size of what is
// in use; with lines of this size that would be several copies of one line, so
// those that are not used any more are freed first.
func memory(n int) []byte {
	if n >= muchMemory {
		runtime.GC()
	}
	return make([]byte, n)
}

// readInto appends f[from:to] to buf.
func readInto(f io.ReaderAt, buf []byte, from, to int64) ([]byte, error) {
	n := len(buf)
	need := n + int(to-from)
	if cap(buf) < need {
		grown := memory(need + min(need/16, segment) + 8<<10)[:n]
		copy(grown, buf)
		buf = grown
	}
	buf = buf[:need]
	got, err := f.ReadAt(buf[n:], from)
	if got == need-n {
		return buf, nil // io.EOF at the very end is not an error
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return buf[:n+got], err
}
