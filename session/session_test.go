package session_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/internal/mark"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/filestore"
	"github.com/coppice-dev/coppice/session/memstore"
)

var ctx = context.Background()

func newSession(t *testing.T) *session.Session {
	t.Helper()
	log, err := memstore.New(nil).Create(ctx, session.Header{Cwd: "/p"})
	if err != nil {
		t.Fatal(err)
	}
	return session.New(log, session.Options{})
}

func say(t *testing.T, s *session.Session, text string) *session.Entry {
	t.Helper()
	e, err := s.Append(ctx, session.MessageDraft(&message.Message{Role: message.RoleUser, Content: []message.Block{message.Text{Text: text}}}))
	if err != nil {
		t.Fatal(err)
	}
	return e[0]
}

func path(t *testing.T, s *session.Session) string {
	t.Helper()
	entries, err := s.Path(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		if m := must.Get(e.Message()); m != nil {
			out = append(out, m.Text(""))
		} else {
			out = append(out, string(e.Type))
		}
	}
	return strings.Join(out, " ")
}

// As pi 1.6.0 does.
func TestAppendFollowsTheLeaf(t *testing.T) {
	s := newSession(t)
	if leaf, err := s.Leaf(ctx); leaf != nil || err != nil {
		t.Fatalf("empty session has leaf %v, %v", leaf, err)
	}
	a, b := say(t, s, "a"), say(t, s, "b")
	if a.ParentID != "" || b.ParentID != a.ID {
		t.Errorf("parents %q %q", a.ParentID, b.ParentID)
	}
	say(t, s, "c")
	if err := s.MoveTo(ctx, b); err != nil {
		t.Fatal(err)
	}
	say(t, s, "d")
	if got := path(t, s); got != "a b custom d" {
		t.Errorf("path %q", got)
	}
	if err := s.MoveTo(ctx, nil); err != nil {
		t.Fatal(err)
	}
	say(t, s, "new root")
	if got := path(t, s); got != "custom new root" {
		t.Errorf("path from before the first entry %q", got)
	}
}

func TestTheLeafSurvivesARestart(t *testing.T) {
	store := filestore.New(t.TempDir(), filestore.Options{})
	log, err := store.Create(ctx, session.Header{Cwd: "/p"})
	if err != nil {
		t.Fatal(err)
	}
	s := session.New(log, session.Options{})
	a := say(t, s, "a")
	say(t, s, "b")
	if err := s.MoveTo(ctx, a); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	log, err = store.Open(ctx, s.Ref(), session.Mode{})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	if got := path(t, session.New(log, session.Options{})); got != "a custom" {
		t.Errorf("path after a restart %q", got)
	}
}

func TestCommitOnlyAtTheLeaf(t *testing.T) {
	s := newSession(t)
	a := say(t, s, "a")
	entries := s.Prepare(a, session.NameDraft("n"))
	say(t, s, "b")
	if err := s.Commit(ctx, entries); !errors.Is(err, session.ErrLeafMoved) {
		t.Errorf("commit after the leaf: %v", err)
	}
	if got := path(t, s); got != "a b" {
		t.Errorf("path %q", got)
	}
}

// Labels as in pi 1.6.0: set, last wins, clear, unknown target.
func TestLabels(t *testing.T) {
	s := newSession(t)
	a := say(t, s, "a")
	labels := func() string {
		m, err := s.Labels(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return m[a.ID]
	}
	for _, l := range []string{"first", "second"} {
		if _, err := s.SetLabel(ctx, a.ID, l); err != nil {
			t.Fatal(err)
		}
		if got := labels(); got != l {
			t.Errorf("label %q, want %q", got, l)
		}
	}
	e, err := s.SetLabel(ctx, a.ID, "")
	if err != nil || labels() != "" || strings.Contains(string(must.Get(e.Raw())), `"label":`) {
		t.Errorf("cleared: %q, %s, %v", labels(), must.Get(e.Raw()), err)
	}
	if _, err := s.SetLabel(ctx, "missing", "x"); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("unknown target: %v", err)
	}
}

