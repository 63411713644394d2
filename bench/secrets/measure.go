package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/coppice-dev/coppice/export"
	"github.com/coppice-dev/coppice/internal/secret"
	"github.com/coppice-dev/coppice/internal/state"
	"github.com/coppice-dev/coppice/ledger"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/memstore"
	"github.com/coppice-dev/coppice/summarize"
)

// spots are where each text is put.
var spots = []string{"user", "assistant", "output", "bash"}

// row is what was measured of a group. A text is right if it is so in each place
// and in all that is written of it: the transcript for a summarizer, the state, and
// an export with --mask.
type row struct {
	group string
	n     int
	right int
	in    [4]int // right, by place
	wrong []string
}

func measure(ctx context.Context, texts []text) ([]row, error) {
	var rows []row
	for _, t := range texts {
		if len(rows) == 0 || rows[len(rows)-1].group != t.group {
			rows = append(rows, row{group: t.group})
		}
		r := &rows[len(rows)-1]
		r.n++
		all := true
		for i := range spots {
			ok, err := right(ctx, t, i)
			if err != nil {
				return nil, err
			}
			if ok {
				r.in[i]++
				continue
			}
			all = false
			r.wrong = append(r.wrong, fmt.Sprintf("%s, %s: %.200q", t.group, spots[i], t.text))
		}
		if all {
			r.right++
		}
	}
	return rows, nil
}

// right reports whether a text is written as it should be from one place.
func right(ctx context.Context, t text, place int) (bool, error) {
	msgs := conversation(t.text, place)
	mask := new(secret.Masker).Mask
	transcript := summarize.SerializeConversation(msgs, summarize.SerializeOptions{Mask: mask})
	var sources []ledger.Source
	for _, m := range msgs {
		sources = append(sources, ledger.Source{Message: m})
	}
	items, err := json.Marshal(state.Fold(sources, state.Options{Mask: mask}).Items)
	if err != nil {
		return false, err
	}
	exported, err := exportOf(ctx, msgs, mask)
	if err != nil {
		return false, err
	}
	if t.secret == "" {
		const stub = "[secret: "
		return !strings.Contains(transcript+string(items)+exported, stub), nil
	}
	for _, form := range []string{t.secret, quoted(t.secret), quoted(quoted(t.secret))} {
		if strings.Contains(transcript, form) || strings.Contains(string(items), form) || strings.Contains(exported, form) {
			return false, nil
		}
	}
	return true, nil
}

func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return s
	}
	return strings.Trim(string(b), `"`)
}

// conversation is a session that has the text in one place.
func conversation(text string, place int) []*message.Message {
	said := [4]string{"Go on.", "I will.", "ok", "make"}
	said[place] = text
	args, err := json.Marshal(map[string]string{"command": said[3]})
	if err != nil {
		args = nil // a string has always a form in JSON
	}
	call := message.ToolCall{ID: "c1", Name: "bash", Arguments: args}
	return []*message.Message{
		message.User(said[0]),
		{Role: message.RoleAssistant, Content: []message.Block{message.Text{Text: said[1]}, call}, StopReason: message.StopToolUse},
		{Role: message.RoleToolResult, ToolCallID: "c1", ToolName: "bash", Content: []message.Block{message.Text{Text: said[2]}}},
	}
}

// exportOf is what export --mask writes of a session as JSON lines.
func exportOf(ctx context.Context, msgs []*message.Message, mask func(string) string) (string, error) {
	log, err := memstore.New(nil).Create(ctx, session.Header{})
	if err != nil {
		return "", err
	}
	defer log.Close()
	s := session.New(log, session.Options{})
	for _, m := range msgs {
		if _, err := s.Append(ctx, session.MessageDraft(m)); err != nil {
			return "", err
		}
	}
	var out bytes.Buffer
	masked := export.Masked(log, mask)
	err = export.JSONL(ctx, masked, nil, masked.Header().Complete(time.Unix(0, 0)), &out, export.JSONLOptions{Tree: true})
	return out.String(), err
}
