package prune

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/coppice-dev/coppice/internal/codec"
	"github.com/coppice-dev/coppice/internal/testkit/history"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/memstore"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/tokens"
)

var ctx = context.Background()

// work builds a session of tool rounds.
type work struct {
	t     testing.TB
	s     *session.Session
	calls int
	names map[string]string
}

func newWork(t testing.TB) *work {
	log, err := memstore.New(nil).Create(ctx, session.Header{Cwd: "/p"})
	if err != nil {
		t.Fatal(err)
	}
	return &work{t: t, s: session.New(log, session.Options{}), names: map[string]string{}}
}

func (w *work) add(d session.Draft, name string) {
	e, err := w.s.Append(ctx, d)
	if err != nil {
		w.t.Fatal(err)
	}
	w.names[e[0].ID] = name
}

func (w *work) user(text string) {
	w.add(session.MessageDraft(&message.Message{Role: message.RoleUser, Content: []message.Block{message.Text{Text: text}}}), "user")
}

func (w *work) answer() {
	w.add(session.MessageDraft(&message.Message{Role: message.RoleAssistant, Provider: "p", Model: "m", StopReason: message.StopEnd,
		Content: []message.Block{message.Text{Text: "done"}}}), "answer")
}

// round is one call with a result of so many tokens; details is raw JSON.
func (w *work) round(name, tool, args string, size int, details string) {
	w.calls++
	id := fmt.Sprintf("c%d", w.calls)
	w.add(session.MessageDraft(&message.Message{Role: message.RoleAssistant, Provider: "p", Model: "m", StopReason: message.StopToolUse,
		Content: []message.Block{message.ToolCall{ID: id, Name: tool, Arguments: []byte(args)}}}), "call")
	raw := string(codec.Encode(&message.Message{Role: message.RoleToolResult, ToolCallID: id, ToolName: tool,
		Content: []message.Block{message.Text{Text: strings.Repeat("word", size)}}}))
	if details != "" {
		raw = strings.TrimSuffix(raw, "}") + `,"details":` + details + "}"
	}
	w.add(session.Draft{Type: session.TypeMessage, Body: []byte(`{"message":` + raw + `}`)}, name)
}

func (w *work) view() *timeline.View {
	v, err := timeline.Project(ctx, w.s, nil, timeline.Policy{})
	if err != nil {
		w.t.Fatal(err)
	}
	return v
}

func (w *work) plan(s Settings) string {
	var out []string
	for _, e := range must.Get(Plan(w.view(), s, tokens.Plain{}, message.Model{})) {
		out = append(out, w.names[e.Entry.ID]+":"+string(e.Kind))
	}
	return strings.Join(out, " ")
}

func (w *work) bash(name string, size int) { w.round(name, "bash", `{"command":"make"}`, size, "") }

func (w *work) read(name, args string, size int) { w.round(name, "read", args, size, "") }

// Old output (docs/pruning.md, What is pruned): the result that crosses the
// line is still protected; nothing happens below the minimum.
func TestOldToolOutput(t *testing.T) {
	w := newWork(t)
	w.user("go")
	w.bash("a", 15000)
	w.bash("b", 15000)
	w.read("r", `{"path":"x"}`, 15000)
	w.bash("c", 30000)
	w.bash("d", 15000)
	w.answer()
	w.user("next")
	w.answer()
	if got := w.plan(Settings{}); got != "a:old-output b:old-output" {
		t.Errorf("pruned %q", got)
	}
	s := Settings{}
	s.ToolOutput.MinSavings = new(int64(30_000))
	if got := w.plan(s); got != "" {
		t.Errorf("below the minimum: %q", got)
	}
	s = Settings{}
	s.ToolOutput.ProtectedTools = []string{"skill", "read", "bash"}
	if got := w.plan(s); got != "" {
		t.Errorf("protected tool: %q", got)
	}
	e := must.Get(Plan(w.view(), Settings{}, tokens.Plain{}, message.Model{}))[0]
	if text := (&message.Message{Content: e.Content}).Text(""); !strings.HasPrefix(text, "[Output truncated - 15000 tokens]") || !strings.Contains(text, "en:"+e.Entry.ID) {
		t.Errorf("placeholder %q", text)
	}
}

func TestTheCurrentTurnIsLeftAlone(t *testing.T) {
	w := newWork(t)
	w.user("go")
	for i := range 6 {
		w.bash(fmt.Sprint(i), 30000)
	}
	if got := w.plan(Settings{}); got != "" {
		t.Errorf("pruned in the current turn: %q", got)
	}
}

// Unread results are left alone, in whatever turn they came.
func TestUnreadIsLeftAlone(t *testing.T) {
	image := message.Image{Data: strings.Repeat("AAAA", 250), MIMEType: "image/png"}
	w := newWork(t)
	w.user("go")
	w.bash("old", 30000)
	w.bash("older", 60000)
	w.answer()
	w.user("next")
	w.read("first", `{"path":"a"}`, 30000)
	w.read("second", `{"path":"a"}`, 30000)
	w.round("nothing", "grep", `{"pattern":"x"}`, 40, `{"empty":true}`)
	w.add(session.MessageDraft(&message.Message{Role: message.RoleToolResult, ToolCallID: "c1", ToolName: "bash", Content: []message.Block{message.Text{Text: "late"}, image}}), "picture")
	w.user("and?")
	w.user("well?")
	plan := func() string {
		var out []string
		for _, e := range must.Get(Plan(w.view(), Settings{}, tokens.Default{}, message.Model{MaxBytes: 1})) {
			out = append(out, w.names[e.Entry.ID]+":"+string(e.Kind))
		}
		return strings.Join(out, " ")
	}
	if got := plan(); got != "old:old-output older:old-output first:superseded" {
		t.Errorf("pruned %q, want what was read", got)
	}
	w.answer()
	w.user("thanks")
	w.answer()
	if got := plan(); got != "old:old-output older:old-output first:superseded nothing:empty picture:media" {
		t.Errorf("once it was read: pruned %q", got)
	}
}

