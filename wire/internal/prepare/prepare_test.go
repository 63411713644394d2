package prepare

import (
	"slices"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/timeline"
	"pgregory.net/rapid"
)

func TestFit(t *testing.T) {
	tests := []struct{ in, want string }{
		{"toolu_01-A", "toolu_01-A"},
		{strings.Repeat("a", 20), strings.Repeat("a", 20)},
		{"a.b", "a_b_2e7336dc"},
		{"", "_e3b0c442"},
	}
	for _, tt := range tests {
		if got := Fit(tt.in, 20); got != tt.want {
			t.Errorf("Fit(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.String().Draw(t, "a"), rapid.String().Draw(t, "b")
		fa, fb := Fit(a, 20), Fit(b, 20)
		if !plain(fa) || len(fa) > 20 || Fit(fa, 20) != fa {
			t.Fatalf("Fit(%q) = %q", a, fa)
		}
		if a != b && fa == fb {
			t.Fatalf("%q and %q both became %q", a, b, fa)
		}
	})
}

func TestBudget(t *testing.T) {
	tests := []struct {
		level string
		limit int64
		want  int64
	}{
		{"high", 0, 20480}, {"high", 40960, 20480}, {"high", 40959, 10240}, {"high", 30000, 10240}, {"xhigh", 8191, 1024}, {"minimal", 2048, 1024}, {"low", 2047, 0}, {"off", 0, 0}, {"", 0, 0}, {"huge", 0, 0}, {"xhigh", 100000, 32768},
	}
	for _, tt := range tests {
		if got := Budget(tt.level, tt.limit); got != tt.want {
			t.Errorf("Budget(%q, %d) = %d, want %d", tt.level, tt.limit, got, tt.want)
		}
	}
}

func testRules() Rules {
	return Rules{
		ID:       func(s string) string { return Fit(s, 20) },
		Name:     func(s string) string { return Fit(s, 20) },
		Thinking: func(message.Thinking) bool { return true },
	}
}

func call(id string) message.Block { return message.ToolCall{ID: id, Name: "t" + id} }

func result(id string) *message.Message {
	return &message.Message{Role: message.RoleToolResult, ToolCallID: id}
}

func assistant(b ...message.Block) *message.Message {
	return &message.Message{Role: message.RoleAssistant, Content: b}
}

// Results are bound to the nearest open call with their id, and each call has
// an id of its own.
func TestBinding(t *testing.T) {
	x2 := Fit("x~2", 20)
	tests := []struct {
		name     string
		messages []*message.Message
		want     []string // ids of the results as sent
	}{
		{"in the order of the calls", []*message.Message{assistant(call("x"), call("y")), result("y"), result("x")}, []string{"x", "y"}},
		{"an id in two batches", []*message.Message{assistant(call("x")), result("x"), assistant(call("x")), result("x")}, []string{"x", x2}},
		{"an id twice in a batch", []*message.Message{assistant(call("x"), call("x")), result("x"), result("x")}, []string{"x", x2}},
		{"a batch in two messages", []*message.Message{assistant(call("x")), assistant(call("y"), call("x")), result("x"), result("y"), result("x")}, []string{"x", "y", x2}},
		{"a dangling call before", []*message.Message{assistant(call("x")), {Role: message.RoleUser}, assistant(call("x")), result("x")}, []string{x2}},
		{"a late result", []*message.Message{assistant(call("x")), {Role: message.RoleUser}, assistant(call("y")), result("x"), result("y")}, []string{"x", "y"}},
		{"a result without a call stays", []*message.Message{assistant(call("x")), result("z"), result("x")}, []string{"x", "z"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, m := range Messages(timeline.Request{Messages: tt.messages}, message.Model{}, testRules()) {
				if m.Role == message.RoleToolResult {
					got = append(got, m.CallID)
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// A cache mark of a message that is left out moves to the one before it.
func TestMarkOfADroppedMessage(t *testing.T) {
	user := &message.Message{Role: message.RoleUser, Content: []message.Block{message.Text{Text: "a"}}}
	got := Messages(timeline.Request{Messages: []*message.Message{user, assistant(), nil, user}, CachePoints: []int{1}}, message.Model{}, testRules())
	if len(got) != 2 || !got[0].Mark || got[1].Mark {
		t.Errorf("got %+v", got)
	}
}
