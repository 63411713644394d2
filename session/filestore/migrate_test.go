package filestore

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coppice-dev/coppice/internal/kinds"
	"github.com/coppice-dev/coppice/internal/lines"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/internal/testkit/amount"
	"github.com/coppice-dev/coppice/internal/testkit/corpus"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/session"
)

const v1Header = `{"type":"session","id":"v1","timestamp":"2025-12-09T00:53:29.825Z","cwd":"/srv/p","provider":"anthropic","modelId":"m","thinkingLevel":"off","branchedFrom":"/old.jsonl"}`

func v1Message(text string) string {
	return fmt.Sprintf(`{"type":"message","timestamp":"2025-12-09T00:00:00.000Z","message":{"role":"user","content":%q}}`, text)
}

func v1Compaction(index int) string {
	return fmt.Sprintf(`{"type":"compaction","timestamp":"2025-12-09T00:00:00.000Z","summary":"s","firstKeptEntryIndex":%d,"tokensBefore":7}`, index)
}

// entries returns all entries of a log.
func entries(t testing.TB, l session.Log) []*session.Entry {
	t.Helper()
	var out []*session.Entry
	for e, err := range l.All(bg) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, e)
	}
	return out
}

func TestFormat1IsAChain(t *testing.T) {
	file := write(t, text(v1Header, v1Message("one"), v1Message("two"), v1Message("two"), v1Compaction(2)))
	l := open(t, file, session.Mode{})
	if l.Header().Version != 1 || l.Header().ParentSession != "/old.jsonl" {
		t.Errorf("header %+v", l.Header())
	}
	all := entries(t, l)
	if len(all) != 4 {
		t.Fatalf("%d entries, want 4: lines that are equal are not one entry here", len(all))
	}
	for i, e := range all {
		parent := ""
		if i > 0 {
			parent = all[i-1].ID
		}
		if !lines.IsOwnID(e.ID) || e.ParentID != parent {
			t.Errorf("entry %d: id %q, parent %q, want %q", i, e.ID, e.ParentID, parent)
		}
		if p, ok := session.ParseEntry(must.Get(e.Raw())); !ok || p.ID != e.ID || p.ParentID != parent || rawjson.Get(must.Get(e.Raw()), "firstKeptEntryIndex") != nil {
			t.Errorf("entry %d is not of format 3: %s", i, must.Get(e.Raw()))
		}
	}
	if kept := all[3].Compaction().FirstKeptEntryID; kept != all[1].ID {
		t.Errorf("keeps from %q, want the second entry", kept)
	}
	if again := all2ids(open(t, file, session.Mode{}), t); !slices.Equal(again, ids(all)) {
		t.Errorf("ids %q the first time, %q the second", ids(all), again)
	}
	if got := kindsOf(t, l); len(got) > 0 {
		t.Errorf("problems %q", got)
	}
}

func all2ids(l *openLog, t *testing.T) []string { return all(t, l) }

// firstKeptEntryIndex counts records from the header, which is 0; a damaged
// line is one.
func TestFirstKeptEntryIndex(t *testing.T) {
	tests := []struct {
		name  string
		lines []string
		want  int // index among the entries; -1: nothing is kept
	}{
		{"header", []string{v1Message("a"), v1Message("b"), v1Compaction(0)}, -1},
		{"first", []string{v1Message("a"), v1Message("b"), v1Compaction(1)}, 0},
		{"second", []string{v1Message("a"), v1Message("b"), v1Compaction(2)}, 1},
		{"itself", []string{v1Message("a"), v1Message("b"), v1Compaction(3)}, 2},
		{"later", []string{v1Message("a"), v1Compaction(3), v1Message("b")}, -1},
		{"out of range", []string{v1Message("a"), v1Message("b"), v1Compaction(9)}, -1},
		{"negative", []string{v1Message("a"), v1Compaction(-1)}, -1},
		{"after a damaged line", []string{v1Message("a")[:9], v1Message("b"), v1Message("c"), v1Compaction(3)}, 1},
		{"a damaged line", []string{v1Message("a"), v1Message("b")[:9], v1Message("c"), v1Compaction(2)}, 1},
		{"after a blank line", []string{v1Message("a"), "", v1Message("b"), v1Compaction(2)}, 1},
		{"after joined ones", []string{v1Message("a") + v1Message("b"), v1Message("c"), v1Compaction(3)}, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			all := entries(t, open(t, write(t, text(append([]string{v1Header}, tt.lines...)...)), session.Mode{}))
			want := ""
			if tt.want >= 0 {
				want = all[tt.want].ID
			}
			for _, e := range all {
				if c := e.Compaction(); c != nil && c.FirstKeptEntryID != want {
					t.Errorf("keeps from %q, want %q of %q", c.FirstKeptEntryID, want, ids(all))
				}
			}
		})
	}
}

