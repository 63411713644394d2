package peers

import (
	"path/filepath"
	"testing"

	"github.com/coppice-dev/coppice/compaction"
)

// pi sees the branch summary, the label and the leaf where Coppice put them,
// and goes on from there; so does Coppice with what pi wrote then.
func TestPiOpensBranches(t *testing.T) {
	for _, file := range sessions(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			s := open(t, copyOf(t, file), true)
			say(t, s, "one")
			path, err := s.Path(ctx, nil)
			if err != nil {
				t.Fatal(err)
			}
			old, target := path[len(path)-1], path[len(path)-4] // the answer, and the prompt before it
			navigate := func(n compaction.Navigation) *compaction.Navigated {
				out, err := compactor(s).Navigate(ctx, n)
				if err != nil || out.Status != compaction.Applied {
					t.Fatalf("%+v %v", out, err)
				}
				return out
			}
			out := navigate(compaction.Navigation{Target: target.ID, Summarize: new(true), Label: "here"})
			if out.Summary == nil || out.Route.EditorText != "one" {
				t.Fatalf("%+v", out)
			}
			written := s.Ref()
			s.Close()
			agree(t, written, pi(t, "read", written))
			agree(t, written, pi(t, "append", written))
			s = open(t, written, true)
			navigate(compaction.Navigation{Target: old.ID})
			s.Close()
			agree(t, written, pi(t, "read", written))
			s = open(t, written, true)
			merged, err := compactor(s).Merge(ctx, compaction.Merge{From: out.Leaf.ID})
			if err != nil || merged.Status != compaction.Applied {
				t.Fatalf("%+v %v", merged, err)
			}
			s.Close()
			agree(t, written, pi(t, "append", written))
		})
	}
}
