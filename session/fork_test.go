package session_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/internal/testkit/history"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/filestore"
	"github.com/coppice-dev/coppice/session/memstore"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/wire/dialects"
	"pgregory.net/rapid"
)

// inMemory makes the logs of forks.
func inMemory(h session.Header) (session.Log, error) { return memstore.New(nil).Create(ctx, h) }

func fork(t *testing.T, s *session.Session, at *session.Entry, before bool) *session.Session {
	t.Helper()
	f, err := session.Fork(ctx, s, at, before, inMemory)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func reply(t *testing.T, s *session.Session, text string) *session.Entry {
	t.Helper()
	e, err := s.Append(ctx, session.MessageDraft(&message.Message{Role: message.RoleAssistant, StopReason: message.StopEnd,
		Content: []message.Block{message.Text{Text: text}}}))
	if err != nil {
		t.Fatal(err)
	}
	return e[0]
}

func label(t *testing.T, s *session.Session, target, text string) *session.Entry {
	t.Helper()
	e, err := s.SetLabel(ctx, target, text)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// labelsOf lists the labels in the order of the log.
func labelsOf(t *testing.T, s *session.Session) (labels []*session.Entry) {
	t.Helper()
	for e, err := range s.Log().All(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Label() != nil {
			labels = append(labels, e)
		}
	}
	return labels
}

// Row 97: labels of what survives come along, in the order in which they were
// first set, with their times; those of what does not are dropped.
func TestForkKeepsTheLabelsOfSurvivors(t *testing.T) {
	s := newSession(t)
	a, b, c := say(t, s, "a"), reply(t, s, "b"), say(t, s, "c")
	label(t, s, a.ID, "old")
	lb := label(t, s, b.ID, "second")
	la := label(t, s, a.ID, "first")
	label(t, s, c.ID, "third")
	f := fork(t, s, b, false)
	if got := path(t, f); got != "a b label label" {
		t.Errorf("path %q", got)
	}
	got := labelsOf(t, f)
	if len(got) != 2 || got[0].ID != la.ID || got[1].ID != lb.ID || !got[0].Time.Equal(la.Time) ||
		*got[0].Label() != (session.Label{TargetID: a.ID, Label: "first"}) {
		t.Errorf("labels %v", got)
	}
	label(t, s, b.ID, "")
	if got := labelsOf(t, fork(t, s, b, false)); len(got) != 1 || got[0].ID != la.ID {
		t.Errorf("labels after one was cleared %v", got)
	}
}

// Row 98: a label on the path is no longer one of the chain, and nothing
// before it is lost.
func TestForkClosesTheGapOfALabel(t *testing.T) {
	s := newSession(t)
	a := say(t, s, "a")
	reply(t, s, "b")
	label(t, s, a.ID, "start")
	say(t, s, "c")
	f := fork(t, s, reply(t, s, "d"), false)
	if got := path(t, f); got != "a b c d label" {
		t.Errorf("path %q", got)
	}
	checkChain(t, f)
}

// Rows 99 and 102 to 104.
func TestForkPoints(t *testing.T) {
	s := newSession(t)
	a := say(t, s, "a")
	reply(t, s, "b")
	c := say(t, s, "c")
	d := reply(t, s, "d")
	if err := s.MoveTo(ctx, c); err != nil {
		t.Fatal(err)
	}
	e := reply(t, s, "e")
	for _, tt := range []struct {
		name   string
		at     *session.Entry
		before bool
		want   string
	}{
		{"at an entry", c, false, "a b c"},
		{"on another branch", d, false, "a b c d"},
		{"before a prompt", c, true, "a b"},
		{"before the first prompt", a, true, ""},
		{"at the leaf", nil, false, "a b c custom e"},
		{"before the leaf", nil, true, "a b c custom"},
		{"at the leaf by its entry", e, false, "a b c custom e"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := fork(t, s, tt.at, tt.before)
			if got := path(t, f); got != tt.want {
				t.Errorf("path %q, want %q", got, tt.want)
			}
			h := f.Log().Header()
			if h.ParentSession != s.Ref() || h.ID == s.ID() || h.Cwd != "/p" {
				t.Errorf("header %+v", h)
			}
			checkChain(t, f)
		})
	}
	stranger := &session.Entry{ID: "missing", At: 99}
	if _, err := session.Fork(ctx, s, stranger, false, inMemory); err == nil {
		t.Error("an unknown entry was forked at")
	}
	if got := path(t, fork(t, newSession(t), nil, false)); got != "" {
		t.Errorf("clone of nothing: %q", got)
	}
}

// checkChain asserts that every entry is the child of the one before and that
// its bytes say so.
func checkChain(t interface{ Fatalf(string, ...any) }, s *session.Session) {
	last := ""
	for e, err := range s.Log().All(ctx) {
		if err != nil {
			t.Fatalf("%v", err)
		}
		if e.ParentID != last || rawjson.String(rawjson.Get(must.Get(e.Raw()), "parentId")) != last || rawjson.String(rawjson.Get(must.Get(e.Raw()), "id")) != e.ID {
			t.Fatalf("%s is not the child of %q: %s", e.ID, last, must.Get(e.Raw()))
		}
		last = e.ID
	}
}

// Row 100 and 101: the file is created at once if something was said, with one
// header; what is written afterwards goes to it.
func TestForkToAFile(t *testing.T) {
	dir := t.TempDir()
	store := filestore.New(dir, filestore.Options{Sync: filestore.SyncOff})
	create := func(h session.Header) (session.Log, error) { return store.Create(ctx, h) }
	s := newSession(t)
	a := say(t, s, "a")
	say(t, s, "b")
	f, err := session.Fork(ctx, s, a, false, create)
	if err != nil {
		t.Fatal(err)
	}
	reply(t, f, "c")
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(f.Ref())
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(data), `"type":"session"`); n != 1 || strings.Count(string(data), "\n") != 3 {
		t.Errorf("file with %d headers:\n%s", n, data)
	}
	log, err := store.Open(ctx, f.Ref(), session.Mode{})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	if got := path(t, session.New(log, session.Options{})); got != "a c" {
		t.Errorf("path %q", got)
	}
	if got := path(t, s); got != "a b" {
		t.Errorf("the old session became %q", got)
	}
}

