package storetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
)

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

// Neither the ids nor the times are in the order of the log.
func testParentsFirst(t *testing.T, s session.Store) {
	l := create(t, s, session.Header{Cwd: "/"})
	add(t, l, entryAt("m", "", message.RoleUser, "one", start.Add(2*time.Hour)), entryAt("k", "m", message.RoleAssistant, "two", start.Add(time.Hour)))
	add(t, l, entryAt("z", "k", message.RoleUser, "three", start))
	add(t, l, entryAt("b", "m", message.RoleAssistant, "another two", start.Add(time.Minute)))
	for range 2 {
		want(t, "all", all(t, l), "m", "k", "z", "b")
		want(t, "path", path(t, l), "b", "m")
		l = reopen(t, s, l, session.Mode{})
	}
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
