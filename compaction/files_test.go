package compaction

import (
	"fmt"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/ledger"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/tokens"
)

func touched(class ledger.Class, path, note string, entries ...string) ledger.Fact {
	return ledger.Fact{Class: class, Key: path, Text: path, Note: note, Entries: entries}
}

func entries(ids ...string) []*session.Entry {
	var out []*session.Entry
	for _, id := range ids {
		e, _ := session.ParseEntry([]byte(`{"type":"label"}`))
		e.ID = id
		out = append(out, e)
	}
	return out
}

// The newest come first, and a line says what else happened to the file.
func TestFileListsAreNewestFirst(t *testing.T) {
	facts := &ledger.Ledger{Facts: []ledger.Fact{
		touched(ledger.FileRead, "a.go", "", "e1", "e9"), touched(ledger.FileRead, "b.go", "", "e2"),
		touched(ledger.FileModified, "z.go", "", "before"), touched(ledger.FileModified, "m.go", "", "e3"),
		touched(ledger.FileCreated, "n.go", "", "e8"), touched(ledger.FileDeleted, "d.go", "", "e5"),
		touched(ledger.FileMoved, "o.go", "p.go", "e4"),
	}}
	l := collectFiles(facts, nil, entries("e1", "e2", "e3", "e4", "e5"), entries("e8", "e9"))
	want := `<read-files>
a.go
b.go
</read-files>

<modified-files>
n.go (created)
d.go (deleted)
p.go
o.go (moved to p.go)
m.go
z.go
</modified-files>`
	got := l.text(tokens.Default{})
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	for class, s := range facts.Cover(got) {
		if s.Kept != s.Facts {
			t.Errorf("the lists hold %d of %d facts of class %s", s.Kept, s.Facts, class)
		}
	}
	if read, modified := l.sorted(); len(read) != 2 || strings.Join(modified, " ") != "d.go m.go n.go o.go p.go z.go" {
		t.Errorf("stored: %v %v", read, modified)
	}
}

// However many files there are, the text is bounded and counts the rest.
func TestFileListsAreBounded(t *testing.T) {
	facts := &ledger.Ledger{}
	for i := range 5000 {
		facts.Facts = append(facts.Facts, touched(ledger.FileModified, fmt.Sprintf("src/%d.go", i), "", "e1"))
	}
	text := collectFiles(facts, nil, entries("e1")).text(tokens.Default{})
	if n := (tokens.Default{}).Text(text); n > fileListTokens {
		t.Errorf("%d tokens", n)
	}
	shown := strings.Count(text, "src/")
	if want := fmt.Sprintf("(and %d more)", 5000-shown); !strings.Contains(text, want) {
		t.Errorf("%q is missing", want)
	}
}
