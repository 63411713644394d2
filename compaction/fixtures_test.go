package compaction_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/internal/testkit/corpus"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/filestore"
	"github.com/coppice-dev/coppice/summarize"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/tokens"
)

var ctx = context.Background()

// openFile opens a copy of a session file.
func openFile(t testing.TB, path string) *session.Session {
	t.Helper()
	dir := t.TempDir()
	own := filepath.Join(dir, filepath.Base(path))
	if err := os.WriteFile(own, must.Get(os.ReadFile(path)), 0o600); err != nil {
		t.Fatal(err)
	}
	log := must.Get(filestore.New(dir, filestore.Options{}).Open(ctx, own, session.Mode{Write: true}))
	t.Cleanup(func() { log.Close() })
	return session.New(log, session.Options{})
}

// claude is the model of the two fixtures, as catalogues know it.
var claude = message.Model{Window: 200_000, MaxOutput: 64_000}

func project(t testing.TB, s *session.Session, target int64) *timeline.View {
	t.Helper()
	v, err := timeline.Project(ctx, s, nil, timeline.Policy{Target: target})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Two sessions with the numbers of pi 1.6.0. Where one differs, the row says
// which ruling moves it. No window is known, so that nothing has to fit.
func TestReferenceCuts(t *testing.T) {
	large := filepath.Join(corpus.Dir(t, "pi"), "pi-mono-738b1fe617.jsonl")
	before := filepath.Join(corpus.Dir(t, "pi"), "pi-mono-45215f90ff.jsonl")
	tests := []struct {
		file               string
		keep               int64
		cut, turnStart     int // turnStart -1: not split
		summarized, prefix int
		kept               int64 // with the addresses of our copies replaced
		skip               compaction.Reason
	}{
		{large, 1, 1017, 986, 882, 31, 54, ""},
		{large, 1000, 1011, 986, 882, 25, 884, ""},
		{large, 20000, 837, 834, 730, 3, 20352, ""},
		{large, 100000, 27, 24, 23, 3, 96941, ""},
		{large, 1000000, 0, -1, 0, 0, 0, compaction.NothingToCompact},
		// The cut on a command starts a turn (design: rulings), as in 1.6.0.
		{before, 1, 1000, -1, 444, 0, 12802, ""},
		{before, 5000, 1000, -1, 444, 0, 12802, ""},
		{before, 20000, 946, 939, 383, 7, 19788, ""},
		{before, 1000000, 0, -1, 0, 0, 0, compaction.NothingToCompact},
	}
	for _, tt := range tests {
		s := openFile(t, tt.file)
		v := project(t, s, 0)
		p, err := compaction.MakePlan(compaction.PlanInput{View: v, Keep: &tt.keep})
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(tt.file)
		if p.Skip != tt.skip {
			t.Errorf("%s keep %d: skipped for %q, want %q", name, tt.keep, p.Skip, tt.skip)
			continue
		}
		if tt.skip != "" {
			continue
		}
		plain := must.Get(compaction.MakePlan(compaction.PlanInput{View: v, Keep: &tt.keep, Estimator: tokens.Plain{}}))
		if plain.Cut != p.Cut {
			t.Errorf("%s keep %d: cut %d, with the estimate of pi %d", name, tt.keep, p.Cut, plain.Cut)
		}
		cut, err := p.CutIndex(ctx, s.Log())
		if err != nil {
			t.Fatal(err)
		}
		turnStart := -1
		if p.Split {
			turnStart = cut - (p.Cut - indexOf(v.Path, p.TurnStart))
		}
		if cut != tt.cut || turnStart != tt.turnStart || len(p.History) != tt.summarized || len(p.Prefix) != tt.prefix || plain.KeptTokens != tt.kept {
			t.Errorf("%s keep %d: cut %d turn start %d summarized %d prefix %d kept %d, want %d %d %d %d %d", name, tt.keep,
				cut, turnStart, len(p.History), len(p.Prefix), plain.KeptTokens, tt.cut, tt.turnStart, tt.summarized, tt.prefix, tt.kept)
		}
	}
}

func indexOf(path []*session.Entry, e *session.Entry) int {
	for i, x := range path {
		if x == e {
			return i
		}
	}
	return -1
}

// Two estimates of pi 1.6.0, and the sums over all messages
// (a few tokens less than there: addresses were replaced in our copies).
func TestReferenceContexts(t *testing.T) {
	for file, want := range map[string]struct{ context, usage, all int64 }{
		"pi-mono-738b1fe617.jsonl": {177657, 177657, 124645},
		"pi-mono-45215f90ff.jsonl": {180820, 168018, 374970},
	} {
		s := openFile(t, filepath.Join(corpus.Dir(t, "pi"), file))
		size := must.Get(project(t, s, 0).Size(tokens.Plain{}, 0))
		if size.Measured == nil || *size.Measured != want.context || size.Usage != want.usage {
			t.Errorf("%s: measured %v, usage %d, want %d, %d", file, size.Measured, size.Usage, want.context, want.usage)
		}
		var all int64
		for e, err := range s.Log().All(ctx) {
			if err != nil {
				t.Fatal(err)
			}
			if e.Type == session.TypeMessage {
				all += tokens.Plain{}.Message(must.Get(e.Message()))
			}
		}
		if all != want.all {
			t.Errorf("%s: all messages %d tokens, want %d", file, all, want.all)
		}
	}
}

// piFiles counts files by pi's rule: the tools read, write and edit with a
// path; what was modified does not count as read.
func piFiles(in summarize.Input) (read, modified int) {
	touched := map[string]bool{} // and modified
	for _, src := range slices.Concat(in.History, in.Prefix) {
		for _, tc := range src.Message.ToolCalls() {
			path := rawjson.String(rawjson.Get(tc.Arguments, "path"))
			if path != "" && slices.Contains([]string{"read", "write", "edit"}, tc.Name) {
				touched[path] = touched[path] || tc.Name != "read"
			}
		}
	}
	for _, m := range touched {
		if m {
			modified++
		} else {
			read++
		}
	}
	return read, modified
}

// The file lists of those sessions by pi's rule: read, write and edit
// with a path. Ours hold more, because shell commands change files too
// (docs/compaction.md, File operations).
func TestReferenceFiles(t *testing.T) {
	tests := []struct {
		file                 string
		keep                 int64
		read, modified, more int // more: modified by all extractors, at least
	}{
		{"pi-mono-738b1fe617.jsonl", 20000, 7, 20, 21},
		{"pi-mono-738b1fe617.jsonl", 1000, 6, 23, 24},
		{"pi-mono-45215f90ff.jsonl", 20000, 2, 12, 13},
	}
	for _, tt := range tests {
		s := openFile(t, filepath.Join(corpus.Dir(t, "pi"), tt.file))
		p, err := compaction.MakePlan(compaction.PlanInput{View: project(t, s, 0), Settings: compaction.Settings{}, Model: claude, Keep: &tt.keep})
		if err != nil {
			t.Fatal(err)
		}
		if read, modified := piFiles(must.Get(p.Input())); read != tt.read || modified != tt.modified {
			t.Errorf("%s keep %d: %d read, %d modified by pi's rule, want %d and %d", tt.file, tt.keep, read, modified, tt.read, tt.modified)
		}
		c := &compaction.Compactor{Session: s, Settings: compaction.Settings{}}
		if l := must.Get(c.Losses(ctx, p)); len(l.Modified) < tt.more {
			t.Errorf("%s keep %d: %d modified by all extractors", tt.file, tt.keep, len(l.Modified))
		} else {
			t.Logf("%s keep %d: %d read, %d modified by all extractors", tt.file, tt.keep, len(l.Read), len(l.Modified))
		}
	}
}
