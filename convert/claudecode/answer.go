package claudecode

import (
	"context"

	"github.com/coppice-dev/coppice/convert/internal/scribe"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
)

// synthetic is the model name of what Claude Code itself says instead of the
// model.
const synthetic = "<synthetic>"

// assistant takes a line with one block of an answer.
func (r *run) assistant(ctx context.Context, f *fields) error {
	msg := f.get("message")
	id := str(msg, "id")
	if id == "" {
		id = f.uuid
	}
	if r.w.Open() == nil || id == "" || id != r.answer {
		if err := r.begin(ctx, f, str(msg, "model")); err != nil {
			return err
		}
		r.answer = id
	}
	m := r.w.Open()
	content := rawjson.Get(msg, "content")
	if rawjson.Kind(content) == '"' {
		m.Content = append(m.Content, message.Text{Text: rawjson.String(content)})
	}
	for b := range rawjson.Elements(content) {
		r.answerBlock(m, b)
	}
	if u := usage(rawjson.Get(msg, "usage")); u != nil {
		m.Usage = u // it is repeated, longer, on each line
	}
	if f.flag("isApiErrorMessage") {
		m.StopReason, m.ErrorMessage = message.StopError, m.Text("\n")
	} else {
		m.StopReason = stopReason(str(msg, "stop_reason"), m)
	}
	return nil
}

// begin opens an answer. What Claude Code says itself gets the name of the
// model that it speaks for.
func (r *run) begin(ctx context.Context, f *fields, model string) error {
	r.dropBoundary()
	if err := r.settle(ctx); err != nil {
		return err
	}
	if model == synthetic || model == "" {
		model = r.model
	}
	r.model = model
	if model != r.named {
		r.named = model
		d := session.ModelDraft(provider, model)
		d.Time = f.time
		if err := r.w.Add(ctx, d); err != nil {
			return err
		}
	}
	return r.w.Begin(ctx, &message.Message{Role: message.RoleAssistant, API: api, Provider: provider, Model: model, Time: f.time})
}

func (r *run) answerBlock(m *message.Message, b []byte) {
	switch str(b, "type") {
	case "text":
		m.Content = append(m.Content, message.Text{Text: str(b, "text")})
	case "thinking":
		m.Content = append(m.Content, message.Thinking{Thinking: str(b, "thinking"), Signature: str(b, "signature")})
	case "redacted_thinking":
		m.Content = append(m.Content, message.Thinking{Signature: str(b, "data"), Redacted: true})
	case "tool_use":
		id := str(b, "id")
		r.w.Call(id, message.ToolCall{ID: id, Name: str(b, "name"), Arguments: scribe.Arguments(rawjson.Get(b, "input"))})
	default:
		m.Content = append(m.Content, scribe.Opaque(b))
	}
}

// stopReason translates Claude's word. Most lines have none, because they are
// written while the answer is still streaming; then the content decides.
// Thinking alone is never an answer.
func stopReason(reason string, m *message.Message) message.StopReason {
	switch reason {
	case "end_turn", "stop_sequence":
		return message.StopEnd
	case "tool_use":
		return message.StopToolUse
	case "max_tokens":
		return message.StopLength
	case "":
	default:
		return message.StopReason(reason)
	}
	if len(m.ToolCalls()) > 0 {
		return message.StopToolUse
	}
	for _, b := range m.Content {
		if _, ok := b.(message.Thinking); !ok {
			return message.StopEnd
		}
	}
	return message.StopAborted
}

func usage(v []byte) *message.Usage {
	if rawjson.Kind(v) != '{' {
		return nil
	}
	n := func(name string) int64 { return rawjson.Int(rawjson.Get(v, name)) }
	u := &message.Usage{Input: n("input_tokens"), Output: n("output_tokens"),
		CacheRead: n("cache_read_input_tokens"), CacheWrite: n("cache_creation_input_tokens")}
	u.TotalTokens = u.Total()
	return u
}
