package opencode

import (
	"errors"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/coppice-dev/coppice/convert"
	"github.com/coppice-dev/coppice/internal/testkit/importtest"
	"github.com/google/go-cmp/cmp"
)

// The files of testdata:
//   - turns: every kind of part, a message of two steps, parallel calls, a
//     failed and a running one, signatures of four APIs, answers that failed;
//   - compactions: with and without a tail, one that failed and one that never
//     came to a summary, and the user gone back before them.
func TestImport(t *testing.T) {
	importtest.Golden(t, Importer, map[string]importtest.Result{
		"turns": {
			Counts: convert.Counts{Messages: 11, Calls: 3, Results: 2, Images: 2},
			Skipped: map[string]int{"agent": 1, "attachment of a result": 1, "extra": 1, "file reference": 1, "file snapshot": 1,
				"message of role system": 1, "patch": 1, "retry": 1, "signature of thinking": 1, "system prompt": 1, "text kept from the model": 1},
		},
		"compactions": {
			Counts:  convert.Counts{Messages: 5, Compactions: 2, Branches: 1},
			Skipped: map[string]int{"compaction without a summary": 2, "thinking of a compaction": 1},
		},
	})
}

func TestDescribe(t *testing.T) {
	src := importtest.File(t, "testdata/turns.json").Source
	h, err := Importer.Describe(t.Context(), src)
	if err != nil || h.ID != "ses_turns" || h.Cwd != "/srv/shop" || !h.Time.Equal(time.UnixMilli(1767225600000)) {
		t.Errorf("got %+v, %v", h, err)
	}
	src.Session = "ses_other"
	if _, err := Importer.Describe(t.Context(), src); !errors.Is(err, convert.ErrNoSession) {
		t.Errorf("another session: got %v", err)
	}
	for _, other := range []string{"", "{}", "[]", `{"info":{"id":"x"}}`, `{"info":`} {
		if _, err := Importer.Describe(t.Context(), importtest.Bytes("x.json", []byte(other)).Source); !errors.Is(err, convert.ErrNotOurs) {
			t.Errorf("%q: got %v", other, err)
		}
	}
}

// A document that is cut off gives what comes before the cut.
func TestCutOff(t *testing.T) {
	const doc = `{"info":{"id":"ses_1","time":{"created":1}},"messages":[
		{"info":{"id":"msg_1","role":"user","time":{"created":2}},"parts":[{"type":"text","text":"hi"}]},
		{"info":{"id":"msg_2","role":"assi`
	r := importtest.Import(t, Importer, importtest.Bytes("x.json", []byte(doc)))
	if d := cmp.Diff(map[string]int{"damaged end of the file": 1, "bytes that were not read": 38}, r.Skipped); d != "" || r.Counts.Messages != 1 {
		t.Errorf("%+v %s", r.Counts, d)
	}
}

func FuzzImport(f *testing.F) { importtest.Fuzz(f, Importer) }

// NUL bytes anywhere in a document lose the piece they are in, not what follows,
// and the skipped size is reported.
func TestDamageInTheMiddle(t *testing.T) {
	whole := importtest.Import(t, Importer, importtest.File(t, "testdata/turns.json")).Counts.Messages
	doc, err := os.ReadFile("testdata/turns.json")
	if err != nil {
		t.Fatal(err)
	}
	for at := 0; at+8 < len(doc); at += len(doc) / 40 {
		damaged := slices.Clone(doc)
		clear(damaged[at : at+8])
		r := importtest.Import(t, Importer, importtest.Bytes("x.json", damaged))
		if r.Counts.Messages < whole-5 || r.Skipped["bytes that were not read"] == 0 {
			t.Errorf("NUL bytes at %d: %+v %v", at, r.Counts, r.Skipped)
		}
	}
}
