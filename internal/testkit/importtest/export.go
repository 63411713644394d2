package importtest

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/export"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/filestore"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/wire/dialects"
)

const longestID = 100 // of an entry, in bytes

// checkExports checks that a session can be written in every form: as a file that
// gives the same request, byte for byte, as Markdown, and as a page with every
// entry.
func checkExports(t testing.TB, s *coppice.Session) {
	t.Helper()
	ctx := t.Context()
	view := checkAccount(t, s)
	for _, tree := range []bool{false, true} {
		file := filepath.Join(t.TempDir(), "copy.jsonl")
		var b bytes.Buffer
		if err := export.JSONL(ctx, s.Log(), view.Leaf, session.Header{ID: "copy", Cwd: "/srv"}.Complete(now()), &b, export.JSONLOptions{Tree: tree}); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		log, err := filestore.New(t.TempDir(), filestore.Options{}).Open(ctx, file, session.Mode{})
		if err != nil {
			t.Fatal(err)
		}
		leaf := view.Leaf
		if !tree {
			leaf = nil // the file ends there
		}
		copied, err := engine(t, log).ViewAt(ctx, leaf)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(body(t, copied), body(t, view)) {
			t.Errorf("the copy (tree %v) gives another request", tree)
		}
		if err := log.Close(); err != nil {
			t.Error(err)
		}
	}
	var md, page bytes.Buffer
	if err := export.Markdown(ctx, s.Log(), view, &md, export.MarkdownOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := export.HTML(ctx, s.Log(), []*timeline.View{view}, &page, export.HTMLOptions{}); err != nil {
		t.Fatal(err)
	}
	quoted := map[string]bool{} // what is between two quotation marks of the page
	for part := range bytes.SplitSeq(page.Bytes(), []byte(`"`)) {
		if len(part) <= longestID {
			quoted[string(part)] = true
		}
	}
	for e, err := range s.Log().All(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		if !quoted[e.ID] {
			t.Errorf("the page lacks %s, a %s", e.ID, e.Type)
		}
	}
	if md.Len() == 0 {
		t.Error("nothing in Markdown")
	}
}

// body is the view's request to one provider.
func body(t testing.TB, v *timeline.View) []byte {
	t.Helper()
	d := dialects.All()[0]
	b, err := d.Render(must.Get(v.Request(false)), message.Model{}, message.CallOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return b
}
