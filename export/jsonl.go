package export

import (
	"bufio"
	"context"
	"fmt"
	"io"

	"github.com/coppice-dev/coppice/session"
)

// Scope says how much of a log is exported.
type Scope int

// The scopes.
const (
	Path Scope = iota // from the root to a leaf, linked as one chain (session.Branch)
	Tree              // every branch (session.Whole)
)

// JSONL writes a log as a session file of format 3: the header h, completed by
// session.Header.Complete, then the entries. With Path the file ends with leaf
// (nil: the leaf of log) and the labels of its entries; with Tree, leaf is
// ignored.
func JSONL(ctx context.Context, log session.Log, leaf *session.Entry, scope Scope, h session.Header, w io.Writer) error {
	entries := session.Whole(ctx, log)
	if scope == Path {
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
