package summarize

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/internal/state"
	"github.com/coppice-dev/coppice/internal/testkit/corpus"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/ledger"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/tokens"
)

// readSources reads the messages of a session file in file order.
func readSources(t *testing.T, name string) []ledger.Source {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []ledger.Source
	r := bufio.NewReaderSize(f, 1<<20)
	for n := 0; ; n++ {
		line, err := r.ReadBytes('\n')
		if rawjson.Valid(line) {
			if e, ok := session.ParseEntry(line); ok && must.Get(e.Message()) != nil {
				out = append(out, ledger.Source{EntryID: fmt.Sprint(n), Message: must.Get(e.Message())})
			}
		}
		if err != nil {
			return out
		}
	}
}

// Real sessions: an extraction within the usual limit holds every rule and all
// that is open, and is far smaller than what it replaces.
func TestExtractOfRealSessions(t *testing.T) {
	for _, name := range corpus.Files(t, "pi") {
		t.Run(filepath.Base(name), func(t *testing.T) {
			history := readSources(t, name)
			st := state.Fold(history, state.Options{})
			res := Extract(Input{History: history, State: st, MaxOutput: 13107})
			size, before := tokens.Default{}.Text(res.Summary), sizeOf(history)
			text := state.NewText(res.Summary)
			t.Logf("%d tokens of %d: %v", size, before, text.Cover(t.Context(), st, nil))
			if size > 13107 {
				t.Errorf("%d tokens", size)
			}
			assertSafe(t, res.Summary)
			for _, it := range text.Missing(t.Context(), st, nil) {
				t.Errorf("lost: %s", it.Line())
			}
			if wrong := text.Contradictions(t.Context(), st); len(wrong) > 0 {
				t.Errorf("contradicts its own state: %+v", wrong)
			}
		})
	}
}
