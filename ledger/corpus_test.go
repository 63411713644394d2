package ledger_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/ledger"
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
// place of each entry behind the header.
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
		if e, ok := session.ParseEntry(line); ok && e.Message() != nil {
			sources = append(sources, ledger.Source{EntryID: e.ID, Message: e.Message()})
			index = append(index, i)
		}
	}
	return sources, index
}
