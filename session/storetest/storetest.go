// Package storetest is the conformance suite of session.Store. A store runs it
// in its tests:
//
//	func TestStore(t *testing.T) {
//		storetest.Run(t, func(t *testing.T) session.Store { return mystore.New(t.TempDir()) })
//	}
package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/coppice-dev/coppice/internal/codec"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
)

// Run tests a store. open must return a new empty store each time.
func Run(t *testing.T, open func(t *testing.T) session.Store) {
	for _, test := range []struct {
		name string
		run  func(t *testing.T, s session.Store)
	}{
		{"Empty", testEmpty},
		{"Chain", testChain},
		{"Branches", testBranches},
		{"Group", testGroup},
		{"SetupWaits", testSetupWaits},
		{"Reopen", testReopen},
		{"UnknownIsCarried", testUnknown},
		{"RefusesBrokenEntries", testBroken},
		{"OneWriter", testOneWriter},
		{"ReadOnly", testReadOnly},
		{"Find", testFind},
		{"OpenByID", testOpenByID},
		{"List", testList},
		{"Delete", testDelete},
		{"Close", testClose},
		{"Cancelled", testCancelled},
		{"Concurrent", testConcurrent},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, open(t)) })
	}
}

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// entry makes an entry of type message in which role says text.
func entry(id, parent string, role message.Role, text string) *session.Entry {
	return entryAt(id, parent, role, text, start)
}

func entryAt(id, parent string, role message.Role, text string, at time.Time) *session.Entry {
	m := codec.Encode(&message.Message{Role: role, Content: []message.Block{message.Text{Text: text}}, Time: at})
	return raw(fmt.Sprintf(`{"type":"message","id":%q,"parentId":%s,"timestamp":%q,"message":%s}`,
		id, quoteOrNull(parent), codec.FormatTime(at), m))
}

// setup makes an entry that does not make a session durable.
func setup(id, parent string) *session.Entry {
	return raw(fmt.Sprintf(`{"type":"model_change","id":%q,"parentId":%s,"timestamp":%q,"provider":"p","modelId":"m"}`,
		id, quoteOrNull(parent), codec.FormatTime(start)))
}

func raw(line string) *session.Entry {
	e, ok := session.ParseEntry([]byte(line))
	if !ok {
		panic("not an entry: " + line)
	}
	return e
}

// lineOf returns the line of an entry, or why it cannot be read.
func lineOf(e *session.Entry) string {
	line, err := e.Raw()
	if err != nil {
		return "no line: " + err.Error()
	}
	return string(line)
}

// textOf returns the text of an entry's message, or why it cannot be read.
func textOf(e *session.Entry) string {
	m, err := e.Message()
	if err != nil {
		return "no message: " + err.Error()
	}
	return m.Text("")
}

func quoteOrNull(s string) string {
	if s == "" {
		return "null"
	}
	return fmt.Sprintf("%q", s)
}

