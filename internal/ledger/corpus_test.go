package ledger_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/coppice-dev/coppice/internal/ledger"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/session"
)

// corpus returns the folder of real session files, which is optional.
func corpus(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if c := filepath.Join(filepath.Dir(dir), "shared", "corpus"); isDir(c) {
			return c
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Skip("corpus: not installed")
		}
		dir = up
	}
}

func isDir(p string) bool {
	st, err := os.Stat(p)
	return err == nil && st.IsDir()
}

// piSources reads the messages of a pi session in file order; index is the
// place of each entry after the header.
func piSources(t testing.TB, file string) (sources []ledger.Source, index []int) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(data, []byte("\n"))
	for i, line := range lines[1:] {
		if !rawjson.Valid(line) {
			continue
		}
		if e, ok := session.ParseEntry(line); ok && must.Get(e.Message()) != nil {
			sources = append(sources, ledger.Source{EntryID: e.ID, Message: must.Get(e.Message())})
			index = append(index, i)
		}
	}
	return sources, index
}

// The reference counts the files of this session by pi's rule: entries before
// index 837 and before index 1017.
func TestFileCountsOfARealSession(t *testing.T) {
	sources, index := piSources(t, filepath.Join(corpus(t), "pi", "pi-mono-738b1fe617.jsonl"))
	for _, tt := range []struct{ before, read, modified int }{{837, 7, 20}, {1017, 6, 23}} {
		n := 0
		for n < len(index) && index[n] < tt.before {
			n++
		}
		pi := ledger.Options{Extractors: []ledger.Extractor{ledger.PiFiles}}
		read, modified := ledger.Collect(sources[:n], pi).Files()
		if len(read) != tt.read || len(modified) != tt.modified {
			t.Errorf("before %d: %d read, %d modified, want %d and %d", tt.before, len(read), len(modified), tt.read, tt.modified)
		}
		allRead, allModified := ledger.Collect(sources[:n], ledger.Options{}).Files()
		known := map[string]bool{}
		for _, p := range append(allRead, allModified...) {
			known[p] = true
		}
		for _, p := range append(read, modified...) {
			if !known[p] {
				t.Errorf("%s is lost", p)
			}
		}
	}
}

// Every real session can be collected, and its carried ledger comes back.
func TestRealSessions(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(corpus(t), "pi", "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Skip("corpus: not installed")
	}
	for _, f := range files {
		t.Run(filepath.Base(f), func(t *testing.T) {
			sources, _ := piSources(t, f)
			l := ledger.Collect(sources, ledger.Options{})
			if len(l.Of(ledger.Request)) == 0 {
				t.Error("no request")
			}
			raw := l.Encode(0)
			if len(raw) > ledger.MaxCarried {
				t.Errorf("%d bytes carried", len(raw))
			}
			if back := ledger.Decode(raw); len(back.Of(ledger.Constraint)) != len(l.Of(ledger.Constraint)) {
				t.Error("constraints are not carried")
			}
		})
	}
}

func BenchmarkCollect(b *testing.B) {
	file := filepath.Join(corpus(b), "pi", "yinshi-0a84059557.jsonl")
	sources, _ := piSources(b, file)
	st, err := os.Stat(file)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(st.Size())
	for b.Loop() {
		ledger.Collect(sources, ledger.Options{})
	}
}

func BenchmarkMissing(b *testing.B) {
	sources, _ := piSources(b, filepath.Join(corpus(b), "pi", "pi-mono-738b1fe617.jsonl"))
	l := ledger.Collect(sources, ledger.Options{})
	text := bytes.Repeat([]byte("a summary that holds nothing of it, src/a.ts\n"), 1000)
	for b.Loop() {
		l.Missing(string(text))
	}
}