// The ids of the entries that can be read do not depend on a damaged one.
func TestDerivedIDsAreStableUnderDamage(t *testing.T) {
	lines := []string{v1Header, v1Message("a"), v1Message("b"), v1Message("c")}
	whole := all(t, open(t, write(t, text(lines...)), session.Mode{}))
	lines[2] = lines[2][:20]
	damaged := open(t, write(t, text(lines...)), session.Mode{})
	if got := all(t, damaged); !slices.Equal(got, []string{whole[0], whole[2]}) {
		t.Errorf("got %q of %q", got, whole)
	}
	checkPath(t, "damaged", damaged, whole[0]+" "+whole[2])
}

// A file of format 1 is never appended to: what follows goes into a session of
// format 3 next to it.
func TestFormat1IsContinuedNextToIt(t *testing.T) {
	now := time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)
	before := text(v1Header, v1Message("one"), v1Message("two"), v1Compaction(2))
	file := write(t, before)
	s := newStore(filepath.Dir(file), Options{Now: func() time.Time { return now }})
	l, err := s.Open(bg, file, session.Mode{Write: true})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	leaf, err := l.Leaf(bg)
	if err != nil {
		t.Fatal(err)
	}
	old := ids(entries(t, l))
	e := entry("n", leaf.ID)
	mustAppend(t, l, e)
	if content(t, file) != before {
		t.Error("the old file was changed")
	}
	if l.Ref() == file || filepath.Dir(l.Ref()) != filepath.Dir(file) || !strings.Contains(l.Ref(), "2025-12-09T00-53-29-825Z_") {
		t.Errorf("ref %s", l.Ref())
	}
	h := l.Header()
	if h.ID == "v1" || h.Version != 3 || h.ParentSession != file || h.Cwd != "/srv/p" || !h.Time.Equal(now) ||
		rawjson.String(rawjson.Get(h.Raw, "modelId")) != "m" {
		t.Errorf("header %s", h.Raw)
	}
	want := strings.Join(append(old, "n"), " ")
	checkPath(t, "path", l, want)
	if p, err := l.Parent(bg, leaf); err != nil || p.ID != old[1] {
		t.Errorf("parent of an entry from before: %v, %v", p, err)
	}
	if got, err := l.Find(bg, "n", e.At); err != nil || got != e {
		t.Errorf("find: %v, %v", got, err)
	}
	mustAppend(t, l, entry("m", "n"))
	l.Close()
	again := open(t, l.Ref(), session.Mode{Write: true})
	checkPath(t, "reopened", again, want+" m")
	if got := kindsOf(t, again); len(got) > 0 {
		t.Errorf("problems %q", got)
	}
	if c := entries(t, again)[2].Compaction(); c.FirstKeptEntryID != old[1] {
		t.Errorf("keeps from %q, want %q", c.FirstKeptEntryID, old[1])
	}
}

// Each write through the old path goes into the one session that continues the
// file; a copy, and one that has grown, have another.
func TestFormat1IsContinuedOnce(t *testing.T) {
	file := write(t, text(v1Header, v1Message("one")))
	say := func(file, id string) string {
		l := open(t, file, session.Mode{Write: true})
		leaf := must.Get(l.Leaf(bg))
		mustAppend(t, l, entry(id, leaf.ID))
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		return l.Ref()
	}
	next := say(file, "n")
	for _, id := range []string{"m", "o"} {
		if again := say(file, id); again != next {
			t.Errorf("written to %s, want %s", again, next)
		}
	}
	if got := all(t, open(t, next, session.Mode{})); !slices.Equal(got[1:], []string{"n", "m", "o"}) {
		t.Errorf("entries %q", got)
	}
	old := open(t, file, session.Mode{})
	if got := kindsOf(t, old); !slices.Equal(got, []string{kinds.ProblemContinued + "@0"}) || len(all(t, old)) != 1 {
		t.Errorf("read through the old path: %q, %q", got, all(t, old))
	}
	held := open(t, next, session.Mode{Write: true})
	var locked *session.LockedError
	if _, err := newStore("", Options{}).Open(bg, file, session.Mode{Write: true}); !errors.As(err, &locked) {
		t.Errorf("a second writer: %v", err)
	}
	held.Close()
	dup := filepath.Join(filepath.Dir(file), "copy.jsonl")
	if err := os.WriteFile(dup, []byte(content(t, file)), 0o600); err != nil {
		t.Fatal(err)
	}
	of := say(dup, "n")
	appendRaw(t, file, text(v1Message("two")))
	grown := say(file, "n")
	if of == next || grown == next || of == grown {
		t.Errorf("of a copy %s, of a file that has grown %s", of, grown)
	}
}

