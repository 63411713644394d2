package filestore

import (
	"context"
	"io"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"
)

// block is a stretch of whole lines that a lazy table was read from.
type block struct {
	any   bool // there are lines in it
	from  int64
	batch batch
}

// readBlocks reads the lines that begin in [from, to), in file order. A long
// stretch is read and scanned in parallel. to is where a line begins, or the
// end of the file. With scratch the bytes are let go again, to be read from its
// shelf; without, entries share the memory of a block: a walk towards the root
// uses nearly all of it.
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
				blocks[i] = block{from: off, batch: scanEntries(data, off, &w.outliner, w.shelf), any: true}
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
	buf      []byte
	outliner outliner
	shelf    *shelf // nil: buf is kept
}

func newScratch(shelf *shelf) *scratch {
	s := &scratch{free: make(chan *worker, runtime.GOMAXPROCS(0))}
	for range cap(s.free) {
		s.free <- &worker{shelf: shelf}
	}
	return s
}

func (s *scratch) take() *worker {
	if s == nil {
		return &worker{}
	}
	return <-s.free
}

func (s *scratch) give(w *worker) {
	if s != nil {
		s.free <- w
	}
}
