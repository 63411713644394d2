package compaction_test

import (
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/memstore"
)

// A number of recent tokens that is given for one run is lowered only where the
// result would not fit by its estimate; no margin lowers it.
func TestGivenKeepIsLoweredWithoutAMargin(t *testing.T) {
	s := session.New(must.Get(memstore.New(nil).Create(ctx, session.Header{})), session.Options{})
	for range 60 {
		must.Get(s.Append(ctx, session.MessageDraft(message.User(strings.Repeat("word ", 400)))))
		must.Get(s.Append(ctx, session.MessageDraft(&message.Message{Role: message.RoleAssistant, StopReason: message.StopEnd, Content: texts(strings.Repeat("word ", 400))})))
	}
	const window = 64_000
	c := &compaction.Compactor{Session: s, Model: message.Model{Provider: "p", ID: "m", Window: window}}
	target := c.Settings.Threshold(window)
	for keep, lowered := range map[int64]bool{20_000: false, 30_000: false, 36_000: true} {
		p, _, err := c.Plan(ctx, compaction.Request{Keep: &keep})
		if err != nil || p.Skip != "" {
			t.Fatalf("%s, %v", p.Skip, err)
		}
		if after := p.EstimatedAfter(); after >= target || p.Budget < keep != lowered {
			t.Errorf("%d of %d are kept, %d tokens afterwards, target %d", p.Budget, keep, after, target)
		}
	}
	below := int64(-4)
	if _, _, err := c.Plan(ctx, compaction.Request{Keep: &below}); err == nil {
		t.Error("a number below zero was taken")
	}
}
