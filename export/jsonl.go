package export

import (
	"bufio"
	"context"
	"fmt"
	"io"

	"github.com/coppice-dev/coppice/session"
)

// JSONLOptions are the choices of a JSONL export.
type JSONLOptions struct {
	Tree bool // every branch (session.Whole); else the path to the leaf, linked as one chain (session.Branch)
}

// JSONL writes a log as a session file of format 3: the header h, completed by
// session.Header.Complete, then the entries. Of a path, the file ends with leaf
// (nil: the leaf of log) and the labels of its entries; of a tree, leaf is
// ignored.
func JSONL(ctx context.Context, log session.Log, leaf *session.Entry, h session.Header, w io.Writer, opts JSONLOptions) error {
	entries := session.Whole(ctx, log)
	if !opts.Tree {
		if leaf == nil {
			var err error
			if leaf, err = log.Leaf(ctx); err != nil {
				return fmt.Errorf("export: %w", err)
			}
		}
		entries = session.Branch(ctx, log, leaf)
	}
	out := bufio.NewWriterSize(w, 1<<16)
	out.Write(h.Raw)
	out.WriteByte('\n')
	for e, err := range entries {
		if err != nil {
			return fmt.Errorf("export: %w", err)
		}
		raw, err := e.Raw()
		if err != nil {
			return fmt.Errorf("export: %w", err)
		}
		out.Write(raw)
		if err := out.WriteByte('\n'); err != nil {
			return fmt.Errorf("export: %w", err)
		}
	}
	if err := out.Flush(); err != nil { // the writer keeps the first error
		return fmt.Errorf("export: %w", err)
	}
	return nil
}
