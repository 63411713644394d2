package render

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/internal/calibration"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/prune"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/memstore"
	"github.com/coppice-dev/coppice/timeline"
)

func text(s string) []message.Block { return []message.Block{message.Text{Text: s}} }

func say(role message.Role, s string) *message.Message {
	return &message.Message{Role: role, Content: text(s), StopReason: message.StopEnd}
}

// view is the view of a session with these messages.
func view(t *testing.T, msgs ...*message.Message) *timeline.View {
	t.Helper()
	return viewFor(t, message.Model{}, msgs...)
}

// viewFor is the view for a model.
func viewFor(t *testing.T, m message.Model, msgs ...*message.Message) *timeline.View {
	t.Helper()
	log, err := memstore.New(nil).Create(context.Background(), session.Header{})
	if err != nil {
		t.Fatal(err)
	}
	s := session.New(log, session.Options{})
	for _, m := range msgs {
		if _, err := s.Append(context.Background(), session.MessageDraft(m)); err != nil {
			t.Fatal(err)
		}
	}
	v, err := timeline.Project(context.Background(), s, nil, timeline.Policy{Model: m})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// rounds is a turn of n calls whose results have tokens each, and the start of
// the next turn.
func rounds(tool string, n, tokens int) []*message.Message {
	msgs := []*message.Message{say(message.RoleUser, "go")}
	for i := range n {
		id := "c" + string(rune('a'+i))
		msgs = append(msgs, &message.Message{Role: message.RoleAssistant, StopReason: message.StopToolUse,
			Content: []message.Block{message.ToolCall{ID: id, Name: tool, Arguments: []byte(`{}`)}}},
			&message.Message{Role: message.RoleToolResult, ToolCallID: id, ToolName: tool, Content: text(strings.Repeat("abcd", tokens))})
	}
	return append(msgs, say(message.RoleAssistant, "done"), say(message.RoleUser, "more"))
}

func TestNext(t *testing.T) {
	tests := []struct {
		name    string
		tool    string
		n       int // results of 10,000 tokens
		window  int64
		pending int64
		pruned  bool
		edits   bool
		compact bool
	}{
		{"far below", "bash", 3, 100_000, 0, false, false, false},
		{"over, nothing old enough", "bash", 3, 40_000, 0, false, false, true},
		{"over by pending input alone", "bash", 3, 60_000, 20_000, false, false, true},
		{"over, old output is pruned first", "bash", 10, 100_000, 0, false, true, false},
		{"over and pruned already", "bash", 10, 100_000, 0, true, false, true},
		{"over, reads are not old output", "read", 10, 100_000, 0, false, false, true},
		{"window unknown", "read", 10, 0, 0, false, false, false},
		{"below, it does not pay", "bash", 10, 200_000, 0, false, false, false},
	}
	for _, tt := range tests {
		s := must.Get(Next(Input{View: view(t, rounds(tt.tool, tt.n, 10_000)...), Model: message.Model{Window: tt.window},
			Compaction: compaction.Settings{}, Prune: prune.Settings{HorizonTurns: new(int64(5))}, Pending: tt.pending, Pruned: tt.pruned}))
		if (len(s.Edits) > 0) != tt.edits || s.Compact != tt.compact {
			t.Errorf("%s: %d edits, compact %v (%d of %d)", tt.name, len(s.Edits), s.Compact, s.Size.Decision(), s.Threshold)
		}
	}
}

func TestNear(t *testing.T) {
	for _, tt := range []struct {
		estimated int64
		want      bool
	}{{900, false}, {901, true}, {1100, true}} {
		if got := (Step{Threshold: 1000, Size: timeline.Size{Estimated: tt.estimated}}).Near(); got != tt.want {
			t.Errorf("%d of 1000: %v", tt.estimated, got)
		}
	}
	if (Step{Size: timeline.Size{Estimated: 1}}).Near() {
		t.Error("near a threshold that is not known")
	}
}

func TestCachePointsMarkThisEndAndTheLast(t *testing.T) {
	points := func(v *timeline.View) []int { return CachePoints(must.Get(v.Request(true)).Messages) }
	if got := points(view(t, say(message.RoleUser, "one"))); !slices.Equal(got, []int{0}) {
		t.Errorf("first request: %v", got)
	}
	v := view(t, rounds("bash", 2, 1)...)
	if got := points(v); !slices.Equal(got, []int{4, 6}) {
		t.Errorf("%v of %d messages", got, len(v.Items))
	}
	if got := points(view(t)); got != nil {
		t.Errorf("nothing said: %v", got)
	}
}

func TestOutputLimit(t *testing.T) {
	measured := int64(3200)
	tests := []struct {
		m    message.Model
		s    timeline.Size
		r    Refused
		want int64
	}{
		{message.Model{}, timeline.Size{Estimated: 10}, Refused{}, 0},
		{message.Model{Window: 100_000, MaxOutput: 8000}, timeline.Size{Estimated: 1000}, Refused{}, 0},
		{message.Model{Window: 32_000}, timeline.Size{Estimated: 1000}, Refused{}, 0},
		{message.Model{Window: 10_000}, timeline.Size{Estimated: 4000}, Refused{}, 5000},
		{message.Model{Window: 10_000, MaxOutput: 8000}, timeline.Size{Estimated: 4000}, Refused{}, 5000},
		{message.Model{Window: 10_000, MaxOutput: 8000}, timeline.Size{Estimated: 3000, Measured: &measured, Usage: 3200}, Refused{}, 5000},
		{message.Model{Window: 10_000, MaxOutput: 8000}, timeline.Size{Estimated: 3000, Measured: &measured, Usage: 2200}, Refused{}, 5000},
		{message.Model{Window: 5_000, MaxOutput: 8000}, timeline.Size{Estimated: 3000, Measured: &measured, Usage: 2200}, Refused{}, 1024},
		{message.Model{Window: 6_000, MaxOutput: 8000}, timeline.Size{Estimated: 3000, Measured: &measured, Usage: 2200}, Refused{}, 1732},
		{message.Model{Window: 6_000, MaxOutput: 8000}, timeline.Size{Estimated: 3000, Measured: &measured, Usage: 2200, Calibration: calibration.Calibration{Refused: 1.5}}, Refused{}, 1732},
		{message.Model{Window: 8_000, MaxOutput: 8000}, timeline.Size{Estimated: 3000, Measured: &measured, Usage: 2200, Calibration: calibration.Calibration{Refused: 3.5}}, Refused{}, 2232},
		{message.Model{Window: 18_000, MaxOutput: 9000}, timeline.Size{Estimated: 3000, Measured: &measured, Usage: 2200, Calibration: calibration.Calibration{Refused: 12}}, Refused{}, 7732},
		{message.Model{Window: 10_000, MaxOutput: 8000}, timeline.Size{Estimated: 9900}, Refused{}, 1024},
		{message.Model{Window: 8192}, timeline.Size{Estimated: 500}, Refused{}, 4096},
		{message.Model{Window: 8192}, timeline.Size{Estimated: 500}, Refused{Counted: 8960, Estimated: 3400}, 1852},
		{message.Model{Window: 8192}, timeline.Size{Estimated: 500}, Refused{Counted: 4480, Estimated: 1900}, 4096},
		{message.Model{Window: 8192}, timeline.Size{Estimated: 3400}, Refused{Counted: 8960, Estimated: 3400}, 1024},
	}
	for _, tt := range tests {
		if got := OutputLimit(tt.m, tt.s, tt.r); got != tt.want {
			t.Errorf("%+v %+v %+v: %d, want %d", tt.m, tt.s, tt.r, got, tt.want)
		}
	}
}

// Reasoning goes with the signatures that refer to it, from as many messages as
// asked for.
func TestWithoutThinking(t *testing.T) {
	said := func() *message.Message {
		return &message.Message{Role: message.RoleAssistant, Content: []message.Block{message.Thinking{Thinking: "hm", Signature: "s"},
			message.Text{Text: "a", Signature: "s"}, message.ToolCall{ID: "c", Name: "read", ThoughtSignature: "s"}}}
	}
	only := &message.Message{Role: message.RoleAssistant, Content: []message.Block{message.Thinking{Thinking: "hm"}}}
	bare := &message.Message{Role: message.RoleAssistant, Content: []message.Block{message.Text{Text: "a"}, message.ToolCall{ID: "c", Name: "read"}}}
	user := message.User("go")
	for n, want := range [][]*message.Message{{user, only, said(), said()}, {user, only, said(), said()}, {user, said(), said()}, {user, bare, said()}, {user, bare, bare}} {
		before := []*message.Message{user, only, said(), said()}
		if got := WithoutThinking(before, n); !reflect.DeepEqual(got, want) {
			t.Errorf("of %d messages: %+v, want %+v", n, got, want)
		}
		if !reflect.DeepEqual(before, []*message.Message{user, only, said(), said()}) {
			t.Errorf("of %d messages: the messages were changed", n)
		}
	}
}
