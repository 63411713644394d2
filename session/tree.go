package session

import (
	"context"
	"errors"
	"fmt"

	"github.com/coppice-dev/coppice/internal/guard"
)

// Tree is the shape of a log: each entry by its place in log order, without its
// content. It takes a few bytes for each entry, so that a log of any size can
// be walked.
type Tree struct {
	Up   []int32 // the place of each entry's parent, always before it; -1: a root
	Leaf int     // where the conversation is; -1: the log is empty
}

// ReadTree reads the shape of a log in one pass. Each entry is handed to visit
// with its place and is not kept, so the caller takes from it what it needs. An
// error of visit ends the pass.
func ReadTree(ctx context.Context, log Log, visit func(i int, e *Entry) error) (*Tree, error) {
	if err := errors.Join(given(ctx, log), guard.Given("the visitor", visit)); err != nil {
		return nil, err
	}
	if r, ok := log.(treeReader); ok {
		return r.ReadTree(ctx, visit)
	}
	return readTree(ctx, log, visit)
}

// treeReader is a log that has a faster way to read its tree, with the same
// result.
type treeReader interface {
	ReadTree(ctx context.Context, visit func(i int, e *Entry) error) (*Tree, error)
}

func readTree(ctx context.Context, log Log, visit func(i int, e *Entry) error) (*Tree, error) {
	leaf, err := log.Leaf(ctx)
	if err != nil {
		return nil, err
	}
	t := &Tree{Leaf: -1}
	places := map[string]int32{} // the nearest entry of each id so far
	for e, err := range log.All(ctx) {
		if err != nil {
			return nil, err
		}
		up, err := parentPlace(ctx, log, e, places)
		if err != nil {
			return nil, err
		}
		i := len(t.Up)
		t.Up = append(t.Up, up)
		places[e.ID] = int32(i)
		if leaf != nil && e.ID == leaf.ID && (t.Leaf < 0 || e.At <= leaf.At) {
			t.Leaf = i
		}
		if err := visit(i, e); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// parentPlace finds the parent of e among the entries before it. Only if the
// named parent is not there is the log asked, which bridges damage: asking for
// every parent would make the log keep them all.
func parentPlace(ctx context.Context, log Log, e *Entry, places map[string]int32) (int32, error) {
	if up, ok := places[e.ParentID]; ok && e.ParentID != "" && e.ParentID != e.ID {
		return up, nil
	}
	if e.ParentID == "" {
		return -1, nil
	}
	p, err := log.Parent(ctx, e)
	if err != nil {
		return 0, fmt.Errorf("parent of %s: %w", e.ID, err)
	}
	if p == nil {
		return -1, nil
	}
	if up, ok := places[p.ID]; ok {
		return up, nil
	}
	return -1, nil
}

// OnPath marks the entries from the root to the leaf.
func (t *Tree) OnPath() []bool {
	on := make([]bool, len(t.Up))
	for i := t.Leaf; i >= 0 && i < len(on); i = int(t.Up[i]) {
		on[i] = true
	}
	return on
}
