package main

import (
	"context"
	"strings"
	"time"

	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/tokens"
)

// How long summaries are in every program, in tokens.
const (
	historySummary = 1200
	prefixSummary  = 400
)

// Headings that a summary has to have, of either kind.
var headings = []string{"Goal", "Constraints & Preferences", "Progress", "Key Decisions", "Next Steps", "Critical Context",
	"Original Request", "Progress So Far", "Context Needed to Continue"}

// summaryOf writes a summary of source tokens, limit tokens long and no longer
// than a quarter of the source.
func summaryOf(source, limit int64) string {
	var b strings.Builder
	for _, h := range headings {
		b.WriteString("## " + h + "\n- none\n")
	}
	limit = min(limit, source/4)
	for (tokens.Default{}).Text(b.String())+7 <= limit {
		b.WriteString("the work went on as it had to\n")
	}
	return b.String()
}

// scribe is a model that writes summaries. Its calls are part of the bill.
type scribe struct {
	stage *stage
	at    time.Time
}

func (s scribe) Facts() message.Model { return s.stage.model }

func (s scribe) Complete(_ context.Context, req timeline.Request, opts message.CallOptions) (*message.Message, error) {
	limit := int64(historySummary)
	last := req.Messages[len(req.Messages)-1]
	if strings.Contains(last.Text(""), "Context Needed to Continue") {
		limit = prefixSummary
	}
	var source int64
	for _, m := range req.Messages {
		source += tokens.Default{}.Message(m)
	}
	answer := &message.Message{Role: message.RoleAssistant, StopReason: message.StopEnd,
		Content: []message.Block{message.Text{Text: summaryOf(source, limit)}}}
	s.stage.send(call{at: s.at, output: tokens.Default{}.Message(answer), summary: true}, req, opts.Thinking)
	return answer, nil
}
