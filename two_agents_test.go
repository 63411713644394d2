package coppice_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/summarize"
)

// another appends a message of the user to a session file, as an agent that
// knows no locks does.
func another(t *testing.T, file, id, parent string) {
	t.Helper()
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	_, err = fmt.Fprintf(f, `{"type":"message","id":%q,"parentId":%q,"timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":"from the other agent: %s"}}`+"\n", id, parent, id)
	if err != nil {
		t.Fatal(err)
	}
}

// meanwhile is a summarizer during which something happens.
type meanwhile struct{ do func() }

func (m meanwhile) Summarize(context.Context, summarize.Input) (summarize.Result, error) {
	m.do()
	return summarize.Result{Summary: "## Goal\nThe service.\n\n## Progress\nIt works."}, nil
}

// Two agents use one file, one of which knows no locks. Whatever we do when the
// other has continued the conversation, its words and ours are on one path, in
// the order in which they were written, now and when the file is opened again.
func TestTwoAgentsOnOneFile(t *testing.T) {
	keep := int64(1_000)
	for name, do := range map[string]func(t *testing.T, s *coppice.Session) error{
		"Say": func(t *testing.T, s *coppice.Session) error {
			_, err := s.Say(t.Context(), message.User("mine"))
			return err
		},
		"Answer": func(t *testing.T, s *coppice.Session) error {
			_, err := s.Answer(t.Context(), func(yield func(message.Event, error) bool) {
				yield(message.Event{Message: &message.Message{Role: message.RoleAssistant, StopReason: message.StopEnd, Content: []message.Block{text("mine")}}}, nil)
			})
			return err
		},
		"SetName":   func(t *testing.T, s *coppice.Session) error { _, err := s.SetName(t.Context(), "mine"); return err },
		"SetPrompt": func(t *testing.T, s *coppice.Session) error { return s.SetPrompt(t.Context(), "You are mine.", nil) },
		"Pin": func(t *testing.T, s *coppice.Session) error {
			_, err := s.Pin(t.Context(), must.Get(s.Path(t.Context(), nil))[0].ID)
			return err
		},
		"Compact": func(t *testing.T, s *coppice.Session) error {
			out, err := s.Compact(t.Context(), compaction.Request{Keep: &keep})
			if err == nil && out.Status != compaction.Applied {
				t.Errorf("%s %s: %s", out.Status, out.Reason, out.Detail)
			}
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			var inSummary func()
			o := coppice.Options{Facts: message.Model{Window: 32_000}, Summarizer: meanwhile{func() { inSummary() }}}
			s := must.Get(coppice.Create(t.Context(), t.TempDir(), "/p", o))
			t.Cleanup(func() { s.Close() })
			talk(t, s, 10)
			path := must.Get(s.Path(t.Context(), nil))
			leaf := path[len(path)-1]
			other := func() {
				another(t, s.Ref(), "f1", leaf.ID)
				another(t, s.Ref(), "f2", "f1")
			}
			if inSummary = func() {}; name == "Compact" {
				inSummary = other
			} else {
				other()
			}
			if err := do(t, s); err != nil {
				t.Fatal(err)
			}
			var want []string
			for _, e := range path {
				want = append(want, e.ID)
			}
			want = append(want, "f1", "f2")
			check := func(what string, s *coppice.Session) {
				var got []string
				for _, e := range must.Get(s.Path(t.Context(), nil)) {
					got = append(got, e.ID)
				}
				if len(got) != len(want)+1 || !slices.Equal(got[:len(want)], want) {
					t.Errorf("%s: path %q, want %q and ours", what, got, want)
				}
				seen := ""
				for _, it := range must.Get(s.View(t.Context())).Items {
					seen += must.Get(it.Message()).Text("") + "\n"
				}
				if !strings.Contains(seen, "from the other agent: f1") || !strings.Contains(seen, "from the other agent: f2") {
					t.Errorf("%s: the model does not see what the other agent wrote", what)
				}
			}
			check("now", s)
			ref := s.Ref()
			s.Close()
			again := must.Get(coppice.Open(t.Context(), ref, o))
			defer again.Close()
			check("opened again", again)
		})
	}
}
