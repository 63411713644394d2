package gemini

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/coppice-dev/coppice/convert"
	"github.com/coppice-dev/coppice/internal/testkit/corpus"
	"github.com/coppice-dev/coppice/internal/testkit/importtest"
	"github.com/google/go-cmp/cmp"
)

// The files of testdata:
//   - chat: notices, a prompt with files in it, thoughts, parallel calls of
//     which two have one id, results of every form, a call that was refused and
//     one that was still running, a switch of the model;
//   - contents: after a compression, calls without ids, answered out of order.
func TestImport(t *testing.T) {
	importtest.Golden(t, Importer, map[string]importtest.Result{
		"chat": {
			Counts: convert.Counts{Messages: 9, Calls: 6, Results: 5, Images: 2},
			Skipped: map[string]int{"display of a result": 1, "file of type audio": 1, "notice of type error": 1, "notice of type info": 1,
				"part fileData": 1, "short form of a prompt": 1},
		},
		"contents": {
			Counts:  convert.Counts{Messages: 7, Calls: 3, Results: 3, Compactions: 1},
			Skipped: map[string]int{"content of role tool": 1, "part executableCode": 1},
		},
	})
}

func TestDescribe(t *testing.T) {
	src := importtest.File(t, "testdata/chat.json").Source
	h, err := Importer.Describe(t.Context(), src)
	if err != nil || h.ID != "b1946ac9-0000-4000-8000-000000000001" || h.Cwd != "" || !h.Time.Equal(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("got %+v, %v", h, err)
	}
	src.Session = "another"
	if _, err := Importer.Describe(t.Context(), src); !errors.Is(err, convert.ErrNoSession) {
		t.Errorf("another session: got %v", err)
	}
	for _, other := range []string{"", "{}", "[]", `[{"role":"system"}]`, `{"sessionId":`} {
		if _, err := Importer.Describe(t.Context(), importtest.Bytes("x.json", []byte(other)).Source); !errors.Is(err, convert.ErrNotOurs) {
			t.Errorf("%q: got %v", other, err)
		}
	}
}

// A document that is cut off gives what comes before the cut.
func TestCutOff(t *testing.T) {
	const doc = `{"sessionId":"s","startTime":"2026-01-01T00:00:00.000Z","messages":[{"type":"user","content":"hi"},{"type":"gem`
	r := importtest.Import(t, Importer, importtest.Bytes("x.json", []byte(doc)))
	if d := cmp.Diff(map[string]int{"damaged end of the file": 1, "bytes that were not read": 13}, r.Skipped); d != "" || r.Counts.Messages != 1 {
		t.Errorf("%+v %s", r.Counts, d)
	}
}

func FuzzImport(f *testing.F) { importtest.Fuzz(f, Importer) }

// Every real chat is imported completely.
func TestCorpus(t *testing.T) {
	for _, file := range corpus.Files(t, "gemini-cli") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			r := importtest.Import(t, Importer, importtest.File(t, file))
			if d := cmp.Diff(count(t, file), r.Counts); d != "" {
				t.Error(d)
			}
			importtest.Check(t, r.Session, false)
		})
	}
}

// count counts over a chat with another JSON reader.
func count(t *testing.T, file string) convert.Counts {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Messages []struct {
			Type      string
			ToolCalls []struct{ Result []any }
		}
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	var c convert.Counts
	for _, m := range doc.Messages {
		if m.Type == "user" || m.Type == "gemini" {
			c.Messages++
		}
		c.Calls += len(m.ToolCalls)
		for _, call := range m.ToolCalls {
			if len(call.Result) > 0 {
				c.Results++
				c.Messages++
			}
		}
	}
	return c
}

// NUL bytes anywhere in a chat lose the piece they are in, not what follows.
func TestDamageInTheMiddle(t *testing.T) {
	for _, name := range []string{"chat", "contents"} {
		doc, err := os.ReadFile("testdata/" + name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		whole := importtest.Import(t, Importer, importtest.Bytes("x.json", doc)).Counts.Messages
		for at := 0; at+4 < len(doc); at += len(doc) / 40 {
			damaged := slices.Clone(doc)
			clear(damaged[at : at+4])
			if at == 0 && name == "contents" {
				continue // without its first byte a list looks like an object
			}
			r := importtest.Import(t, Importer, importtest.Bytes("x.json", damaged))
			if r.Counts.Messages < whole-6 || r.Skipped["bytes that were not read"] == 0 {
				t.Errorf("%s, NUL bytes at %d: %+v %v", name, at, r.Counts, r.Skipped)
			}
		}
	}
}
