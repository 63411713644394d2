package agent_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/coppice-dev/coppice/agent"
	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/hook"
	"github.com/coppice-dev/coppice/provider/fake"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/memstore"
	"github.com/coppice-dev/coppice/summarize"
	"github.com/google/go-cmp/cmp"
)

// still is the clock of the recorded session.
func still() time.Time { return time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC) }

// drawn are ids that differ from run to run.
var drawn = regexp.MustCompile(`\b[0-9a-f]{16}\b`)

// numbered replaces random ids with numbers, in order of first appearance.
func numbered(text string) string {
	seen := map[string]string{}
	return drawn.ReplaceAllStringFunc(text, func(id string) string {
		if seen[id] == "" {
			seen[id] = fmt.Sprintf("entry-%d", len(seen)+1)
		}
		return seen[id]
	})
}

// minutes is a summarizer that always says the same.
type minutes struct{}

func (minutes) Summarize(context.Context, summarize.Input) (summarize.Result, error) {
	return summarize.Result{Summary: "## Goal\nRename the flag to --quiet.", Rung: summarize.RungModel}, nil
}

// The order and the content of a session's events, as programs get them: a turn
// with a tool, compactions by the user and after a refusal, one with nothing to
// do, a move to an earlier entry, and the end.
func TestHookEventsOfASession(t *testing.T) {
	file := filepath.Join(t.TempDir(), "events.jsonl")
	var programs []hook.Program
	for _, e := range hook.Events() {
		programs = append(programs, hook.Program{Event: e, Name: "recorder", Command: []string{os.Args[0], asRecorder, file}})
	}
	bus := hook.New(hook.Options{Programs: programs, Report: func(err error) { t.Error(err) }})
	log, err := memstore.New(still).Create(context.Background(), session.Header{ID: "0195", Cwd: "project"}.Complete(still()))
	if err != nil {
		t.Fatal(err)
	}
	settings := compaction.Settings{}
	settings.KeepRecentTokens = new(int64(1))
	words := strings.Repeat("word ", 900)
	server := fake.New(fake.Call("c1", "echo", `{"text":"hi"}`), fake.Say(words), fake.Overflow(), fake.Say("All green."))
	r := newRig(t, server, config{Session: seed{log}, Now: still, Hooks: bus,
		Tools: []agent.Tool{echo(false, nil)}, Summarizer: minutes{}, Compaction: settings})
	compact := func() {
		for _, err := range r.agent.Compact(context.Background(), "the flag") {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	r.must("Rename the flag to --quiet. " + words)
	compact()
	compact()
	r.must("Run the tests. " + words)
	path := r.path()
	back := path[len(path)-2] // what the answer was based on
	if w := r.navigate(compaction.Navigation{Target: back.ID, Summarize: new(true), Focus: "files", Label: "back"}); w.err != nil || w.out.Status != compaction.Applied {
		t.Fatalf("%+v %v", w.out, w.err)
	}
	r.agent.Close()

	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	many := regexp.MustCompile(`(?:word ){20,}(?:word|wor|wo|w)?…?`) // whole, or shortened
	got := numbered(many.ReplaceAllString(strings.ReplaceAll(string(raw), strings.TrimSpace(words), "WORDS"), "WORDS, shortened"))
	golden := filepath.Join("testdata", "hooks.jsonl")
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(strings.ReplaceAll(string(want), "\r\n", "\n"), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("go test -run %s -update writes %s anew\n%s", t.Name(), golden, diff)
	}
	r.sound()
}
