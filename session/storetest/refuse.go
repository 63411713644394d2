package storetest

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
)

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
		if _, err := l.Append(context.Background(), []*session.Entry{e}); err == nil {
			t.Errorf("%s: was taken", name)
		}
	}
}

// refuses appends entries that must be refused, and returns the error.
func refuses(t *testing.T, what string, l session.Log, entries ...*session.Entry) error {
	t.Helper()
	_, err := l.Append(context.Background(), entries)
	if err == nil {
		t.Errorf("%s: was taken", what)
	}
	return err
}

func testDuplicates(t *testing.T, s session.Store) {
	l := create(t, s, session.Header{Cwd: "/"})
	a, b := entry("a", "", message.RoleUser, "one"), entry("b", "a", message.RoleAssistant, "two")
	add(t, l, a, b)
	duplicate := func(what string, entries ...*session.Entry) {
		t.Helper()
		if err := refuses(t, what, l, entries...); err != nil && !errors.Is(err, session.ErrDuplicate) {
			t.Errorf("%s: %v, want %v", what, err, session.ErrDuplicate)
		}
	}
	duplicate("the leaf again", b)
	duplicate("its bytes again", entry("b", "a", message.RoleAssistant, "two"))
	duplicate("an id again, with other words", entry("a", "b", message.RoleUser, "three"))
	duplicate("an id again, in a group", entry("c", "b", message.RoleUser, "x"), entry("a", "c", message.RoleUser, "x"))
	duplicate("an id twice in a group", entry("c", "b", message.RoleUser, "x"), entry("c", "b", message.RoleUser, "y"))
	l = reopen(t, s, l, session.Mode{Write: true})
	all(t, l) // now the store knows them
	duplicate("an id again, after reopening", entry("b", "a", message.RoleUser, "x"))
}

func testLaterParents(t *testing.T, s session.Store) {
	l := create(t, s, session.Header{Cwd: "/"})
	add(t, l, entry("a", "", message.RoleUser, "one"))
	_ = refuses(t, "a child before its parent", l, entry("c", "b", message.RoleUser, "x"), entry("b", "a", message.RoleUser, "x"))
	_ = refuses(t, "its own parent", l, entry("d", "a", message.RoleUser, "x"), entry("e", "e", message.RoleUser, "x"))
}

// What is wrong with one entry of a group keeps all of it out of the log.
func testGroupIsWhole(t *testing.T, s session.Store) {
	l := create(t, s, session.Header{Cwd: "/"})
	add(t, l, entry("a", "", message.RoleUser, "one"))
	broken := &session.Entry{ID: "c", ParentID: "b", Type: session.TypeMessage}
	for what, second := range map[string]*session.Entry{
		"broken": broken, "a duplicate": entry("a", "b", message.RoleUser, "x"), "its own parent": entry("c", "c", message.RoleUser, "x"),
	} {
		_, _ = l.Append(context.Background(), []*session.Entry{entry("b", "a", message.RoleUser, "x"), second})
		want(t, "all after a group whose second entry is "+what, all(t, l), "a")
		want(t, "path", path(t, l), "a")
	}
	l = reopen(t, s, l, session.Mode{Write: true})
	want(t, "all after reopening", all(t, l), "a")
	add(t, l, entry("b", "a", message.RoleUser, "x"), entry("c", "b", message.RoleUser, "x"))
	want(t, "all after a good group", all(t, l), "a", "b", "c")
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
