package compaction

import (
	"fmt"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/internal/state"
	"github.com/coppice-dev/coppice/tokens"
)

func touched(life state.Life, path, note string, at int) state.Item {
	return state.Item{Kind: state.File, Key: path, Text: path, Life: life, Note: note, First: at, Last: at}
}

func filesOf(items ...state.Item) fileLists {
	l := fileLists{note: map[string]string{}}
	l.touch(&state.State{Items: items}, 10)
	l.settle()
	return l
}

// The newest come first, and a line says what else happened to the file. What
// stays in view is not listed.
func TestFileListsAreNewestFirst(t *testing.T) {
	again := touched(state.Current, "a.go", "read", 1)
	again.Last = 9
	l := filesOf(again, touched(state.Current, "b.go", "read", 2), touched(state.Current, "z.go", "modified", -1), touched(state.Current, "m.go", "modified", 3),
		touched(state.Current, "n.go", "created", 8), touched(state.Deleted, "d.go", "", 5), touched(state.Moved, "o.go", "p.go", 4), touched(state.Current, "p.go", "modified", 4),
		touched(state.Current, "later.go", "modified", 10))
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
	if read, modified := l.sorted(); len(read) != 2 || strings.Join(modified, " ") != "d.go m.go n.go o.go p.go z.go" {
		t.Errorf("stored: %v %v", read, modified)
	}
}

// However many files there are, the text is bounded and counts the rest.
func TestFileListsAreBounded(t *testing.T) {
	var items []state.Item
	for i := range 5000 {
		items = append(items, touched(state.Current, fmt.Sprintf("src/%d.go", i), "modified", 1))
	}
	text := filesOf(items...).text(tokens.Default{})
	if n := (tokens.Default{}).Text(text); n > fileListTokens {
		t.Errorf("%d tokens", n)
	}
	shown := strings.Count(text, "src/")
	if want := fmt.Sprintf("(and %d more)", 5000-shown); !strings.Contains(text, want) {
		t.Errorf("%q is missing", want)
	}
}