func TestFormat1FailsToContinue(t *testing.T) {
	file := write(t, text(v1Header, v1Message("one")))
	s, disk := faulty(filepath.Dir(file), Options{})
	l, err := s.Open(bg, file, session.Mode{Write: true})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	before := path(t, l)
	disk.ReadOnly()
	if _, err := l.Append(bg, []*session.Entry{entry("n", before[0])}); err == nil {
		t.Fatal("append to a read-only disk succeeded")
	}
	if got := path(t, l); !slices.Equal(got, before) || l.Ref() != file {
		t.Errorf("path %q in %s", got, l.Ref())
	}
	disk.Heal()
	mustAppend(t, l, entry("n", before[0]))
	checkPath(t, "retry", l, before[0]+" n")
}

func TestFormat2IsReadAsItIs(t *testing.T) {
	lines := chain(2)
	lines[0] = strings.Replace(lines[0], `"version":3`, `"version":2`, 1)
	lines = append(lines, `{"type":"message","id":"h","parentId":"e1","timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"hookMessage","customType":"x","content":"c","timestamp":1}}`)
	file := write(t, text(lines...))
	l := open(t, file, session.Mode{Write: true})
	checkPath(t, "path", l, "e0 e1 h")
	leaf, _ := l.Leaf(bg)
	if m := must.Get(leaf.Message()); m.Role != "custom" {
		t.Errorf("role %q, want custom", m.Role)
	}
	mustAppend(t, l, entry("n", "h"))
	if l.Ref() != file || !strings.HasPrefix(content(t, file), text(lines...)) {
		t.Error("the file was not simply appended to")
	}
}

func TestCorpus(t *testing.T) {
	counts := map[string]int{"pi-mono-45215f90ff": 1002, "pi-mono-738b1fe617": 1018}
	for _, file := range corpus.Files(t, "pi", "pi-mono-45215f90ff.jsonl", "pi-mono-738b1fe617.jsonl") {
		name := strings.TrimSuffix(filepath.Base(file), ".jsonl")
		t.Run(name, func(t *testing.T) {
			before := content(t, file)
			l := open(t, file, session.Mode{})
			all := entries(t, l)
			want, ok := counts[name]
			if !ok {
				want = strings.Count(before, "\n") - 1
			}
			if len(all) != want {
				t.Errorf("%d entries, want %d", len(all), want)
			}
			for _, p := range kindsOf(t, l) {
				if !strings.HasPrefix(p, kinds.ProblemJoinedLine) {
					t.Errorf("problem %s", p)
				}
			}
			if !amount.Full() && len(before) > 1<<19 {
				return // what follows reads the file many times
			}
			dir := t.TempDir()
			checkLazyIsIndexed(t, dir, []byte(before))
			checkNothingLost(t, dir, []byte(before))
		})
	}
}

// Compactions of a real file of format 1 keep from where pi says they do.
func TestCorpusCompactions(t *testing.T) {
	all := entries(t, open(t, filepath.Join(corpus.Dir(t, "pi"), "pi-mono-45215f90ff.jsonl"), session.Mode{}))
	got := map[int]int{}
	for i, e := range all {
		if c := e.Compaction(); c != nil {
			got[i] = slices.IndexFunc(all, func(e *session.Entry) bool { return e.ID == c.FirstKeptEntryID })
		}
	}
	if len(got) != 2 || got[358] != 292 || got[627] != 550 {
		t.Errorf("compactions keep from %v", got)
	}
}
