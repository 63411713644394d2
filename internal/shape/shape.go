// Package shape is the tree of a log with the type and the place of each entry,
// read without making the entries.
package shape

import (
	"context"

	"github.com/coppice-dev/coppice/session"
)

// Shape is a tree that knows the type and the place of each entry. Read an
// entry to show with Log.Find, by id and place.
type Shape struct {
	session.Tree
	Nodes []Node // in log order, as Up
}

// Node is an entry without its content.
type Node struct {
	ID   string
	Type session.Type
	At   int64 // as Entry.At
}

// reader is a log that has a faster way to read its shape, with the same
// result.
type reader interface {
	ReadShape(ctx context.Context) (*Shape, error)
}

// Read reads the tree of a log without making its entries, if the log can do
// that: in a file of any size it costs one pass over the bytes, and memory of a
// few dozen bytes for each entry.
func Read(ctx context.Context, log session.Log) (*Shape, error) {
	if r, ok := log.(reader); ok {
		return r.ReadShape(ctx)
	}
	s := &Shape{}
	t, err := session.ReadTree(ctx, log, func(_ int, e *session.Entry) error {
		s.Nodes = append(s.Nodes, Node{ID: e.ID, Type: e.Type, At: e.At})
		return nil
	})
	if err != nil {
		return nil, err
	}
	s.Tree = *t
	return s, nil
}
