package ledger

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

// talk builds a range: one source a message, entries e0, e1, …
type talk struct {
	sources []Source
	calls   int
}

func (t *talk) add(m *message.Message) {
	t.sources = append(t.sources, Source{EntryID: fmt.Sprintf("e%d", len(t.sources)), Message: m})
}

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

func (t *talk) collect() *Ledger { return Collect(t.sources, Options{}) }

func text(role message.Role, s string) *message.Message {
	return &message.Message{Role: role, Content: []message.Block{message.Text{Text: s}}}
}

func texts(l *Ledger, c Class) []string {
	var out []string
	for _, f := range l.Of(c) {
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

func quoted(s string) []byte { return rawjson.Quote(s) }
