package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/agent"
	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/hook"
	"github.com/coppice-dev/coppice/provider/fake"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/summarize"
)

// slow is a summarizer that signals its start and ends when the test allows it.
type slow struct {
	begun, let chan struct{}
}

func newSlow() *slow { return &slow{begun: make(chan struct{}), let: make(chan struct{})} }

func (s *slow) Summarize(ctx context.Context, _ summarize.Input) (summarize.Result, error) {
	close(s.begun)
	select {
	case <-s.let:
		return summarize.Result{Summary: "what was there", Rung: summarize.RungModel}, nil
	case <-ctx.Done():
		return summarize.Result{}, context.Cause(ctx)
	}
}

// went is a navigation and its events.
type went struct {
	out    *compaction.Navigated
	err    error
	events []string
}

func (r *rig) navigate(n compaction.Navigation) went {
	var w went
	w.out, w.err = r.agent.Navigate(context.Background(), n, func(e agent.Event) {
		w.events = append(w.events, strings.TrimSpace(fmt.Sprintf("%s %s %s", e.Type, e.Outcome, e.Why)))
	})
	return w
}

// first is the first entry of the path.
func (r *rig) first() *session.Entry { return r.path()[0] }

func TestNavigateWithSummary(t *testing.T) {
	s := memory(t)
	history(t, s, 4)
	r := newRig(t, fake.New(fake.Say("ok")), config{Session: s, Summarizer: extract})
	target := r.path()[1]
	w := r.navigate(compaction.Navigation{Target: target.ID, Summarize: new(true)})
	if w.err != nil || w.out.Status != compaction.Applied || w.out.Summary.ParentID != target.ID {
		t.Fatalf("%+v %v", w.out, w.err)
	}
	if want := []string{"branch_summary_start", "branch_summary_end applied"}; !slices.Equal(w.events, want) {
		t.Errorf("events %q", w.events)
	}
	if trigger := r.session.Reducing(); trigger != "" {
		t.Errorf("afterwards: %s", trigger)
	}
	r.must("And now?")
	if got := len(r.messages()); got != 5 { // question, answer, summary, question, answer
		t.Errorf("%d messages", got)
	}
	r.sound()
}

