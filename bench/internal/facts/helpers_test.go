package facts

import (
	"fmt"
	"slices"
	"testing"

	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func toolCall(name, args string) message.ToolCall {
	return message.ToolCall{ID: "c1", Name: name, Arguments: []byte(args)}
}

func bash(script string) message.ToolCall {
	return toolCall("bash", `{"command":`+string(rawjson.Quote(script))+`}`)
}

// talk builds a range of messages.
type talk struct {
	msgs  []*message.Message
	calls int
}

func (t *talk) add(m *message.Message) { t.msgs = append(t.msgs, m) }

func (t *talk) user(s string) { t.add(text(message.RoleUser, s)) }
func (t *talk) says(s string) { t.add(text(message.RoleAssistant, s)) }

// runs adds a call and its result.
func (t *talk) runs(tc message.ToolCall, result string, isError bool) {
	t.calls++
	tc.ID = fmt.Sprintf("c%d", t.calls)
	t.add(&message.Message{Role: message.RoleAssistant, Content: []message.Block{tc}})
	m := text(message.RoleToolResult, result)
	m.ToolCallID, m.ToolName, m.IsError = tc.ID, tc.Name, isError
	t.add(m)
}

func (t *talk) find() []Fact { return Find(t.msgs) }

func text(role message.Role, s string) *message.Message {
	return &message.Message{Role: role, Content: []message.Block{message.Text{Text: s}}}
}

func of(found []Fact, c Class) []Fact {
	return slices.DeleteFunc(slices.Clone(found), func(f Fact) bool { return f.Class != c })
}

func texts(found []Fact, c Class) []string {
	var out []string
	for _, f := range of(found, c) {
		out = append(out, f.Text)
	}
	return out
}

func equal(t *testing.T, got, want any) {
	t.Helper()
	if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

func contains(t *testing.T, list []string, want string) {
	t.Helper()
	if !slices.Contains(list, want) {
		t.Errorf("%q is not in %q", want, list)
	}
}
