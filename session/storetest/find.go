package storetest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
)

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
