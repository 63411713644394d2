package filestore

import (
	"context"
	"io"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"
)

// block is a stretch of whole lines that a lazy table was read from. Entries
// share its memory: a walk towards the root uses nearly all of it.
type block struct {
	any   bool   // there are lines in it
	data  []byte // nil: let go
	from  int64
	batch batch
}

// bytes returns the bytes of a record, or nil where it is in another block.
func (b *block) bytes(r *record) []byte {
	at := r.off - b.from
	if end := at + r.n; at >= 0 && end <= int64(len(b.data)) {
		return b.data[at:end:end]
	}
	return nil
}

// readBlocks reads the lines that begin in [from, to), in file order. A long
// stretch is read and scanned in parallel. to is where a line begins, or the
// end of the file. With scratch the bytes are let go again.
func readBlocks(ctx context.Context, f io.ReaderAt, from, to int64, scratch *scratch) ([]block, error) {
	n := max(1, (to-from)/blockSize)
	step := (to - from + n - 1) / n
	blocks := make([]block, n)
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range blocks {
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			w := scratch.take()
			defer scratch.give(w)
			start := from + int64(i)*step
			data, off, err := readLines(f, start, min(start+step, to), to, &w.buf)
			if err == nil && len(data) > 0 {
				blocks[i] = block{from: off, batch: scanOutlined(data, off, &w.seen, w.keep), any: true}
				if w.keep {
					blocks[i].data = data
				}
			}
			return err
		})
	}
	err := g.Wait()
	return slices.DeleteFunc(blocks, func(b block) bool { return !b.any }), err
}

// scratch is the memory of workers that keep no bytes, used again and again.
// The nil scratch gives each worker memory of its own, to be kept.
type scratch struct{ free chan *worker }

type worker struct {
	buf  []byte
	seen outliner
	keep bool // the bytes: then buf is not used again
}

func newScratch() *scratch {
	s := &scratch{free: make(chan *worker, runtime.GOMAXPROCS(0))}
	for range cap(s.free) {
		s.free <- &worker{}
	}
	return s
}

func (s *scratch) take() *worker {
	if s == nil {
		return &worker{keep: true}
	}
	return <-s.free
}

func (s *scratch) give(w *worker) {
	if s != nil {
		s.free <- w
	}
}
