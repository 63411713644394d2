package codex

import (
	"context"
	"time"

	"github.com/coppice-dev/coppice/convert"
	"github.com/coppice-dev/coppice/convert/internal/scribe"
	"github.com/coppice-dev/coppice/internal/codec"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
)

// run is one import.
type run struct {
	to *convert.Sink
	w  *scribe.Writer

	described bool // the session_meta has been read
	provider  string
	model     string // in use now
	named     string // the model in force on the path
	effort    string // the effort in force on the path
	counted   bool   // the open answer has its usage, so the next item belongs to another answer
	total     int64  // tokens of the whole session at the last count
	context   int64  // tokens of the last call
	turns     []*session.Entry
}

// record takes one line of the file.
func (r *run) record(ctx context.Context, rec record) error {
	at := codec.DecodeTime(rec.at)
	switch rec.typ {
	case "session_meta":
		r.meta(rec.payload)
	case "turn_context":
		return r.settings(ctx, rec.payload, at)
	case "response_item":
		return r.item(ctx, rec.kind, rec.payload, at)
	case "event_msg":
		return r.event(ctx, rec.kind, rec.payload)
	case "compacted":
		return r.compacted(ctx, rec.payload, at)
	default:
		r.to.Skip(rec.typ)
	}
	return nil
}

// meta takes the first session_meta; a resumed session has more of them.
func (r *run) meta(payload []byte) {
	if r.described {
		r.to.Skip("session_meta repeated")
		return
	}
	r.described = true
	r.provider = str(payload, "model_provider")
	for _, name := range []string{"base_instructions", "dynamic_tools"} {
		if rawjson.Kind(rawjson.Get(payload, name)) != 'n' {
			r.to.Skip("session_meta/" + name)
		}
	}
}

// settings takes the model and the effort of a turn.
func (r *run) settings(ctx context.Context, payload []byte, at time.Time) error {
	if model := str(payload, "model"); model != "" && model != r.named {
		r.model, r.named = model, model
		if r.provider == "" {
			r.provider = "openai"
		}
		d := session.ModelDraft(r.provider, model)
		d.Time = at
		if err := r.w.Add(ctx, d); err != nil {
			return err
		}
	}
	if effort := str(payload, "effort"); effort != "" && effort != r.effort {
		r.effort = effort
		d := session.ThinkingDraft(level(effort))
		d.Time = at
		return r.w.Add(ctx, d)
	}
	return nil
}

// level translates an effort into the session's word for it.
func level(effort string) string {
	if effort == "none" {
		return "off"
	}
	return effort
}

// event takes what only events have: the usage of a call, and turns that the
// user undid.
func (r *run) event(ctx context.Context, kind string, payload []byte) error {
	switch kind {
	case "token_count":
		r.tokenCount(rawjson.Get(payload, "info"))
		return nil
	case "thread_rolled_back":
		return r.rollBack(ctx, rawjson.Int(rawjson.Get(payload, "num_turns")))
	}
	r.to.Skip("event_msg/" + kind)
	return nil
}

// tokenCount gives the open answer its usage. A count that repeats the last
// total is only about rate limits.
func (r *run) tokenCount(info []byte) {
	total := rawjson.Int(rawjson.Get(rawjson.Get(info, "total_token_usage"), "total_tokens"))
	last := rawjson.Get(info, "last_token_usage")
	if rawjson.Kind(last) != '{' || total == r.total {
		return
	}
	r.total = total
	n := func(name string) int64 { return rawjson.Int(rawjson.Get(last, name)) }
	u := &message.Usage{CacheRead: n("cached_input_tokens"), Output: n("output_tokens"),
		Reasoning: n("reasoning_output_tokens"), TotalTokens: n("total_tokens")}
	u.Input = max(0, n("input_tokens")-u.CacheRead)
	r.context = u.Total()
	if m := r.w.Open(); m != nil && !r.counted {
		m.Usage, r.counted = u, true
		return
	}
	r.to.Skip("usage of a call without an answer")
}

// rollBack goes back to before the last n turns.
func (r *run) rollBack(ctx context.Context, n int64) error {
	if n <= 0 || len(r.turns) == 0 {
		return nil
	}
	to := max(0, int64(len(r.turns))-n)
	e := r.turns[to]
	r.turns = r.turns[:to]
	r.named, r.effort = "", "" // the path may have others in force
	return r.w.MoveTo(ctx, e)
}
