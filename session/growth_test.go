package session_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/filestore"
)

// growing is a session in a file to which another program appends lines.
type growing struct {
	*session.Session
	reported []string // "+a b": a and b, and the session goes on after them; "-a": a, on a branch of its own
}

func newGrowing(t *testing.T) *growing {
	t.Helper()
	log, err := filestore.New(t.TempDir(), filestore.Options{Sync: "off"}).Create(ctx, session.Header{Cwd: "/p"})
	if err != nil {
		t.Fatal(err)
	}
	g := &growing{Session: session.New(log, session.Options{})}
	t.Cleanup(func() { g.Close() })
	g.OnForeign(func(foreign []*session.Entry, joined bool) {
		var ids []string
		for _, e := range foreign {
			ids = append(ids, e.ID)
		}
		sign := "-"
		if joined {
			sign = "+"
		}
		g.reported = append(g.reported, sign+strings.Join(ids, " "))
	})
	return g
}

// other appends a message of another program under a parent.
func (g *growing) other(t *testing.T, id, parent string) {
	t.Helper()
	f, err := os.OpenFile(g.Ref(), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	up := fmt.Sprintf("%q", parent)
	if parent == "" {
		up = "null"
	}
	_, err = fmt.Fprintf(f, `{"type":"message","id":%q,"parentId":%s,"timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":%q}}`+"\n", id, up, id)
	if err != nil {
		t.Fatal(err)
	}
}

// What another program appends after our leaf comes before what we append next:
// no words are lost, and there is no fork. What it appends elsewhere is a branch
// of its own, and we stay on ours.
func TestAppendsAfterAnotherProgram(t *testing.T) {
	for _, tt := range []struct {
		name     string
		other    []string // id<parent; L is our leaf, F the first entry
		path     string
		reported []string
	}{
		{"nothing", nil, "first last mine", nil},
		{"after our leaf", []string{"a<L", "b<a"}, "first last a b mine", []string{"+a b"}},
		{"after an older entry", []string{"a<F", "b<a"}, "first last mine", []string{"-a b"}},
		{"a new root", []string{"a<"}, "first last mine", []string{"-a"}},
		{"first elsewhere, then after our leaf", []string{"a<F", "b<L"}, "first last b mine", []string{"-a", "+b"}},
		{"it tried again", []string{"a<L", "b<L"}, "first last b mine", []string{"-a", "+b"}},
		{"after our leaf, then elsewhere", []string{"a<L", "b<F"}, "first last a mine", []string{"-b", "+a"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := newGrowing(t)
			first, leaf := say(t, g.Session, "first"), say(t, g.Session, "last")
			for _, o := range tt.other {
				id, parent, _ := strings.Cut(o, "<")
				g.other(t, id, strings.NewReplacer("L", leaf.ID, "F", first.ID).Replace(parent))
			}
			say(t, g.Session, "mine")
			if got := path(t, g.Session); got != tt.path {
				t.Errorf("path %q, want %q", got, tt.path)
			}
			if !slices.Equal(g.reported, tt.reported) {
				t.Errorf("reported %q, want %q", g.reported, tt.reported)
			}
			again := must.Get(filestore.New("", filestore.Options{}).Open(ctx, g.Ref(), session.Mode{}))
			reopened := session.New(again, session.Options{})
			defer reopened.Close()
			if got := path(t, reopened); got != tt.path {
				t.Errorf("reopened: path %q, want %q", got, tt.path)
			}
		})
	}
}

// What was prepared for the old leaf is not written; prepared again, it is.
func TestCommitsAfterAnotherProgram(t *testing.T) {
	for _, from := range []bool{false, true} {
		g := newGrowing(t)
		first, leaf := say(t, g.Session, "first"), say(t, g.Session, "last")
		parent := leaf
		commit := g.Commit
		if from {
			parent, commit = first, func(ctx context.Context, entries []*session.Entry) error { return g.CommitFrom(ctx, leaf, entries) }
		}
		g.other(t, "a", leaf.ID)
		before := must.Get(os.ReadFile(g.Ref()))
		if err := commit(ctx, g.Prepare(parent, session.ThinkingDraft("low"))); !errors.Is(err, session.ErrLeafMoved) {
			t.Fatalf("%v, want ErrLeafMoved", err)
		}
		if after := must.Get(os.ReadFile(g.Ref())); string(after) != string(before) {
			t.Error("something was written")
		}
		if got := path(t, g.Session); got != "first last a" {
			t.Errorf("path %q", got)
		}
		now := must.Get(g.Leaf(ctx))
		if err := g.Commit(ctx, g.Prepare(now, session.ThinkingDraft("low"))); err != nil {
			t.Error(err)
		}
		if want := []string{"+a"}; !slices.Equal(g.reported, want) {
			t.Errorf("reported %q, want %q", g.reported, want)
		}
	}
}
