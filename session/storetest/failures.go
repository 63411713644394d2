package storetest

import (
	"context"
	"errors"
	"testing"

	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
)

// A write that succeeded although it reported an error doubles nothing when it
// is repeated.
func testUnsure(t *testing.T, unsure func(t *testing.T) (s session.Store, lose func())) {
	ctx := context.Background()
	s, lose := unsure(t)
	l := create(t, s, session.Header{Cwd: "/"})
	add(t, l, entry("a", "", message.RoleUser, "one"))
	group := func() []*session.Entry {
		return []*session.Entry{entry("b", "a", message.RoleAssistant, "two"), entry("c", "b", message.RoleUser, "three")}
	}
	lose()
	if _, err := l.Append(ctx, group()); err == nil {
		t.Fatal("the append that should have reported an error did not")
	}
	if _, err := l.Append(ctx, group()); err != nil && !errors.Is(err, session.ErrDuplicate) {
		t.Errorf("the same append again: %v, want none or %v", err, session.ErrDuplicate)
	}
	want(t, "all", all(t, l), "a", "b", "c")
	want(t, "path", path(t, l), "c", "b", "a")
	l = reopen(t, s, l, session.Mode{Write: true})
	want(t, "all after reopening", all(t, l), "a", "b", "c")

	talk := session.New(l, session.Options{})
	leaf, err := talk.Leaf(ctx)
	if err != nil {
		t.Fatal(err)
	}
	draft := session.MessageDraft(message.User("four"))
	draft.ID = "d"
	entries := talk.Prepare(leaf, draft)
	lose()
	if err := talk.Commit(ctx, entries); err != nil { // a store may find out by itself that it was written
		if err := talk.Commit(ctx, entries); err != nil {
			t.Errorf("the same commit again: %v", err)
		}
	}
	add(t, l, entry("e", "d", message.RoleAssistant, "five"))
	for range 2 {
		want(t, "all of the session", all(t, l), "a", "b", "c", "d", "e")
		want(t, "path of the session", path(t, l), "e", "d", "c", "b", "a")
		l = reopen(t, s, l, session.Mode{})
	}
}

// What an append reported as written is there after a power failure.
func testPowerFailure(t *testing.T, open func(t *testing.T) (s session.Store, fail func() session.Store)) {
	s, fail := open(t)
	const id = "power-failure"
	l := create(t, s, session.Header{ID: id, Cwd: "/srv/p"})
	left := func(when string, ids ...string) {
		t.Helper()
		found, err := fail().Open(context.Background(), id, session.Mode{})
		if err != nil {
			t.Errorf("after a power failure after %s: %v", when, err)
			return
		}
		defer found.Close()
		want(t, "all after a power failure after "+when, all(t, found), ids...)
	}
	add(t, l, setup("s", ""))
	add(t, l, entry("a", "s", message.RoleUser, "one"))
	left("the first message", "s", "a")
	add(t, l, entry("b", "a", message.RoleAssistant, "two"), entry("c", "b", message.RoleUser, "three"))
	left("a group", "s", "a", "b", "c")
	l = reopen(t, s, l, session.Mode{Write: true})
	add(t, l, entry("d", "c", message.RoleAssistant, "four"))
	left("reopening", "s", "a", "b", "c", "d")
}
