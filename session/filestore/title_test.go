package filestore

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/session"
)

// oh-my-pi keeps a title of fixed length in front of the header. It is
// neither an entry nor damage.
func TestTitleBeforeTheHeader(t *testing.T) {
	title := `{"type":"title","title":"work"}`
	title += strings.Repeat(" ", 255-len(title)) + "\n"
	file := filepath.Join(t.TempDir(), "s.jsonl")
	text := title + `{"type":"session","version":3,"id":"s1","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/p"}` + "\n" +
		`{"type":"message","id":"a","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":"hello"}}` + "\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	log, err := newStore(t.TempDir(), Options{}).Open(t.Context(), file, session.Mode{Write: true})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	problems, err := log.Problems(t.Context(), true)
	if err != nil || len(problems) > 0 || log.Header().ID != "s1" {
		t.Errorf("header %q, problems %v, %v", log.Header().ID, problems, err)
	}
	n := 0
	for _, err := range log.All(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	if n != 1 {
		t.Errorf("%d entries, want 1", n)
	}
	s := session.New(log, session.Options{})
	if _, err := s.SetName(t.Context(), "mine"); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(file); err != nil || !strings.HasPrefix(string(data), text) {
		t.Errorf("what stood there changed (%v)", err)
	}
}
