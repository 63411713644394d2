package filestore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/internal/shape"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/session"
	"pgregory.net/rapid"
)

// treeText writes down a tree and what was handed out for it.
func treeText(tree *session.Tree, entries []*session.Entry) string {
	var b strings.Builder
	for i, e := range entries {
		fmt.Fprintf(&b, "%d under %d: %s %s at %d: %s\n", i, tree.Up[i], e.Type, e.ID, e.At, must.Get(e.Raw()))
	}
	fmt.Fprintf(&b, "leaf %d", tree.Leaf)
	return b.String()
}

// treeByParents is the tree as the log itself tells it, entry by entry.
func treeByParents(t *rapid.T, l *openLog) (*session.Tree, []*session.Entry) {
	tree := &session.Tree{Leaf: none}
	var entries []*session.Entry
	places := map[int64]int32{}
	for e, err := range l.All(bg) {
		if err != nil {
			t.Fatal(err)
		}
		parent, err := l.Parent(bg, e)
		if err != nil {
			t.Fatal(err)
		}
		up := int32(none)
		if parent != nil {
			up = places[parent.At]
		}
		places[e.At] = int32(len(entries))
		tree.Up, entries = append(tree.Up, up), append(entries, e)
	}
	leaf, err := l.Leaf(bg)
	if err != nil {
		t.Fatal(err)
	}
	if leaf != nil {
		tree.Leaf = int(places[leaf.At])
	}
	return tree, entries
}

// One pass over a file gives the same as its entries and their parents, wherever
// the file is cut, and leaves the log as a full reading does.
func TestOnePassIsTheTree(t *testing.T) {
	dir := t.TempDir()
	p := filepath.Join(dir, "s.jsonl")
	rapid.Check(t, func(t *rapid.T) {
		file := drawFile(t)
		if err := os.WriteFile(p, file, 0o600); err != nil {
			t.Fatal(err)
		}
		s := newStore(dir, Options{})
		fresh := func() *openLog {
			l, err := s.Open(bg, p, session.Mode{})
			if err != nil {
				t.Skip("needs a file that is a session")
			}
			return l.(*openLog)
		}
		full := fresh()
		defer full.Close()
		wrong, err := full.Problems(bg, true)
		if err != nil {
			t.Fatal(err)
		}
		tree, entries := treeByParents(t, full)
		want := treeText(tree, entries)

		once := fresh()
		defer once.Close()
		pass, whole, err := once.newPass(bg)
		if err != nil {
			t.Fatal(err)
		}
		if !whole {
			entries = nil
			pass.segment = rapid.Int64Range(1, int64(len(file))+10).Draw(t, "segment")
			pass.visit = func(e *session.Entry) error { entries = append(entries, e); return nil }
			if err := once.run(bg, pass); err != nil {
				t.Fatal(err)
			}
			read, err := once.tree(bg, pass, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := treeText(read, entries); got != want {
				t.Fatalf("one pass:\n%s\nwant:\n%s", got, want)
			}
		}
		if problems, _ := once.Problems(bg, true); !slices.Equal(problems, wrong) {
			t.Fatalf("problems %v, want %v", problems, wrong)
		}
		// Asked again the index is whole, and the answer is the same.
		entries = nil
		tree, err = session.ReadTree(bg, once, func(_ int, e *session.Entry) error {
			entries = append(entries, e)
			return nil
		})
		if got := treeText(tree, entries); err != nil || got != want {
			t.Fatalf("whole (%v):\n%s\nwant:\n%s", err, got, want)
		}
		again := fresh()
		defer again.Close()
		got, err := shape.Read(bg, again)
		if err != nil || got.Leaf != tree.Leaf || !slices.Equal(got.Up, tree.Up) {
			t.Fatalf("shape %+v (%v), want %+v", got, err, tree)
		}
		for i, n := range got.Nodes {
			if e := entries[i]; n != (shape.Node{ID: e.ID, Type: e.Type, At: e.At}) {
				t.Fatalf("node %d: %+v, entry %+v", i, n, e)
			}
		}
	})
}

// Entries held by a caller are the same objects during a pass and after it, and
// what is appended meanwhile is not part of the tree.
func TestOnePassNextToOthers(t *testing.T) {
	l := open(t, longSession(t, 1000), session.Mode{Write: true})
	leaf, err := l.Leaf(bg)
	if err != nil {
		t.Fatal(err)
	}
	var last *session.Entry
	tree, err := session.ReadTree(bg, l, func(i int, e *session.Entry) error {
		last = e
		if i == 0 {
			if _, err := l.Append(bg, []*session.Entry{entry("new", leaf.ID)}); err != nil {
				t.Error(err)
			}
		}
		return nil
	})
	if err != nil || len(tree.Up) != 1000 || tree.Leaf != 999 {
		t.Fatalf("%d entries, leaf %d (%v)", len(tree.Up), tree.Leaf, err)
	}
	if last != leaf {
		t.Error("the leaf became another object")
	}
	if now, err := l.Leaf(bg); err != nil || now.ID != "new" {
		t.Errorf("leaf %v (%v), want what was appended", now, err)
	}
	got, err := shape.Read(bg, l)
	if err != nil || len(got.Nodes) != 1001 || got.Leaf != 1000 {
		t.Errorf("%d entries, leaf %d (%v)", len(got.Nodes), got.Leaf, err)
	}
}

func TestOnePassStops(t *testing.T) {
	l := open(t, longSession(t, 3000), session.Mode{})
	ctx, cancel := context.WithCancel(bg)
	n := 0
	_, err := session.ReadTree(ctx, l, func(int, *session.Entry) error {
		n++
		cancel()
		return nil
	})
	if !errors.Is(err, context.Canceled) || n == 3000 {
		t.Errorf("%d entries, error %v", n, err)
	}
	if tree, err := session.ReadTree(bg, l, func(int, *session.Entry) error { return nil }); err != nil || len(tree.Up) != 3000 {
		t.Errorf("read again: %v", err)
	}
}