// Row 60 and the bridged parent of §8.5: files of all formats and damaged
// ones fork to whole files of format 3.
func TestForkOldAndDamagedFiles(t *testing.T) {
	const stamp = `"timestamp":"2026-01-01T00:00:00.000Z"`
	msg := func(head, role, text string) string {
		return `{"type":"message",` + head + stamp + `,"message":{"role":"` + role + `","content":"` + text + `"}}`
	}
	header := func(version string) string {
		return `{"type":"session",` + version + `"id":"old-1",` + stamp + `,"cwd":"/p"}`
	}
	for _, tt := range []struct {
		name  string
		lines []string
		want  []string
	}{
		{"format 1", []string{header(""), msg("", "user", "a"), msg("", "assistant", "b"), msg("", "hookMessage", "c"),
			`{"type":"compaction",` + stamp + `,"summary":"s","firstKeptEntryIndex":2,"tokensBefore":9}`, msg("", "user", "d")}, []string{"a", "b", "c", "d"}},
		{"format 2", []string{header(`"version":2,`), msg(`"id":"1","parentId":null,`, "user", "a"), msg(`"id":"2","parentId":"1",`, "hookMessage", "b")}, []string{"a", "b"}},
		{"a lost line", []string{header(`"version":3,`), msg(`"id":"1","parentId":null,`, "user", "a"), `{"type":"mess`, msg(`"id":"3","parentId":"2",`, "user", "c")}, []string{"a", "c"}},
		{"an entry without id", []string{header(`"version":3,`), msg(`"id":"1","parentId":null,`, "user", "a"), msg(`"parentId":"1",`, "user", "b")}, []string{"a", "b"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "old.jsonl")
			if err := os.WriteFile(file, []byte(strings.Join(tt.lines, "\n")+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			store := filestore.New(t.TempDir(), filestore.Options{Sync: filestore.SyncOff})
			log, err := store.Open(ctx, file, session.Mode{})
			if err != nil {
				t.Fatal(err)
			}
			defer log.Close()
			src := session.New(log, session.Options{})
			f, err := session.Fork(ctx, src, nil, false, func(h session.Header) (session.Log, error) { return store.Create(ctx, h) })
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			checkChain(t, f)
			if got, was := pathText(t, f), pathText(t, src); got != was {
				t.Errorf("path %q, in the source %q", got, was)
			}
			if got := strings.Fields(path(t, f)); !slices.Equal(got, tt.want) {
				t.Errorf("path %q, want %q", got, tt.want)
			}
			copied := filepath.Join(t.TempDir(), "copy.jsonl")
			if err := filestore.WriteCopy(ctx, copied, session.Header{Cwd: "/p"}.Complete(time.Now()), session.Whole(ctx, log)); err != nil {
				t.Fatal(err)
			}
			data, _ := os.ReadFile(copied)
			if strings.Contains(string(data), "hookMessage") {
				t.Errorf("an old word in a file of format 3:\n%s", data)
			}
			whole, err := store.Open(ctx, copied, session.Mode{})
			if err != nil {
				t.Fatal(err)
			}
			defer whole.Close()
			if problems, err := whole.Problems(ctx, true); len(problems) > 0 || err != nil {
				t.Errorf("the copy has problems: %v, %v", problems, err)
			}
		})
	}
}

// A log in which other programs used an id twice forks to one in which each
// entry has its own, and references still mean the nearest earlier one.
func TestForkGivesEachEntryItsID(t *testing.T) {
	const stamp = `"timestamp":"2026-01-01T00:00:00.000Z"`
	say := func(id, parent, text string) string {
		return `{"type":"message","id":"` + id + `","parentId":"` + parent + `",` + stamp + `,"message":{"role":"user","content":"` + text + `"}}`
	}
	of := func(kind, id, parent, members string) string {
		return `{"type":"` + kind + `","id":"` + id + `","parentId":"` + parent + `",` + stamp + `,` + members + `}`
	}
	file := filepath.Join(t.TempDir(), "twice.jsonl")
	lines := []string{`{"type":"session","version":3,"id":"old-1",` + stamp + `,"cwd":"/p"}`,
		say("1", "", "a"), say("2", "1", "b"), say("1", "2", "c"), say("3", "1", "d"),
		of("context_edit", "4", "3", `"targetId":"1","replacement":{"content":"e"}`),
		of("custom", "5", "4", `"customType":"coppice.pin","data":{"targetId":"1","pinned":true,"group":[{"id":"1"}]}`),
		of("custom", "6", "5", `"customType":"other","data":{"targetId":"1"}`),
		of("compaction", "7", "6", `"summary":"s","firstKeptEntryId":"1","tokensBefore":9,"details":{"coppice":{"v":1,"pins":[{"id":"1","at":3}],"edits":["1","4"],"rung":"extract"}}`),
		say("3", "7", "f"),
		of("label", "8", "3", `"targetId":"3","label":"x"`),
	}
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	store := filestore.New(t.TempDir(), filestore.Options{Sync: filestore.SyncOff})
	src := session.New(must.Get(store.Open(ctx, file, session.Mode{})), session.Options{})
	defer src.Close()
	for _, create := range []func(session.Header) (session.Log, error){
		inMemory, func(h session.Header) (session.Log, error) { return store.Create(ctx, h) },
	} {
		f, err := session.Fork(ctx, src, nil, false, create)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		checkChain(t, f)
		all := strings.Split(raws(f), "\n")
		id := func(i int) string { return rawjson.String(rawjson.Get([]byte(all[i]), "id")) }
		second, last := id(2), id(8)
		ids := []string{"1", "2", second, "3", "4", "5", "6", "7", last, "8"}
		want := strings.Join(lines[1:], "\n")
		for i, own := range ids { // what each line should be
			if own != id(i) || slices.Index(ids, own) != i {
				t.Errorf("entry %d has the id %q; ids %q", i, id(i), ids)
			}
		}
		want = strings.NewReplacer(
			say("1", "2", "c"), say(second, "2", "c"), say("3", "1", "d"), say("3", second, "d"),
			`"targetId":"1","replacement"`, `"targetId":"`+second+`","replacement"`,
			`"data":{"targetId":"1","pinned":true,"group":[{"id":"1"}]}`, `"data":{"targetId":"`+second+`","pinned":true,"group":[{"id":"`+second+`"}]}`,
			`"firstKeptEntryId":"1"`, `"firstKeptEntryId":"`+second+`"`, `[{"id":"1","at":3}],"edits":["1","4"]`, `[{"id":"`+second+`","at":3}],"edits":["`+second+`","4"]`,
			say("3", "7", "f"), say(last, "7", "f"), `"id":"8","parentId":"3"`, `"id":"8","parentId":"`+last+`"`, `"targetId":"3"`, `"targetId":"`+last+`"`,
		).Replace(want)
		if got := strings.ReplaceAll(raws(f), `"parentId":null`, `"parentId":""`); got != want {
			t.Errorf("the fork is\n%s\nwant\n%s", got, want)
		}
		if got, want := requests(t, f, nil), requests(t, src, nil); !slices.Equal(got[:len(dialects.All())], want[:len(dialects.All())]) {
			t.Errorf("the fork's view is another:\n%s\n%s", got, want)
		}
	}
}

func pathText(t *testing.T, s *session.Session) string {
	t.Helper()
	entries, err := s.Path(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.ID+" "+string(e.Type))
		if m := must.Get(e.Message()); m != nil {
			out = append(out, string(m.Role)+": "+m.Text(""))
		}
	}
	return strings.Join(out, "\n")
}