// Ids come again: each result is that of the call before it.
func TestTheCallOfAResult(t *testing.T) {
	w := newWork(t)
	w.user("go")
	w.read("a", `{"path":"a"}`, 100)
	w.calls--
	w.read("b", `{"path":"b"}`, 100)
	w.calls--
	w.read("a again", `{"path":"a"}`, 100)
	w.answer()
	w.user("next")
	w.answer()
	if got := w.plan(Settings{}); got != "a:superseded" {
		t.Errorf("pruned %q", got)
	}
}

func TestSupersededReads(t *testing.T) {
	w := newWork(t)
	w.user("go")
	w.read("part", `{"path":"a","offset":10,"limit":20}`, 100)
	w.read("whole", `{"path":"a"}`, 100)
	w.read("other", `{"path":"b"}`, 100)
	w.read("later part", `{"path":"a","offset":1,"limit":5}`, 100)
	w.round("cut", "read", `{"path":"b"}`, 100, `{"truncation":{"lines":5}}`)
	w.read("again", `{"path":"a"}`, 100)
	w.answer()
	w.user("next")
	w.answer()
	if got := w.plan(Settings{}); got != "part:superseded whole:superseded later part:superseded" {
		t.Errorf("pruned %q", got)
	}
}

func TestEmptyResults(t *testing.T) {
	w := newWork(t)
	w.user("go")
	w.round("nothing", "grep", `{"pattern":"x"}`, 40, `{"empty":true}`)
	w.round("tiny", "grep", `{"pattern":"x"}`, 1, `{"empty":true}`)
	w.answer()
	w.user("next")
	w.answer()
	if got := w.plan(Settings{}); got != "nothing:empty" {
		t.Errorf("pruned %q", got)
	}
}

// Old images are dropped when the byte cap is near; those after the last user
// message stay.
func TestMedia(t *testing.T) {
	w := newWork(t)
	image := message.Image{Data: strings.Repeat("AAAA", 250), MIMEType: "image/png"}
	for range 10 {
		w.add(session.MessageDraft(&message.Message{Role: message.RoleUser, Content: []message.Block{message.Text{Text: "see"}, image}}), "image")
		w.answer()
	}
	edits := must.Get(Plan(w.view(), Settings{}, tokens.Default{}, message.Model{MaxBytes: 10_000}))
	if len(edits) < 2 || len(edits) > 8 {
		t.Fatalf("%d images pruned", len(edits))
	}
	for _, e := range edits {
		if e.Kind != Media || e.After >= e.Before || !strings.Contains((&message.Message{Content: e.Content}).Text(" "), "read en:"+e.Entry.ID) {
			t.Errorf("%+v", e)
		}
	}
	if got := must.Get(Plan(w.view(), Settings{}, tokens.Default{}, message.Model{})); got != nil {
		t.Errorf("without a cap: %v", got)
	}
}

// Each placeholder is smaller than what it replaces, pinned and open results
// are left alone, and the view stays whole and paired.
func TestPruningKeepsTheInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		log, err := memstore.New(nil).Create(ctx, session.Header{Cwd: "/p"})
		if err != nil {
			t.Fatal(err)
		}
		s := session.New(log, session.Options{})
		d := history.New(t, s)
		d.Turns(rapid.IntRange(2, 8).Draw(t, "turns"))
		d.Marks(rapid.IntRange(0, 3).Draw(t, "marks"))
		settings := Settings{}
		settings.ToolOutput.ProtectTokens, settings.ToolOutput.MinSavings = new(int64(500)), new(int64(1))
		settings.ToolOutput.ProtectedTools = []string{}
		before, err := timeline.Project(ctx, s, nil, timeline.Policy{})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range must.Get(Plan(before, settings, tokens.Default{}, message.Model{MaxBytes: 2000})) {
			if turns, first := before.Turns(); turns.Unread(first + slices.Index(before.Path, e.Entry)) {
				t.Fatalf("I12: %s of a result that no one has read", e.Kind)
			}
			if e.After >= e.Before || before.Pinned(e.Entry.ID) {
				t.Fatalf("%s: %d tokens become %d, pinned %v", e.Kind, e.Before, e.After, before.Pinned(e.Entry.ID))
			}
			if _, err := s.Append(ctx, e.Draft()); err != nil {
				t.Fatal(err)
			}
		}
		after, err := timeline.Project(ctx, s, nil, timeline.Policy{})
		if err != nil {
			t.Fatal(err)
		}
		path, err := s.Path(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := history.Account(path, after); err != nil {
			t.Fatalf("I1: %v", err)
		}
		if err := history.Pairing(must.Get(after.Request(true)).Messages); err != nil {
			t.Fatalf("I2: %v", err)
		}
		if err := history.Unread(path, after); err != nil {
			t.Fatalf("I12: %v", err)
		}
	})
}
