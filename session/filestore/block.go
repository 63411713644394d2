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
	data  []byte
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
// end of the file.
func readBlocks(ctx context.Context, f io.ReaderAt, from, to int64) ([]block, error) {
	n := max(1, (to-from)/lastBlock)
	step := (to - from + n - 1) / n
	blocks := make([]block, n)
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range blocks {
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			var buf []byte
			start := from + int64(i)*step
			data, off, err := readLines(f, start, min(start+step, to), to, &buf)
			if err == nil {
				blocks[i] = block{data: data, from: off, batch: scanLines(data, off)}
			}
			return err
		})
	}
	err := g.Wait()
	return slices.DeleteFunc(blocks, func(b block) bool { return len(b.data) == 0 }), err
}
