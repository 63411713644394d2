package compaction_test

import (
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/provider/fake"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/summarize"
)

// With a shared prefix the model that the session has is asked with the last
// real request and one instruction more (spec/compaction.md).
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
	c := &compaction.Compactor{Session: p.s, Summarizer: &summarize.Ladder{Models: []summarize.Model{bound}}, Settings: compaction.Defaults(), SharedPrefix: true}
	out, err := c.Compact(ctx, compaction.Request{Keep: &keep})
	if err != nil || out.Status != compaction.Applied {
		t.Fatalf("%+v %v", out, err)
	}
	body := string(server.Requests()[0].Body)
	if strings.Contains(body, "<conversation>") || !strings.Contains(body, "done by the session's model") || !strings.Contains(body, `"role":"assistant"`) {
		t.Errorf("the request is not the session's own: %.300s", body)
	}
}
