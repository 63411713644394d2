package filestore

import (
	"bytes"
	"context"
	"errors"
	"io"
	"runtime"

	"golang.org/x/sync/errgroup"
)

// segment is how much of a file one worker scans at a time.
const segment = 4 << 20

// scanFile scans a whole file of the given size, segments in parallel, and
// returns their batches in file order.
func scanFile(ctx context.Context, f io.ReaderAt, size int64) ([]batch, error) {
	return scanSegments(ctx, f, size, segment)
}

func scanSegments(ctx context.Context, f io.ReaderAt, size, segment int64) ([]batch, error) {
	batches := make([]batch, (size+segment-1)/segment)
	buffers := make(chan []byte, runtime.GOMAXPROCS(0))
	for range cap(buffers) {
		buffers <- nil
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(cap(buffers))
	for i := range batches {
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			buf := <-buffers
			defer func() { buffers <- buf }()
			from := int64(i) * segment
			data, off, err := readLines(f, from, min(from+segment, size), size, &buf)
			if err == nil {
				batches[i] = scanLines(data, off)
			}
			return err
		})
	}
	return batches, g.Wait()
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
