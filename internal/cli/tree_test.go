package cli

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/coppice-dev/coppice/internal/testkit/amount"
	"github.com/coppice-dev/coppice/internal/testkit/history"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/memstore"
)

// quiet is an app that prints to out and knows no environment.
func quiet(out *bytes.Buffer) *app {
	return &app{Env: Env{Out: out, Err: out, Getenv: func(string) string { return "" }}}
}

// A tree is drawn with each shown entry on a line of its own, whatever the
// history and the filter; hidden ones are joined across.
func TestTreeShowsEachEntryOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		log, err := memstore.New(nil).Create(context.Background(), session.Header{Cwd: "/p"})
		if err != nil {
			t.Fatal(err)
		}
		history.New(t, session.New(log, session.Options{})).Turns(rapid.IntRange(0, 12).Draw(t, "turns"))
		var out bytes.Buffer
		a := quiet(&out)
		tree, err := a.readOutline(context.Background(), log)
		if err != nil {
			t.Fatal(err)
		}
		tree.show(rapid.SampledFrom(treeFilters).Draw(t, "filter"))
		a.printTree(tree)
		listed := tree.json().Entries
		if n := strings.Count(out.String(), "\n"); n != len(listed) {
			t.Fatalf("%d lines, %d entries shown", n, len(listed))
		}
		children, known := map[string]int{}, map[string]bool{}
		for _, e := range listed {
			if strings.Count("\n"+out.String(), "\n"+e.ID+" ") != 1 {
				t.Fatalf("%s is not on one line of\n%s", e.ID, out.String())
			}
			if e.ParentID != nil {
				if !known[*e.ParentID] {
					t.Fatalf("%s comes before its parent", e.ID)
				}
				children[*e.ParentID]++
			}
			known[e.ID] = true
		}
		for _, e := range listed {
			if e.Children != children[e.ID] {
				t.Fatalf("%s has %d children, says %d", e.ID, children[e.ID], e.Children)
			}
		}
	})
}

// Neither a long chain nor a comb of branches needs recursion or unlimited
// columns.
func TestTreeOfManyEntries(t *testing.T) {
	n := amount.Of(20_000, 100_000)
	chain := &outline{Tree: &session.Tree{Leaf: n - 1}}
	comb := &outline{Tree: &session.Tree{Leaf: n - 2}}
	for i := range n {
		one := node{id: fmt.Sprintf("%08x", i), kind: session.TypeMessage, preview: "x"}
		chain.nodes, comb.nodes = append(chain.nodes, one), append(comb.nodes, one)
		chain.Up = append(chain.Up, int32(i-1))
		comb.Up = append(comb.Up, int32(max(i-1-(i+1)%2, -1))) // every other entry is an end
	}
	for _, tree := range []*outline{chain, comb} {
		tree.onPath = tree.OnPath()
		tree.show("all")
		var out bytes.Buffer
		quiet(&out).printTree(tree)
		if got := strings.Count(out.String(), "\n"); got != n {
			t.Errorf("%d lines, want %d", got, n)
		}
		if out.Len() > n*200 {
			t.Errorf("%d bytes for %d lines", out.Len(), n)
		}
	}
}
