package crush

import (
	"context"
	"time"

	"github.com/coppice-dev/coppice/convert"
	"github.com/coppice-dev/coppice/convert/internal/carry"
	"github.com/coppice-dev/coppice/convert/internal/scribe"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
)

// reader imports messages one by one.
type reader struct {
	sink  *convert.Sink
	to    *scribe.Writer
	state carry.State
	chat  chat
}

func newReader(to *convert.Sink, s chat) *reader {
	return &reader{sink: to, to: scribe.New(to), chat: s}
}

func (r *reader) begin(ctx context.Context) error {
	return carry.Name(ctx, r.to, r.chat.title, r.chat.created)
}

func (r *reader) end(ctx context.Context) error { return r.to.End(ctx) }

// message takes one row.
func (r *reader) message(ctx context.Context, row row) error {
	at := row.time("created_at")
	parts := []byte(row.str("parts"))
	if !rawjson.Valid(parts) || rawjson.Kind(parts) != '[' {
		r.sink.Skip("damaged message")
		return nil
	}
	switch role := row.str("role"); role {
	case "user":
		return r.to.Add(ctx, r.to.User(r.content(parts), at))
	case "assistant":
		return r.answer(ctx, row, parts, at)
	case "tool":
		return r.results(ctx, parts, at)
	default:
		r.sink.Skip("message of role " + role)
		return nil
	}
}

// answer takes an answer, which may be the summary of everything before it. It
// stays open for its results.
func (r *reader) answer(ctx context.Context, row row, parts []byte, at time.Time) error {
	if r.isSummary(row) {
		return r.summary(ctx, parts, at)
	}
	provider, model := row.str("provider"), row.str("model")
	if err := r.state.Model(ctx, r.to, provider, model, at); err != nil {
		return err
	}
	m := &message.Message{Role: message.RoleAssistant, API: carry.API(provider, model), Provider: provider, Model: model, Time: at}
	if row.str("id") == r.chat.answer {
		m.Usage = &message.Usage{Input: r.chat.promptTokens, Output: r.chat.outputTokens, Cost: message.Cost{Total: r.chat.cost}}
	}
	if err := r.to.Begin(ctx, m); err != nil {
		return err
	}
	r.answerParts(m, parts)
	return nil
}

// isSummary reports whether Crush begins the conversation at this message.
func (r *reader) isSummary(row row) bool {
	return row.int("is_summary_message") != 0 || r.chat.summary != "" && row.str("id") == r.chat.summary
}

// summary makes a compaction of an answer, if there is text in it.
func (r *reader) summary(ctx context.Context, parts []byte, at time.Time) error {
	text := (&message.Message{Content: r.content(parts)}).Text("\n\n")
	if text == "" {
		r.sink.Skip("compaction without a summary")
		return nil
	}
	return r.to.Compact(ctx, &session.Compaction{Summary: text}, at)
}

// results writes the results in a tool message.
func (r *reader) results(ctx context.Context, parts []byte, at time.Time) error {
	for p := range rawjson.Elements(parts) {
		typ, data := carry.Str(p, "type"), carry.Get(p, "data")
		if typ == "finish" {
			continue
		}
		if typ != "tool_result" {
			r.sink.Skip("part " + typ)
			continue
		}
		m := &message.Message{Time: at, ToolName: carry.Str(data, "name"), IsError: rawjson.Bool(carry.Get(data, "is_error")),
			Content: []message.Block{message.Text{Text: carry.Str(data, "content")}}}
		if raw := carry.Str(data, "data"); raw != "" {
			if img, ok := carry.Image(carry.Str(data, "mime_type"), raw); ok {
				m.Content = append(m.Content, img)
			} else {
				r.sink.Skip("file in a result")
			}
		}
		if err := r.to.Result(ctx, carry.Str(data, "tool_call_id"), m); err != nil {
			return err
		}
	}
	return nil
}