// While a turn runs, or a compaction or another branch summary is being made,
// navigation is refused with the reason, and changes nothing.
func TestNavigateWhileBusy(t *testing.T) {
	t.Run("streaming", func(t *testing.T) {
		s := memory(t)
		history(t, s, 2)
		r := newRig(t, fake.New(fake.Say("one two three")), config{Session: s, Summarizer: extract})
		refused := false
		for e, err := range r.agent.Run(context.Background(), "Go on.") {
			if err != nil {
				t.Fatal(err)
			}
			if e.Type == agent.EventMessageUpdate && !refused {
				refused = true
				if w := r.navigate(compaction.Navigation{Target: r.first().ID}); !errors.Is(w.err, agent.ErrBusy) || len(w.events) > 0 {
					t.Errorf("%v %v", w.err, w.events)
				}
			}
		}
		if !refused {
			t.Error("there was no stream")
		}
	})
	t.Run("compacting", func(t *testing.T) {
		s := memory(t)
		history(t, s, 20)
		sum := newSlow()
		settings := compaction.Settings{}
		settings.KeepRecentTokens = new(int64(1))
		r := newRig(t, fake.New(), config{Session: s, Summarizer: sum, Compaction: settings})
		done := make(chan error)
		go func() {
			var last error
			for _, err := range r.agent.Compact(context.Background(), "") {
				last = err
			}
			done <- last
		}()
		<-sum.begun
		w := r.navigate(compaction.Navigation{Target: r.first().ID, Summarize: new(true)})
		if !errors.Is(w.err, agent.ErrBusy) || !strings.Contains(w.err.Error(), "being compacted") {
			t.Errorf("%v", w.err)
		}
		r.session.AbortBranchSummary() // means another thing
		close(sum.let)
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// AbortBranchSummary stops the summary and nothing else; entries and leaf stay.
func TestAbortBranchSummary(t *testing.T) {
	s := memory(t)
	history(t, s, 4)
	sum := newSlow()
	r := newRig(t, fake.New(), config{Session: s, Summarizer: sum})
	before := len(r.path())
	done := make(chan went)
	go func() { done <- r.navigate(compaction.Navigation{Target: r.first().ID, Summarize: new(true)}) }()
	<-sum.begun
	if trigger := r.session.Reducing(); trigger != compaction.Branch {
		t.Error(trigger)
	}
	if w := r.navigate(compaction.Navigation{Target: r.first().ID}); !errors.Is(w.err, agent.ErrBusy) || !strings.Contains(w.err.Error(), "summarized") {
		t.Errorf("a second one: %v", w.err)
	}
	r.session.AbortCompaction() // means another thing
	r.session.AbortBranchSummary()
	w := <-done
	if w.err != nil || w.out.Status != compaction.Cancelled || w.out.Reason != compaction.Interrupted {
		t.Errorf("%+v %v", w.out, w.err)
	}
	if want := []string{"branch_summary_start", "branch_summary_end cancelled interrupted"}; !slices.Equal(w.events, want) {
		t.Errorf("events %q", w.events)
	}
	if len(r.path()) != before {
		t.Error("the path changed")
	}
}

func TestNavigateFailures(t *testing.T) {
	s := memory(t)
	history(t, s, 2)
	r := newRig(t, fake.New(), config{Session: s, Summarizer: &summarize.Ladder{}})
	w := r.navigate(compaction.Navigation{Target: r.first().ID, Summarize: new(true)})
	if w.err != nil || w.out.Reason != "summarizer-failed" || w.events[1] != "branch_summary_end failed summarizer-failed" {
		t.Errorf("%+v %v %q", w.out, w.err, w.events)
	}
	if w = r.navigate(compaction.Navigation{Target: "missing"}); !errors.Is(w.err, session.ErrNotFound) || len(w.events) != 0 {
		t.Errorf("%v %q", w.err, w.events)
	}
}

// Programs get exactly these members about a navigation, before and after it.
func TestNavigateTellsHooks(t *testing.T) {
	file := filepath.Join(t.TempDir(), "events.jsonl")
	var programs []hook.Program
	for _, e := range []hook.Event{hook.EventSessionStart, "session_before_tree", "session_tree", hook.EventAgentStart} {
		programs = append(programs, hook.Program{Event: e, Name: "recorder", Command: []string{os.Args[0], asRecorder, file}})
	}
	bus := hook.New(hook.Options{Programs: programs, Report: func(err error) { t.Error(err) }})
	s := memory(t)
	history(t, s, 2)
	r := newRig(t, fake.New(), config{Session: s, Summarizer: extract, Hooks: bus})
	old, target := r.path()[3], r.path()[1]
	w := r.navigate(compaction.Navigation{Target: target.ID, Summarize: new(true), Focus: "files", Label: "back"})
	if w.err != nil || w.out.Status != compaction.Applied {
		t.Fatalf("%+v %v", w.out, w.err)
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(raw)), "\n")
	if len(lines) != 3 {
		t.Fatalf("%d events:\n%s", len(lines), raw)
	}
	var before struct {
		Type        string
		Preparation map[string]json.RawMessage
	}
	var after map[string]json.RawMessage
	if json.Unmarshal([]byte(lines[1]), &before) != nil || json.Unmarshal([]byte(lines[2]), &after) != nil {
		t.Fatalf("not JSON:\n%s", raw)
	}
	keys := "commonAncestorId customInstructions entriesToSummarize label oldLeafId targetId userWantsSummary"
	if got := keysOf(before.Preparation); before.Type != "session_before_tree" || got != keys {
		t.Errorf("%s: %s", before.Type, got)
	}
	if got := string(before.Preparation["targetId"]); got != `"`+target.ID+`"` {
		t.Errorf("target %s", got)
	}
	if got := keysOf(after); got != "cwd fromHook newLeafId oldLeafId sessionId summaryEntry type" {
		t.Errorf("session_tree: %s", got)
	}
	if string(after["oldLeafId"]) != `"`+old.ID+`"` || string(after["newLeafId"]) != `"`+w.out.Leaf.ID+`"` {
		t.Errorf("%s", lines[2])
	}
}

func keysOf(m map[string]json.RawMessage) string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return strings.Join(keys, " ")
}

// Input during a branch summary waits, and is added once, at the new place.
func TestInputDuringBranchSummary(t *testing.T) {
	s := memory(t)
	history(t, s, 4)
	sum := newSlow()
	r := newRig(t, fake.New(fake.Say("ok")), config{Session: s, Summarizer: sum})
	target := r.path()[1]
	done := make(chan went)
	go func() { done <- r.navigate(compaction.Navigation{Target: target.ID, Summarize: new(true)}) }()
	<-sum.begun
	r.agent.Queue(agent.FollowUp, "Try the other way.")
	for _, err := range r.agent.Run(context.Background(), "now") {
		if !errors.Is(err, agent.ErrBusy) {
			t.Errorf("a turn began: %v", err)
		}
	}
	close(sum.let)
	if w := <-done; w.err != nil || w.out.Status != compaction.Applied {
		t.Fatalf("%+v %v", w.out, w.err)
	}
	if got := r.agent.Queued(); len(got) != 1 {
		t.Errorf("queued: %v", got)
	}
	for _, err := range r.agent.Resume(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
	}
	msgs := r.messages()
	if n := len(msgs); n < 2 || msgs[n-2].Text("") != "Try the other way." || strings.Count(r.server.Requests()[0].Text(), "Try the other way.") != 1 {
		t.Errorf("%d messages", n)
	}
}
