package compaction_test

import (
	"path/filepath"
	"testing"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/internal/testkit/corpus"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/wire/dialects"
)

// Every real session opens, renders to requests that no vendor refuses, and
// compacts by extraction; what the model then sees is valid too.
func TestEveryRealSession(t *testing.T) {
	for _, file := range corpus.Files(t, "pi", "pi-mono-45215f90ff.jsonl") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			s := openFile(t, file)
			c := extractor(s, 200_000)
			before := remember(t, c)
			before.checkAccount(t, before.view)
			validate(t, before.view)
			keep := int64(2000)
			out, err := c.Compact(ctx, compaction.Request{Keep: &keep})
			if err != nil {
				t.Fatal(err)
			}
			if out.Status != compaction.Applied {
				t.Fatalf("%s (%s): %s", out.Status, out.Reason, out.Detail)
			}
			validate(t, before.check(t, out))
		})
	}
}

// validate renders a view in every dialect, as a command on a file does: for the
// model named on the path, with input still to come.
func validate(t *testing.T, v *timeline.View) {
	t.Helper()
	for _, d := range dialects.All() {
		body, err := d.Render(must.Get(v.Request(false)), message.Model{}, message.CallOptions{})
		if err != nil {
			t.Fatalf("%s: %v", d.Name(), err)
		}
		for _, p := range d.Validate(body, message.Model{}, true) {
			t.Errorf("%s: %s at %s: %s", d.Name(), p.Kind, p.Where, p.Detail)
		}
	}
}
