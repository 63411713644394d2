package pi

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coppice-dev/coppice/convert"
	"github.com/coppice-dev/coppice/internal/testkit/importtest"
	"github.com/google/go-cmp/cmp"
)

// The files of testdata:
//   - relatives: oh-my-pi's title and header, its roles, an image kept elsewhere
//     and /clear; a hook's message of version 2, OpenClaw's entries, a branch;
//   - damaged: a byte-order mark, a lost parent, torn, joined, empty, repeated
//     and CRLF lines, a second header, an entry without an id, an id that is
//     used twice, a cut end;
//   - first: format 1 with a lost line, and two compactions.
func TestImport(t *testing.T) {
	importtest.Golden(t, Importer, map[string]importtest.Result{
		"relatives": {
			Counts: convert.Counts{Messages: 6, Compactions: 1, Branches: 1},
			Skipped: map[string]int{"header member additionalDirectories": 1, "image whose file is missing": 1,
				"message of role fileMention (kept, not shown to the model)": 1},
		},
		"damaged": {
			Counts: convert.Counts{Messages: 8, Branches: 3},
			Skipped: map[string]int{"damaged line": 3, "id of another entry (a new one was given)": 1, "line that repeats another": 1,
				"second header": 1},
		},
		"first": {
			Counts:  convert.Counts{Messages: 3, Compactions: 2},
			Skipped: map[string]int{"damaged line": 1},
		},
	})
}

// A file that has lost its header is not recognized, but can be named.
func TestWithoutHeader(t *testing.T) {
	src := importtest.File(t, "testdata/headless.jsonl")
	if Importer.Recognizes("x.jsonl", []byte("{}\n{}\n")) {
		t.Error("a file without a header is recognized")
	}
	if r := importtest.Import(t, Importer, src); r.Counts.Messages != 2 || r.Counts.Branches != 0 {
		t.Errorf("got %+v", r.Counts)
	}
}

func TestDescribe(t *testing.T) {
	src := importtest.File(t, "testdata/relatives.jsonl").Source
	h, err := Importer.Describe(t.Context(), src)
	if err != nil || h.ID != "0198f2aa-0000-7000-8000-000000000001" || h.Cwd != "/srv/shop" || h.ParentSession != "testdata/relatives.jsonl" ||
		!h.Time.Equal(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("got %+v, %v", h, err)
	}
	src.Session = "another"
	if _, err := Importer.Describe(t.Context(), src); !errors.Is(err, convert.ErrNoSession) {
		t.Errorf("another session: got %v", err)
	}
}

// An image in oh-my-pi's folder is imported, whether its file has bytes or text;
// only a hash may name a file.
func TestImagesKeptElsewhere(t *testing.T) {
	agent := t.TempDir()
	raw, text := strings.Repeat("a", 64), strings.Repeat("b", 64)
	for name, data := range map[string]string{raw: "\x89PNG\xff", text: "aGk=", "../secret": "x"} {
		path := filepath.Join(agent, "blobs", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b := newBlobs(filepath.Join(agent, "sessions", "-srv-shop", "s.jsonl"))
	for _, tt := range []struct {
		hash, want string
		ok         bool
	}{{raw, "iVBOR/8=", true}, {text, "aGk=", true}, {"../secret", "", false}, {strings.Repeat("c", 64), "", false}, {strings.Repeat("A", 64), "", false}} {
		if got, ok := b.read(tt.hash); got != tt.want || ok != tt.ok {
			t.Errorf("%s: got %q, %t", tt.hash, got, ok)
		}
	}
	if got, ok := newBlobs("s.jsonl").read(text); ok {
		t.Errorf("an image without a folder: %q", got)
	}
	r := reader{blobs: b}
	const head, tail = `{"role":"user","content":[{"type":"text","text":"x"},{"type":"image","data":"`, `","mimeType":"image/png"}]}`
	if d := cmp.Diff(head+"aGk="+tail, string(r.message([]byte(head+blobPrefix+text+tail)))); d != "" {
		t.Error(d)
	}
}

func FuzzImport(f *testing.F) { importtest.Fuzz(f, Importer) }
