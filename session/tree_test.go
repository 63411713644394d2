package session_test

import (
	"context"
	"slices"
	"testing"

	"github.com/coppice-dev/coppice/internal/shape"
	"github.com/coppice-dev/coppice/internal/testkit/history"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/memstore"
	"pgregory.net/rapid"
)

// The tree has every entry once, parents first, and its path is the session's.
func TestTreeAgreesWithParents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ctx := context.Background()
		log, err := memstore.New(nil).Create(ctx, session.Header{Cwd: "/p"})
		if err != nil {
			t.Fatal(err)
		}
		s := session.New(log, session.Options{})
		history.New(t, s).Turns(rapid.IntRange(0, 12).Draw(t, "turns"))

		var entries []*session.Entry
		tree, err := session.ReadTree(ctx, log, func(i int, e *session.Entry) error {
			entries = append(entries, e)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		var path []*session.Entry
		for i, on := range tree.OnPath() {
			if on {
				path = append(path, entries[i])
			}
		}
		want, err := s.Path(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(path, want) {
			t.Fatalf("path of %d entries, want %d", len(path), len(want))
		}
		for i, up := range tree.Up {
			parent, err := log.Parent(ctx, entries[i])
			if err != nil {
				t.Fatal(err)
			}
			if (up < 0) != (parent == nil) || up >= 0 && entries[up] != parent || int(up) >= i {
				t.Fatalf("entry %d: parent at %d", i, up)
			}
		}
	})
}

func TestShapeOfAnyLog(t *testing.T) {
	ctx := context.Background()
	log, err := memstore.New(nil).Create(ctx, session.Header{Cwd: "/p"})
	if err != nil {
		t.Fatal(err)
	}
	s := session.New(log, session.Options{})
	name, err := s.SetName(ctx, "a name")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.MoveTo(ctx, nil); err != nil {
		t.Fatal(err)
	}
	got, err := shape.Read(ctx, log)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Nodes) != 2 || got.Nodes[0] != (shape.Node{ID: name.ID, Type: session.TypeInfo, At: name.At}) ||
		!slices.Equal(got.Up, []int32{-1, -1}) || got.Leaf != 1 {
		t.Errorf("shape %+v", got)
	}
}
