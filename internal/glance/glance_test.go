package glance_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/coppice-dev/coppice/internal/glance"
	"github.com/coppice-dev/coppice/internal/state"
	"github.com/coppice-dev/coppice/internal/testkit/scene"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/memstore"
)

// counting counts the entries that are read of a log.
type counting struct {
	session.Log
	read int
}

func (c *counting) Parent(ctx context.Context, e *session.Entry) (*session.Entry, error) {
	c.read++
	return c.Log.Parent(ctx, e)
}

// play makes a session of a scene; compactions come after the scenes but the
// last.
func play(t *testing.T, scenes ...string) *counting {
	t.Helper()
	now := func() time.Time { return time.Unix(0, 0) }
	log, err := memstore.New(now).Create(t.Context(), session.Header{Cwd: "/home/mara/src/kiosk"})
	if err != nil {
		t.Fatal(err)
	}
	s := session.New(log, session.Options{Now: now})
	for i, text := range scenes {
		sc, err := scene.Parse("agent: pi\n---\n" + text)
		if err != nil {
			t.Fatal(err)
		}
		var drafts []session.Draft
		for k, m := range sc.Messages() {
			d := session.MessageDraft(m)
			d.ID = fmt.Sprintf("e%d-%d", i, k)
			drafts = append(drafts, d)
		}
		if _, err := s.Append(t.Context(), drafts...); err != nil {
			t.Fatal(err)
		}
		if i < len(scenes)-1 {
			c := &session.Compaction{Summary: "## Goal\n- x", FirstKeptEntryID: fmt.Sprintf("e%d-0", i), TokensBefore: 1,
				Coppice: &session.CompactionDetails{State: []byte(`{"v":1,"items":[{"k":"request","t":"Port the parser to Rust.","l":"current","e":["a"]},{"k":"task","t":"Port the lexer","l":"open","e":["a"]}]}`)}}
			if _, err := s.Append(t.Context(), session.CompactionDraft(c)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return &counting{Log: log}
}

func line(t *testing.T, log *counting) (string, *state.State) {
	t.Helper()
	s := session.New(log, session.Options{})
	leaf, err := s.Leaf(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	st, err := glance.At(t.Context(), s, leaf, nil)
	if err != nil {
		t.Fatal(err)
	}
	return st.Line(), st
}

func TestAt(t *testing.T) {
	work := "$ make build\n| Compiling the kiosk\n"
	for _, tc := range []struct {
		name   string
		scenes []string
		want   string
		open   bool
	}{
		{"an answered request", []string{"U Repair the till.\nA Repaired.\n"}, "Repair the till. (done)", false},
		{"an open one", []string{"U Repair the till.\n" + work}, "Repair the till.", true},
		{"something fails", []string{"U Repair the till.\n$ make test\n| make: *** [test] Error 1\n! 2\n"}, "Repair the till. · fails: make test", true},
		{"what a compaction carries", []string{"A Go.\n" + work, "A On.\n" + work}, "Port the parser to Rust. · next: Port the lexer", true},
		{"a request that came since", []string{"A Go.\n" + work, "U What does the lexer weigh?\nA 4 KB.\n"}, "Port the parser to Rust. · next: Port the lexer", true},
		{"long before much work", []string{"U Repair the till.\n" + strings.Repeat(work, 150)}, "Repair the till.", true},
		{"nothing", []string{""}, "", false},
	} {
		got, st := line(t, play(t, tc.scenes...))
		if got != tc.want || (st.CurrentRequest() != nil) != tc.open {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}

// What a glance reads does not grow with the session.
func TestCost(t *testing.T) {
	reads := func(times int) int {
		log := play(t, strings.Repeat("U Repair the till.\nA Repaired.\n", times)+strings.Repeat("$ make\n| ok\n", 20))
		line(t, log)
		return log.read
	}
	if few, many := reads(100), reads(2000); many > few || many == 0 {
		t.Errorf("%d entries of a short session, %d of a long one", few, many)
	}
}
