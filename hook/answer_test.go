package hook

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/internal/testkit/history"
	"github.com/coppice-dev/coppice/message"
)

func TestValidMessages(t *testing.T) {
	user := &message.Message{Role: message.RoleUser, Content: text("x")}
	calls := func(ids ...string) *message.Message {
		m := &message.Message{Role: message.RoleAssistant, Content: text("I look.")}
		for _, id := range ids {
			m.Content = append(m.Content, message.ToolCall{ID: id, Name: "read"})
		}
		return m
	}
	result := func(id string) *message.Message {
		return &message.Message{Role: message.RoleToolResult, ToolCallID: id}
	}
	for _, tt := range []struct {
		name string
		msgs []*message.Message
		want string
	}{
		{"a question", []*message.Message{user}, ""},
		{"parallel calls", []*message.Message{user, calls("a", "b"), result("b"), result("a")}, ""},
		{"answers in between", []*message.Message{user, calls(), user, calls("a"), result("a"), user}, ""},
		{"nothing", []*message.Message{}, "no messages"},
		{"a gap", []*message.Message{nil}, "missing"},
		{"empty", []*message.Message{{Role: message.RoleUser}}, "empty"},
		{"a role of ours", []*message.Message{{Role: message.RoleCustom, Content: text("x")}}, `role "custom"`},
		{"a call without result", []*message.Message{user, calls("a")}, "no result"},
		{"something between", []*message.Message{user, calls("a"), user, result("a")}, "between"},
		{"a result alone", []*message.Message{user, result("a")}, "without a call"},
		{"a result twice", []*message.Message{user, calls("a"), result("a"), result("a")}, "without a call"},
		{"two calls of one id", []*message.Message{user, calls("a", "a"), result("a")}, "two calls"},
		{"a call without id", []*message.Message{user, calls(""), result("")}, "without an id"},
		{"an assistant at the end", []*message.Message{user, calls()}, "from the assistant"},
	} {
		err := validMessages(tt.msgs)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// What is valid here keeps invariant I2.
func TestValidMessagesKeepPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.SampledFrom([]string{"a", "b", "c"})
		msgs := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) *message.Message {
			switch rapid.IntRange(0, 3).Draw(t, "kind") {
			case 0:
				return &message.Message{Role: message.RoleUser, Content: text("x")}
			case 1:
				m := &message.Message{Role: message.RoleAssistant, Content: text("y")}
				for _, c := range rapid.SliceOfNDistinct(id, 0, 2, rapid.ID).Draw(t, "calls") {
					m.Content = append(m.Content, message.ToolCall{ID: c, Name: "t"})
				}
				return m
			}
			return &message.Message{Role: message.RoleToolResult, ToolCallID: id.Draw(t, "id"), Content: text("z")}
		}), 0, 6).Draw(t, "messages")
		if validMessages(msgs) == nil {
			if err := history.Pairing(msgs); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestContext(t *testing.T) {
	view := []*message.Message{{Role: message.RoleUser, Content: text("my key")}}
	b, r := newBus(
		answers(EventContext, "a", `{"messages":[{"role":"user","content":"[removed]"}]}`),
		answers(EventContext, "b", `{"messages":[{"role":"assistant","content":"so I say"}]}`),
		answers(EventContext, "c", `{"messages":[7]}`),
		answers(EventContext, "d", `{"messages":[]}`),
	)
	a, err := b.Context(t.Context(), Context{Messages: view}, nil)
	if err != nil || len(a.Messages) != 1 || a.Messages[0].Text("") != "[removed]" || view[0].Text("") != "my key" {
		t.Errorf("%+v, %v", a, err)
	}
	r.expect(t, "the last message is from the assistant", "not a message: 7", "there are no messages")
}

func FuzzAnswer(f *testing.F) {
	for _, s := range []string{"", "{}", "null", `{"cancel":true,"reason":"x"}`, `{"compaction":{"summary":"\ud83d","details":{}}}`,
		`{"context":["a",1]}`, `{"messages":[{"role":"toolResult","content":[{}]}]}`, `{"content":[{"type":"image"}]}`, "{\"a\":\"\xff\"}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		decode := []func(*answer) any{
			func(in *answer) any { return decodeCompaction(in) },
			func(in *answer) any { return compacting.decode(in) },
			func(in *answer) any { return decodeSummary(in).check() },
			func(in *answer) any { return checkContent(in.content("content")) },
			func(in *answer) any { return validMessages(in.messages("messages")) },
		}
		for _, d := range decode {
			in, err := parseAnswer(raw)
			if err != nil {
				return
			}
			in.ruling()
			d(in)
			in.join()
			in.unknown()
			for _, v := range in.fields {
				if !rawjson.Valid(v) {
					t.Fatalf("%q is left of %q", v, raw)
				}
			}
		}
	})
}
