package pi

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/coppice-dev/coppice/convert"
	"github.com/coppice-dev/coppice/internal/testkit/corpus"
	"github.com/coppice-dev/coppice/internal/testkit/importtest"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/filestore"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/tokens"
)

// Every real session is imported completely: it has as much as an independent
// count of the file, and the entries that opening the file gives.
func TestEveryRealSession(t *testing.T) {
	for _, path := range corpus.Files(t, "pi", "pi-mono-45215f90ff.jsonl") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			r := importtest.Import(t, Importer, importtest.File(t, path))
			if want := count(t, path); r.Counts != want {
				t.Errorf("counts %+v, want %+v", r.Counts, want)
			}
			if len(r.Skipped) > 0 && !maps.Equal(r.Skipped, map[string]int{}) {
				t.Errorf("not carried: %v", r.Skipped)
			}
			same(t, path, r.Session)
			importtest.Check(t, r.Session, true)
		})
	}
}

// count reads a file by other means.
func count(t *testing.T, path string) convert.Counts {
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var c convert.Counts
	last := ""
	for d := json.NewDecoder(bytes.NewReader(data)); ; {
		var e struct {
			Type, ID, ParentID string
			Content            json.RawMessage
			Message            struct {
				Role    string
				Content json.RawMessage
			}
		}
		if err := d.Decode(&e); err == io.EOF {
			return c
		} else if err != nil {
			t.Fatal(err)
		}
		switch e.Type {
		case "message":
			c.Messages++
			if e.Message.Role == "toolResult" {
				c.Results++
			}
			c.Calls += blocks(e.Message.Content, "toolCall")
			c.Images += blocks(e.Message.Content, "image")
		case "custom_message", "branch_summary":
			c.Messages++
			c.Images += blocks(e.Content, "image")
		case "compaction":
			c.Compactions++
		}
		if e.ID != "" && e.Type != "session" {
			if last != "" && e.ParentID != last {
				c.Branches++
			}
			last = e.ID
		}
	}
}

func blocks(content []byte, typ string) int {
	var list []struct{ Type string }
	if json.Unmarshal(content, &list) != nil {
		return 0 // a text
	}
	n := 0
	for _, b := range list {
		if b.Type == typ {
			n++
		}
	}
	return n
}

// same checks that a session has the entries of a file, and nothing else but
// what is taken from the header of a file of format 1.
func same(t *testing.T, path string, s *session.Session) {
	log, err := filestore.New(t.TempDir(), filestore.Options{}).Open(t.Context(), path, session.Mode{})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	var want []*session.Entry
	for e, err := range log.All(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, e)
	}
	first := true
	for e, err := range s.Log().All(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if log.Header().Version < 2 && e.ID != want[0].ID && first {
			continue // the model and the thinking level of the header
		}
		if len(want) == 0 || e.ID != want[0].ID || !bytes.Equal(must.Get(e.Raw()), must.Get(want[0].Raw())) && !first {
			t.Fatalf("entry %s differs", must.Get(e.Raw()))
		}
		want, first = want[1:], false
	}
	if len(want) > 0 {
		t.Fatalf("%d entries are missing", len(want))
	}
	if log.Header().Version < 2 {
		return
	}
	// The import has the size of the original: what was measured, and what is
	// learned from it.
	was, is := sizeOf(t, session.New(log, session.Options{})), sizeOf(t, s)
	if was.Decision() != is.Decision() || was.Fixed != is.Fixed || was.Calibration != is.Calibration {
		t.Errorf("%d tokens with %d fixed, and %d with %d in the original", is.Decision(), is.Fixed, was.Decision(), was.Fixed)
	}
}

func sizeOf(t *testing.T, s *session.Session) timeline.Size {
	t.Helper()
	v, err := timeline.Project(t.Context(), s, nil, timeline.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	return must.Get(v.Size(tokens.Default{}, 0))
}
