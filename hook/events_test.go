package hook

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
)

var update = flag.Bool("update", false, "write testdata again")

// Every event, as a program gets it on its standard input.
func TestEventsAsProgramsGetThem(t *testing.T) {
	s := work(t, 3)
	path, err := s.Path(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	e := planned(t, s, compaction.Overflow)
	e.Focus = "the flag"
	entry := func(raw string) *session.Entry {
		e, ok := session.ParseEntry([]byte(raw))
		if !ok {
			t.Fatal(raw)
		}
		return e
	}
	compacted := entry(`{"type":"compaction","id":"0000000a","parentId":"00000008","summary":"Short.","firstKeptEntryId":"00000008","tokensBefore":43,"fromHook":true,"unknown":[1, 2]}`)
	branch := entry(`{"type":"branch_summary","id":"0000000b","parentId":"00000001","fromId":"00000008","summary":"A dead end.","fromHook":true}`)
	in := EnvelopeOf(s.Log().Header(), s.Ref())
	call := in
	call.ToolCallID = "c2"
	lifecycle := func(name Event) func(context.Context, *Bus) error {
		return func(ctx context.Context, b *Bus) error {
			return b.Inform(ctx, Lifecycle{Envelope: in, Name: name})
		}
	}
	inform := func(n Notice) func(context.Context, *Bus) error {
		return func(ctx context.Context, b *Bus) error { return b.Inform(ctx, n) }
	}
	fire := map[Event]func(context.Context, *Bus) error{
		eventBeforeCompact: func(ctx context.Context, b *Bus) error {
			_, err := b.CompactionHooks(s).BeforeCompact(ctx, e)
			return err
		},
		eventCompacting: func(ctx context.Context, b *Bus) error {
			_, err := b.CompactionHooks(s).Compacting(ctx, e)
			return err
		},
		eventBeforeTree: func(ctx context.Context, b *Bus) error {
			_, err := b.CompactionHooks(s).BeforeTree(ctx, compaction.BeforeTree{Wanted: true,
				Navigation: compaction.Navigation{Target: "00000001", Focus: "only the tests", ReplaceInstructions: true, Label: "dead end"},
				Route:      &compaction.Route{Target: path[0], OldLeaf: path[7], Ancestor: path[0], Left: path[6:]}})
			return err
		},
		eventBeforeFork: func(ctx context.Context, b *Bus) error {
			_, err := b.BeforeFork(ctx, BeforeFork{Envelope: in, EntryID: "00000004"})
			return err
		},
		eventBeforeSwitch: func(ctx context.Context, b *Bus) error {
			_, err := b.BeforeSwitch(ctx, BeforeSwitch{Envelope: in, Target: "other.jsonl"})
			return err
		},
		eventToolCall: func(ctx context.Context, b *Bus) error {
			_, err := b.ToolCall(ctx, ToolCall{Envelope: call, Tool: "bash", Arguments: []byte(`{"command":"go test"}`)})
			return err
		},
		eventToolResult: func(ctx context.Context, b *Bus) error {
			_, err := b.ToolResult(ctx, ToolResult{Envelope: call, Result: must.Get(path[6].Message())})
			return err
		},
		EventContext: func(ctx context.Context, b *Bus) error {
			_, err := b.Context(ctx, Context{in, []*message.Message{must.Get(path[0].Message())}}, nil)
			return err
		},
		EventSessionStart:    lifecycle(EventSessionStart),
		EventFork:            lifecycle(EventFork),
		EventTurnStart:       lifecycle(EventTurnStart),
		EventTurnEnd:         lifecycle(EventTurnEnd),
		EventAgentStart:      lifecycle(EventAgentStart),
		EventAgentEnd:        lifecycle(EventAgentEnd),
		EventSessionShutdown: lifecycle(EventSessionShutdown),
		eventCompact:         inform(Compacted{Envelope: in, Entry: compacted, FromHook: true, Trigger: compaction.Manual}),
		eventCompactFailed:   inform(CompactFailed{Envelope: in, Trigger: compaction.Threshold, Outcome: compaction.Cancelled, Message: "not now"}),
		eventTree:            inform(Moved{Envelope: in, NewLeafID: "00000001", OldLeafID: "00000008", SummaryEntry: branch, FromHook: true}),
	}
	var got bytes.Buffer
	file := filepath.Join(t.TempDir(), "event")
	for _, event := range Events() {
		b, r := newBus(Program{Event: event, Name: "recorder", Command: does("record", file, "")})
		if fire[event] == nil {
			t.Fatalf("%s is not tested", event)
		}
		if err := fire[event](t.Context(), b); err != nil {
			t.Fatal(event, err)
		}
		r.expect(t)
		line, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(event, err)
		}
		if !rawjson.Valid(line) || bytes.IndexByte(line, '\n') != len(line)-1 || rawjson.String(rawjson.Get(line, "type")) != string(event) {
			t.Errorf("%s is not one line of JSON: %s", event, line)
		}
		got.Write(line)
	}
	golden := filepath.Join("testdata", "events.jsonl")
	if *update {
		if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	wantLines, gotLines := bytes.Split(want, []byte("\n")), bytes.Split(got.Bytes(), []byte("\n"))
	for i := range max(len(wantLines), len(gotLines)) {
		if i >= len(wantLines) || i >= len(gotLines) || !bytes.Equal(bytes.TrimSuffix(wantLines[i], []byte("\r")), gotLines[i]) {
			t.Fatalf("line %d of %s differs; got\n%s", i+1, golden, gotLines[min(i, len(gotLines)-1)])
		}
	}
}

// The keys that the specification names, and no others.
func TestKeysOfBeforeCompact(t *testing.T) {
	s := work(t, 3)
	e := BeforeCompact{EnvelopeOf(s.Log().Header(), s.Ref()), planned(t, s, compaction.Manual)}
	b, _ := newBus()
	keys := func(raw []byte) (out []string) {
		for name := range rawjson.Members(raw) {
			out = append(out, name)
		}
		return out
	}
	raw := must.Get(b.beforeCompact(s).encode(t.Context(), e))
	equal(t, "event", keys(raw), []string{"type", "sessionId", "cwd", "preparation", "branchEntries", "reason", "willRetry", "conversationText", "turnPrefixText"})
	equal(t, "preparation", keys(rawjson.Get(raw, "preparation")), []string{"messagesToSummarize", "turnPrefixMessages", "isSplitTurn",
		"fileOps", "tokensBefore", "firstKeptEntryId", "settings"})
	if !slices.Contains(keys(raw), "willRetry") || rawjson.Bool(rawjson.Get(raw, "willRetry")) {
		t.Error("a manual compaction is not followed by a retry")
	}
}

// Programs get the whole path of the conversation, including entries before
// another program's compaction, which the view does not have.
func TestBranchEntriesAreTheWholePath(t *testing.T) {
	s := work(t, 3)
	kept, err := s.Leaf(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		d := session.CompactionDraft(&session.Compaction{Summary: "What was.", FirstKeptEntryID: kept.ID})
		if _, err := s.Append(t.Context(), d, session.MessageDraft(&message.Message{Role: message.RoleUser, Content: text("Go on.")}),
			session.MessageDraft(&message.Message{Role: message.RoleAssistant, StopReason: message.StopEnd, Content: text("Done.")})); err != nil {
			t.Fatal(err)
		}
		if kept, err = s.Leaf(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(t.TempDir(), "event")
	b, r := newBus(Program{Event: eventBeforeCompact, Name: "recorder", Command: does("record", file, "")})
	e := planned(t, s, compaction.Manual)
	if _, err := b.CompactionHooks(s).BeforeCompact(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	r.expect(t)
	line, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	path, err := s.Path(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var got, want []string
	for _, e := range path {
		want = append(want, e.ID)
	}
	for e := range rawjson.Elements(rawjson.Get(line, "branchEntries")) {
		got = append(got, rawjson.String(rawjson.Get(e, "id")))
	}
	equal(t, "branchEntries", got, want)
	if len(e.Plan.View.Path) >= len(path) {
		t.Errorf("the view holds the whole path, %d entries: that shows nothing", len(path))
	}
}
