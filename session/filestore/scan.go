package filestore

import (
	"bytes"
	"context"
	"errors"
	"io"
	"runtime"
	"sync"
)

// segment is how much of a file one worker scans at a time: small, so that
// what is read is still in the processor's cache when it is scanned.
const segment = 256 << 10

// stretch is a part of a file that consists of whole lines. Its memory is used
// again when the next one is looked at.
type stretch struct {
	batch
	data []byte
	from int64
	buf  []byte // where data lies
	err  error
}

// bytes returns the bytes of a record, or nil where it is not in the stretch.
func (s *stretch) bytes(r *record) []byte {
	at := r.off - s.from
	if end := at + r.n; at >= 0 && end <= int64(len(s.data)) {
		return s.data[at:end]
	}
	return nil
}

// scanFile scans a whole file of the given size, segments in parallel, and
// returns their batches in file order.
func scanFile(ctx context.Context, f io.ReaderAt, size int64) ([]batch, error) {
	return scanSegments(ctx, f, size, segment)
}

func scanSegments(ctx context.Context, f io.ReaderAt, size, segment int64) ([]batch, error) {
	batches := make([]batch, 0, (size+segment-1)/segment)
	err := stream(ctx, f, size, segment, func(s stretch) error {
		batches = append(batches, s.batch)
		return nil
	})
	return batches, err
}

// stream scans a file of the given size, segments in parallel, and calls each
// with every one of them in file order.
func stream(ctx context.Context, f io.ReaderAt, size, segment int64, each func(stretch) error) error {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	workers := runtime.GOMAXPROCS(0)
	buffers := make(chan []byte, workers+1) // one more than are filled, to be looked at
	for range cap(buffers) {
		buffers <- nil
	}
	results := make(chan chan stretch, cap(buffers))
	wg.Go(func() {
		defer close(results)
		for from := int64(0); from < size; from += segment {
			var buf []byte
			select {
			case buf = <-buffers:
			case <-ctx.Done():
				return
			}
			result := make(chan stretch, 1)
			results <- result // has room: there are no more results than buffers
			wg.Go(func() {
				s := stretch{}
				s.data, s.from, s.err = readLines(f, from, min(from+segment, size), size, &buf)
				if s.err == nil {
					s.batch = scanLines(s.data, s.from)
				}
				s.buf = buf
				result <- s
			})
		}
	})
	for result := range results {
		s := <-result
		if s.err == nil {
			s.err = each(s)
		}
		if s.err != nil {
			return s.err
		}
		buffers <- s.buf
	}
	return ctx.Err()
}

// readLines reads the lines that begin in [from, to), whole, into buf, and
// returns them with the offset of the first.
func readLines(f io.ReaderAt, from, to, size int64, buf *[]byte) ([]byte, int64, error) {
	start := max(from-1, 0) // a line begins at from when a LF stands before it
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
	for end := to; end < size && data[len(data)-1] != '\n'; {
		next := min(end+64<<10, size)
		n := len(data)
		if data, err = readInto(f, data, end, next); err != nil {
			return nil, 0, err
		}
		end = next
		if i := bytes.IndexByte(data[n:], '\n'); i >= 0 {
			data = data[:n+i+1]
		}
	}
	return data, start, nil
}

// readInto appends f[from:to] to buf.
func readInto(f io.ReaderAt, buf []byte, from, to int64) ([]byte, error) {
	n := len(buf)
	need := n + int(to-from)
	if cap(buf) < need {
		grown := make([]byte, n, need+need/8+64<<10)
		copy(grown, buf)
		buf = grown
	}
	buf = buf[:need]
	got, err := f.ReadAt(buf[n:], from)
	if got == need-n {
		return buf, nil // io.EOF at the very end is no error
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return buf[:n+got], err
}
