package compaction_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/provider/fake"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/summarize"
)

// With a shared prefix the model that the session has is asked with the last
// real request and one instruction more (docs/compaction.md).
func TestSharedPrefixGoesToTheSessionsModel(t *testing.T) {
	server := fake.New(fake.Say(strings.Join([]string{"## Goal\nship", "## Constraints & Preferences\n- none", "## Progress\n### Done\n- a\n### In Progress\n- b\n### Blocked\n- c",
		"## Key Decisions\n- d", "## Next Steps\n1. e", "## Critical Context\n- f"}, "\n\n")))
	defer server.Close()
	bound := server.Bind("anthropic")
	p := draw(t, strings.Fields("usr ass:9000 usr ass usr ass")...)
	facts := bound.Facts()
	answer := &message.Message{Role: message.RoleAssistant, Provider: facts.Provider, Model: facts.ID, StopReason: message.StopEnd,
		Content: []message.Block{message.Text{Text: "done by the session's model"}}}
	next := &message.Message{Role: message.RoleUser, Content: []message.Block{message.Text{Text: strings.Repeat("next ", 60)}}}
	if _, err := p.s.Append(ctx, session.MessageDraft(answer), session.MessageDraft(next)); err != nil {
		t.Fatal(err)
	}
	keep := int64(50)
	c := &compaction.Compactor{Session: p.s, Summarizer: &summarize.Ladder{Models: []summarize.Model{bound}}, Settings: compaction.Settings{}, SharedPrefix: true}
	out, err := c.Compact(ctx, compaction.Request{Keep: &keep})
	if err != nil || out.Status != compaction.Applied {
		t.Fatalf("%+v %v", out, err)
	}
	body := string(server.Requests()[0].Body)
	if strings.Contains(body, "<conversation>") || !strings.Contains(body, `"role":"assistant"`) {
		t.Errorf("the request is not the session's own: %.300s", body)
	}
	// The mark comes after what the last answer was made from. The answer itself
	// is after the mark, because it is summarized; what is kept is not sent.
	cached, rest, _ := strings.Cut(body, `"cache_control"`)
	if !strings.Contains(cached, `"messages"`) || strings.Contains(cached, "done by the session's model") || !strings.Contains(rest, "done by the session's model") {
		t.Errorf("the session's prompt cache is not used: %s", body)
	}
	if strings.Contains(body, "next next") {
		t.Error("what stays in view was sent to be summarized")
	}
}

// asked is a summarizer that only records its input.
type asked struct{ in summarize.Input }

func (a *asked) Summarize(_ context.Context, in summarize.Input) (summarize.Result, error) {
	a.in = in
	return summarize.Result{}, errors.New("only looking")
}

// What changes what a provider's cache holds is as in the session's own calls.
func TestSharedPrefixHasTheSessionsOptions(t *testing.T) {
	p := draw(t, strings.Fields("usr ass:9000 usr ass usr ass")...)
	answer := &message.Message{Role: message.RoleAssistant, Provider: "p", Model: "m", StopReason: message.StopEnd,
		Content: []message.Block{message.Text{Text: "done"}}, Usage: &message.Usage{Input: 9100, Output: 10, TotalTokens: 9110}}
	next := &message.Message{Role: message.RoleUser, Content: []message.Block{message.Text{Text: "next"}}}
	if _, err := p.s.Append(ctx, session.ThinkingDraft("medium"), session.MessageDraft(answer), session.MessageDraft(next)); err != nil {
		t.Fatal(err)
	}
	keep, a := int64(1), &asked{}
	c := &compaction.Compactor{Session: p.s, Summarizer: a, Settings: compaction.Settings{}, SharedPrefix: true}
	if _, err := c.Compact(ctx, compaction.Request{Keep: &keep}); err != nil {
		t.Fatal(err)
	}
	want := message.CallOptions{Thinking: "medium", SessionID: p.s.ID()}
	if a.in.SharedOptions != want || a.in.SharedTokens != 9110 {
		t.Errorf("%+v, %d tokens", a.in.SharedOptions, a.in.SharedTokens)
	}
}