// A compaction that keeps from a label on keeps from the entry after it.
func TestForkMovesAFirstKeptLabel(t *testing.T) {
	for i, name := range []string{"the first of two labels", "the second"} {
		t.Run(name, func(t *testing.T) {
			s := newSession(t)
			a := say(t, s, "a")
			reply(t, s, "b")
			labels := []*session.Entry{label(t, s, a.ID, "x"), label(t, s, a.ID, "y")}
			c := say(t, s, "c")
			reply(t, s, "d")
			comp := must.Get(s.Append(ctx, session.CompactionDraft(&session.Compaction{Summary: "s", FirstKeptEntryID: labels[i].ID})))
			f := fork(t, s, comp[0], false)
			e := must.Get(f.Find(ctx, comp[0].ID, -1))
			if got := e.Compaction().FirstKeptEntryID; got != c.ID {
				t.Errorf("first kept %q, want %q", got, c.ID)
			}
			if got, want := requests(t, f, nil), requests(t, s, nil); !slices.Equal(got, want) {
				t.Errorf("the fork's view is another:\n%s\n%s", got, want)
			}
		})
	}
}

// A fork of any history, at any entry, has one whole chain and shows the model
// the same bytes (I3) of the same entries (I1); forking again changes nothing.
func TestForkShowsTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		log, err := inMemory(session.Header{Cwd: "/p"})
		if err != nil {
			t.Fatal(err)
		}
		s := session.New(log, session.Options{})
		d := history.New(t, s)
		d.Turns(rapid.IntRange(1, 5).Draw(t, "turns"))
		d.Marks(rapid.IntRange(0, 4).Draw(t, "marks"))
		d.Turns(rapid.IntRange(0, 2).Draw(t, "more turns"))
		d.Marks(rapid.IntRange(0, 2).Draw(t, "more marks"))
		var all []*session.Entry
		for e := range s.Log().All(ctx) {
			all = append(all, e)
		}
		var at *session.Entry // the leaf
		if len(all) > 0 && rapid.Bool().Draw(t, "inside") {
			at = all[rapid.IntRange(0, len(all)-1).Draw(t, "at")]
		}
		f, err := session.Fork(ctx, s, at, false, inMemory)
		if err != nil {
			t.Fatal(err)
		}
		checkChain(t, f)
		if got, want := requests(t, f, nil), requests(t, s, at); !slices.Equal(got, want) {
			t.Fatalf("the fork's view is another:\n%s\n%s", got, want)
		}
		again, err := session.Fork(ctx, f, nil, false, inMemory)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := raws(again), raws(f); got != want {
			t.Fatalf("a clone of the fork is another:\n%s\n%s", got, want)
		}
	})
}

func raws(s *session.Session) string {
	var out []string
	for e := range s.Log().All(ctx) {
		out = append(out, string(must.Get(e.Raw())))
	}
	return strings.Join(out, "\n")
}

// requests renders the view at an entry in every dialect, and names the
// entries that it shows and those that it leaves out.
func requests(t interface{ Fatal(...any) }, s *session.Session, at *session.Entry) (out []string) {
	v, err := timeline.Project(context.Background(), s, at, timeline.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range dialects.All() {
		body, err := d.Render(must.Get(v.Request(false)), message.Model{Images: true}, message.CallOptions{})
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(body))
	}
	for _, it := range v.Items {
		if it.Entry != nil {
			out = append(out, it.Entry.ID)
		}
	}
	for _, l := range v.LeftOut {
		out = append(out, l.EntryID+" "+string(l.Rule))
	}
	return out
}