// Every draft reads back unchanged.
func TestDraftsReadBack(t *testing.T) {
	s := newSession(t)
	a := say(t, s, "a")
	ref := session.Ref{ID: a.ID, At: a.At, Edit: &session.Ref{ID: "e1", At: -1}, Group: []session.Ref{{ID: "g1", At: 7}}}
	exit := 2
	entries, err := s.Append(ctx,
		session.CompactionDraft(&session.Compaction{Summary: "s\u2028\"", ShortSummary: "short", FirstKeptEntryID: a.ID, TokensBefore: 99,
			ReadFiles: []string{"r"}, ModifiedFiles: []string{"m"}, Usage: &message.Usage{Input: 3, Output: 4},
			System: &message.Message{Role: message.RoleSystem, Content: []message.Block{message.Text{Text: "be brief"}}},
			Coppice: &session.CompactionDetails{Model: &session.ModelChange{Provider: "p", ModelID: "m"}, ThinkingLevel: "high",
				Pins: []session.Ref{ref}, Request: []session.Ref{ref}, Edits: []string{"x"}, Rung: "extract", State: []byte(`{"v":1}`)}}),
		session.EditDraft(a.ID, []message.Block{message.Text{Text: "short"}}),
		session.OmitDraft(a.ID),
		mark.Pin(a.ID, []*session.Entry{a}),
		mark.Uncompact("c1"),
		session.ModelDraft("p", "m"),
		session.ThinkingDraft("low"),
		session.BranchSummaryDraft(&session.BranchSummary{FromID: "f", Summary: "b", ReadFiles: []string{"r"}}),
		session.NameDraft("n"),
		session.MessageDraft(&message.Message{Role: message.RoleBashExecution, Bash: &message.BashExecution{Command: "ls", Output: "x", ExitCode: &exit}}),
	)
	if err != nil {
		t.Fatal(err)
	}
	c := entries[0].Compaction()
	if c.Summary != "s\u2028\"" || c.ShortSummary != "short" || c.FirstKeptEntryID != a.ID || c.TokensBefore != 99 || c.Usage.Total() != 7 ||
		!slices.Equal(c.ReadFiles, []string{"r"}) || !slices.Equal(c.ModifiedFiles, []string{"m"}) || c.System.Text("") != "be brief" || c.FromHook {
		t.Errorf("compaction %+v", c)
	}
	d := c.Coppice
	if d.Model.ModelID != "m" || d.ThinkingLevel != "high" || d.Rung != "extract" || string(d.State) != `{"v":1}` || !slices.Equal(d.Edits, []string{"x"}) {
		t.Errorf("details %+v", d)
	}
	for _, r := range []session.Ref{d.Pins[0], d.Request[0]} {
		if r.ID != a.ID || r.At != a.At || r.Edit.ID != "e1" || r.Edit.At != -1 || r.Group[0].At != 7 {
			t.Errorf("reference %+v", r)
		}
	}
	if e := entries[1].ContextEdit(); e.TargetID != a.ID || e.Omit || (&message.Message{Content: e.Content}).Text("") != "short" {
		t.Errorf("edit %+v", e)
	}
	if e := entries[2].ContextEdit(); !e.Omit {
		t.Errorf("omission %+v", e)
	}
	if p := entries[3].Pin(); p.TargetID != a.ID || !p.Pinned {
		t.Errorf("pin %+v", p)
	}
	if entries[4].Undoes() != "c1" || *entries[5].ModelChange() != (session.ModelChange{Provider: "p", ModelID: "m"}) || entries[6].ThinkingLevel() != "low" {
		t.Error("uncompact, model or level read back otherwise")
	}
	if b := entries[7].BranchSummary(); b.FromID != "f" || b.Summary != "b" || !slices.Equal(b.ReadFiles, []string{"r"}) {
		t.Errorf("branch summary %+v", b)
	}
	if n, ok := entries[8].Name(); n != "n" || !ok {
		t.Errorf("name %q %v", n, ok)
	}
	if b := must.Get(entries[9].Message()).Bash; b.Command != "ls" || *b.ExitCode != 2 {
		t.Errorf("command %+v", b)
	}
}

// Entries that another program appends meanwhile are reported once, after the
// append that noticed them. If they do not continue the conversation, it goes on
// from its own leaf.
func TestForeignAppendsAreReported(t *testing.T) {
	log, err := filestore.New(t.TempDir(), filestore.Options{Sync: "off"}).Create(ctx, session.Header{Cwd: "/p"})
	if err != nil {
		t.Fatal(err)
	}
	s := session.New(log, session.Options{})
	defer s.Close()
	var reported []string
	s.OnForeign(func(foreign []*session.Entry, joined bool) {
		if joined {
			t.Error("they joined")
		}
		leaf, err := s.Leaf(ctx) // a watch may use the session
		if err != nil {
			t.Error(err)
		}
		for _, e := range foreign {
			reported = append(reported, e.ID+" at "+must.Get(leaf.Message()).Text(""))
		}
	})
	first := say(t, s, "one")
	say(t, s, "one and a half")
	f, err := os.OpenFile(s.Ref(), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"f1", "f2"} {
		_, err = f.WriteString(`{"type":"custom","customType":"x","id":"` + id + `","parentId":"` + first.ID + `","timestamp":"2026-01-01T00:00:00.000Z"}` + "\n")
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	say(t, s, "two")
	say(t, s, "three")
	if want := []string{"f1 at two", "f2 at two"}; !slices.Equal(reported, want) {
		t.Errorf("reported %v, want %v", reported, want)
	}
	if got := path(t, s); got != "one one and a half two three" {
		t.Errorf("path %q", got)
	}
}