func create(t *testing.T, s session.Store, h session.Header) session.Log {
	t.Helper()
	l, err := s.Create(context.Background(), h)
	if err != nil {
		t.Fatalf("create: %v", err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func reopen(t *testing.T, s session.Store, l session.Log, mode session.Mode) session.Log {
	t.Helper()
	if err := l.Close(); err != nil {
		t.Fatalf("close: %v", err)
	}
	r, err := s.Open(context.Background(), l.Ref(), mode)
	if err != nil {
		t.Fatalf("open %s: %v", l.Ref(), err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func add(t *testing.T, l session.Log, entries ...*session.Entry) {
	t.Helper()
	if foreign, err := l.Append(context.Background(), entries); err != nil || len(foreign) > 0 {
		t.Fatalf("append: %d foreign, %v", len(foreign), err)
	}
}

// path returns the ids from the leaf to the root.
func path(t *testing.T, l session.Log) []string {
	t.Helper()
	e, err := l.Leaf(context.Background())
	var ids []string
	for ; e != nil && err == nil; e, err = l.Parent(context.Background(), e) {
		ids = append(ids, e.ID)
	}
	if err != nil {
		t.Fatalf("path: %v", err)
	}
	return ids
}

// all returns the ids of all entries.
func all(t *testing.T, l session.Log) []string {
	t.Helper()
	var ids []string
	for e, err := range l.All(context.Background()) {
		if err != nil {
			t.Fatalf("all: %v", err)
		}
		ids = append(ids, e.ID)
	}
	return ids
}

func want(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

func testEmpty(t *testing.T, s session.Store) {
	l := create(t, s, session.Header{Cwd: "/srv/p", ParentSession: "/other"})
	h := l.Header()
	if h.ID == "" || h.Version != session.Version || h.Time.IsZero() || h.Cwd != "/srv/p" || h.ParentSession != "/other" {
		t.Errorf("header %+v", h)
	}
	want(t, "path", path(t, l))
	want(t, "all", all(t, l))
	for info, err := range s.List(context.Background()) {
		t.Errorf("an empty store lists %v, %v", info, err)
	}
	if p, err := l.Problems(context.Background(), true); len(p) > 0 || err != nil {
		t.Errorf("problems %v, %v", p, err)
	}
}

func testChain(t *testing.T, s session.Store) {
	l := create(t, s, session.Header{Cwd: "/"})
	add(t, l, entry("a", "", message.RoleUser, "one"))
	want(t, "path", path(t, l), "a")
	add(t, l, entry("b", "a", message.RoleAssistant, "two"))
	add(t, l, entry("c", "b", message.RoleUser, "three"))
	want(t, "path", path(t, l), "c", "b", "a")
	want(t, "all", all(t, l), "a", "b", "c")
	first, err := l.Leaf(context.Background())
	again, _ := l.Leaf(context.Background())
	if err != nil || first != again {
		t.Errorf("the leaf is two objects, %v", err)
	}
}

func testBranches(t *testing.T, s session.Store) {
	l := create(t, s, session.Header{Cwd: "/"})
	add(t, l, entry("a", "", message.RoleUser, "one"))
	add(t, l, entry("b", "a", message.RoleAssistant, "two"))
	add(t, l, entry("c", "b", message.RoleUser, "three"))
	add(t, l, entry("d", "a", message.RoleAssistant, "another two"))
	want(t, "path", path(t, l), "d", "a")
	add(t, l, entry("e", "", message.RoleUser, "another root"))
	want(t, "path", path(t, l), "e")
	want(t, "all", all(t, l), "a", "b", "c", "d", "e")
}

func testGroup(t *testing.T, s session.Store) {
	l := create(t, s, session.Header{Cwd: "/"})
	add(t, l, setup("s", ""), entry("a", "s", message.RoleUser, "one"), entry("b", "a", message.RoleAssistant, "two"))
	want(t, "path", path(t, l), "b", "a", "s")
	add(t, l)
	want(t, "path after an empty append", path(t, l), "b", "a", "s")
	l = reopen(t, s, l, session.Mode{})
	want(t, "path after reopening", path(t, l), "b", "a", "s")
}

func testSetupWaits(t *testing.T, s session.Store) {
	ctx := context.Background()
	l := create(t, s, session.Header{Cwd: "/"})
	add(t, l, setup("s", ""))
	add(t, l, setup("t", "s"))
	want(t, "path", path(t, l), "t", "s")
	want(t, "all", all(t, l), "s", "t")
	if other, err := s.Open(ctx, l.Ref(), session.Mode{}); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("a session without messages can be opened: %v, %v", other, err)
	}
	add(t, l, entry("a", "t", message.RoleUser, "one"))
	want(t, "path", path(t, l), "a", "t", "s")
	l = reopen(t, s, l, session.Mode{})
	want(t, "path after reopening", path(t, l), "a", "t", "s")
}

func testReopen(t *testing.T, s session.Store) {
	l := create(t, s, session.Header{Cwd: "/srv/p"})
	id := l.Header().ID
	add(t, l, entry("a", "", message.RoleUser, "é한🏷"))
	add(t, l, entry("b", "a", message.RoleAssistant, "two"))
	l = reopen(t, s, l, session.Mode{Write: true})
	if h := l.Header(); h.ID != id || h.Cwd != "/srv/p" || h.Version != 3 {
		t.Errorf("header %+v", h)
	}
	add(t, l, entry("c", "b", message.RoleUser, "three"))
	l = reopen(t, s, l, session.Mode{Write: true})
	want(t, "path", path(t, l), "c", "b", "a")
	e, err := l.Find(context.Background(), "a", -1)
	if err != nil || textOf(e) != "é한🏷" || !e.Time.Equal(start) {
		t.Errorf("got %v, %v", e, err)
	}
}

func testUnknown(t *testing.T, s session.Store) {
	l := create(t, s, session.Header{Cwd: "/"})
	line := `{"customType":"x","type":"of another program","deep":{"a":[1,2.50,null]},"id":"u","parentId":"a","timestamp":1767225600000,"lone":"\ud83d"}`
	add(t, l, entry("a", "", message.RoleUser, "one"), raw(line), entry("b", "u", message.RoleAssistant, "two"))
	l = reopen(t, s, l, session.Mode{})
	want(t, "path", path(t, l), "b", "u", "a")
	e, err := l.Find(context.Background(), "u", -1)
	if err != nil || lineOf(e) != line || e.Type != "of another program" {
		t.Errorf("got %+v, %v", e, err)
	}
}

func testBroken(t *testing.T, s session.Store) {
	l := create(t, s, session.Header{Cwd: "/"})
	add(t, l, entry("a", "", message.RoleUser, "one"))
	good := entry("b", "a", message.RoleUser, "two")
	line := []byte(lineOf(good))
	with := func(e session.Entry, raw []byte) *session.Entry {
		out, _ := session.ParseEntry(raw)
		out.ID, out.ParentID, out.Type = e.ID, e.ParentID, e.Type
		return out
	}
	for name, e := range map[string]*session.Entry{
		"two lines":    with(*good, append(slices.Clone(line), '\n')),
		"half":         with(*good, line[:40]),
		"no object":    with(*good, []byte("1")),
		"nothing":      {ID: "b", ParentID: "a", Type: good.Type},
		"other id":     with(session.Entry{ID: "x", ParentID: "a", Type: good.Type}, line),
		"other parent": with(session.Entry{ID: "b", Type: good.Type}, line),
		"other type":   with(session.Entry{ID: "b", ParentID: "a", Type: session.TypeLabel}, line),
		"a header":     raw(`{"type":"session","id":"b","parentId":"a","timestamp":"x"}`),
	} {
		if _, err := l.Append(context.Background(), []*session.Entry{entry("c", "a", message.RoleUser, "x"), e}); err == nil {
			t.Errorf("%s: was taken", name)
		}
	}
	want(t, "all", all(t, l), "a")
	l = reopen(t, s, l, session.Mode{})
	want(t, "all", all(t, l), "a")
}

func testOneWriter(t *testing.T, s session.Store) {
	ctx := context.Background()
	l := create(t, s, session.Header{Cwd: "/"})
	add(t, l, entry("a", "", message.RoleUser, "one"))
	_, err := s.Open(ctx, l.Ref(), session.Mode{Write: true})
	var locked *session.LockedError
	if !errors.As(err, &locked) {
		t.Fatalf("second writer: %v, want a *LockedError", err)
	}
	if locked.PID == 0 || locked.Host == "" || locked.Since.IsZero() {
		t.Errorf("the owner is not named: %+v", locked)
	}
	if err := s.Delete(ctx, l.Ref(), session.Mode{}); !errors.As(err, &locked) {
		t.Errorf("delete under a writer: %v, want a *LockedError", err)
	}
	r, err := s.Open(ctx, l.Ref(), session.Mode{})
	if err != nil {
		t.Fatalf("reader next to a writer: %v", err)
	}
	want(t, "path of the reader", path(t, r), "a")
	r.Close()
	l = reopen(t, s, l, session.Mode{Write: true})
	add(t, l, entry("b", "a", message.RoleUser, "two"))
}

func testReadOnly(t *testing.T, s session.Store) {
	l := create(t, s, session.Header{Cwd: "/"})
	add(t, l, entry("a", "", message.RoleUser, "one"))
	l = reopen(t, s, l, session.Mode{})
	if _, err := l.Append(context.Background(), []*session.Entry{entry("b", "a", message.RoleUser, "x")}); !errors.Is(err, session.ErrReadOnly) {
		t.Errorf("append: %v, want %v", err, session.ErrReadOnly)
	}
	want(t, "path", path(t, l), "a")
}

func testFind(t *testing.T, s session.Store) {
	ctx := context.Background()
	l := create(t, s, session.Header{Cwd: "/"})
	a, b := entry("a", "", message.RoleUser, "one"), entry("b", "a", message.RoleAssistant, "two")
	add(t, l, a, b)
	for range 2 {
		for _, e := range []*session.Entry{a, b} {
			for _, at := range []int64{-1, 0, 3, e.At, 1 << 40} {
				got, err := l.Find(ctx, e.ID, at)
				if err != nil || got.ID != e.ID || lineOf(got) != lineOf(e) {
					t.Errorf("find %s at %d: %+v, %v", e.ID, at, got, err)
				}
			}
		}
		if _, err := l.Find(ctx, "x", a.At); !errors.Is(err, session.ErrNotFound) {
			t.Errorf("find of an unknown id: %v", err)
		}
		l = reopen(t, s, l, session.Mode{})
	}
	// An entry that is not in the log yet is the child of the one that it
	// names.
	p, err := l.Parent(ctx, entry("new", "b", message.RoleUser, "x"))
	if err != nil || p == nil || p.ID != "b" {
		t.Errorf("parent of a new entry: %v, %v", p, err)
	}
}

func testOpenByID(t *testing.T, s session.Store) {
	ctx := context.Background()
	for _, id := range []string{"abc-1", "abc-2", "abd-1"} {
		l := create(t, s, session.Header{ID: id, Cwd: "/"})
		add(t, l, entry("a", "", message.RoleUser, id))
		l.Close()
	}
	for ref, id := range map[string]string{"abc-1": "abc-1", "abd": "abd-1"} {
		l, err := s.Open(ctx, ref, session.Mode{})
		if err != nil {
			t.Fatalf("open %s: %v", ref, err)
		}
		if l.Header().ID != id {
			t.Errorf("open %s: got %s", ref, l.Header().ID)
		}
		l.Close()
	}
	var ambiguous *session.AmbiguousError
	if _, err := s.Open(ctx, "abc", session.Mode{}); !errors.As(err, &ambiguous) || len(ambiguous.Candidates) != 2 {
		t.Errorf("open abc: %v, want two candidates", err)
	}
	for _, ref := range []string{"", "x"} {
		if _, err := s.Open(ctx, ref, session.Mode{}); !errors.Is(err, session.ErrNotFound) {
			t.Errorf("open %q: %v, want %v", ref, err, session.ErrNotFound)
		}
	}
}

func testList(t *testing.T, s session.Store) {
	for i, id := range []string{"old", "new", "mid"} {
		l := create(t, s, session.Header{ID: id, Cwd: "/srv/" + id, Time: start})
		at := start.Add([]time.Duration{time.Hour, 3 * time.Hour, 2 * time.Hour}[i])
		add(t, l, entryAt("a", "", message.RoleUser, "hello from "+id, start), entryAt("b", "a", message.RoleAssistant, "hi", at))
		add(t, l, raw(fmt.Sprintf(`{"type":"session_info","id":"n","parentId":"b","timestamp":"2026-02-01T00:00:00.000Z","name":%q}`, "name of "+id)))
		l.Close()
	}
	var ids []string
	for info, err := range s.List(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, info.ID)
		if info.Cwd != "/srv/"+info.ID || info.FirstMessage != "hello from "+info.ID || info.Name == nil ||
			*info.Name != "name of "+info.ID || !info.Created.Equal(start) || info.Bytes == 0 {
			t.Errorf("info %+v", info)
		}
		if info.ID == "new" && !info.Modified.Equal(start.Add(3*time.Hour)) {
			t.Errorf("modified %v, want the time of the last message", info.Modified)
		}
		l, err := s.Open(context.Background(), info.Ref, session.Mode{})
		if err != nil {
			t.Errorf("open %s: %v", info.Ref, err)
			continue
		}
		l.Close()
	}
	want(t, "list", ids, "new", "mid", "old")
	for range s.List(context.Background()) {
		break // a walk may be stopped early
	}
}

func testDelete(t *testing.T, s session.Store) {
	ctx := context.Background()
	l := create(t, s, session.Header{Cwd: "/"})
	add(t, l, entry("a", "", message.RoleUser, "one"))
	l.Close()
	if err := s.Delete(ctx, l.Ref(), session.Mode{}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Open(ctx, l.Ref(), session.Mode{}); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("open a deleted session: %v", err)
	}
	if err := s.Delete(ctx, l.Ref(), session.Mode{}); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("delete twice: %v", err)
	}
}

func testClose(t *testing.T, s session.Store) {
	l := create(t, s, session.Header{Cwd: "/"})
	add(t, l, entry("a", "", message.RoleUser, "one"))
	for range 2 {
		if err := l.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}
	if _, err := l.Append(context.Background(), []*session.Entry{entry("b", "a", message.RoleUser, "x")}); err == nil {
		t.Error("append to a closed log succeeded")
	}
}

func testCancelled(t *testing.T, s session.Store) {
	ctx, cancel := context.WithCancel(context.Background())
	l := create(t, s, session.Header{Cwd: "/"})
	add(t, l, entry("a", "", message.RoleUser, "one"))
	cancel()
	if _, err := l.Append(ctx, []*session.Entry{entry("b", "a", message.RoleUser, "x")}); !errors.Is(err, context.Canceled) {
		t.Errorf("append: %v", err)
	}
	if _, err := s.Open(ctx, l.Ref(), session.Mode{}); !errors.Is(err, context.Canceled) {
		t.Errorf("open: %v", err)
	}
	for _, err := range l.All(ctx) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("all: %v", err)
		}
	}
	want(t, "all", all(t, l), "a")
}

func testConcurrent(t *testing.T, s session.Store) {
	ctx := context.Background()
	l := create(t, s, session.Header{Cwd: "/"})
	add(t, l, entry("a", "", message.RoleUser, "one"))
	l = reopen(t, s, l, session.Mode{Write: true})
	const writers, each = 4, 20
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				e := entry(fmt.Sprintf("w%d-%d", w, i), "a", message.RoleUser, "x")
				if _, err := l.Append(ctx, []*session.Entry{e}); err != nil {
					t.Error(err)
				}
				if got, err := l.Find(ctx, e.ID, e.At); err != nil || got != e {
					t.Errorf("find: %v, %v", got, err)
				}
				if p, err := l.Parent(ctx, e); err != nil || p == nil || p.ID != "a" {
					t.Errorf("parent: %v, %v", p, err)
				}
				for _, err := range l.All(ctx) {
					if err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
	if n := len(all(t, l)); n != writers*each+1 {
		t.Errorf("%d entries, want %d", n, writers*each+1)
	}
	l = reopen(t, s, l, session.Mode{})
	if n := len(all(t, l)); n != writers*each+1 {
		t.Errorf("%d entries after reopening, want %d", n, writers*each+1)
	}
}
