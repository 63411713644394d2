package opencode

import (
	"context"

	"github.com/coppice-dev/coppice/convert"
	"github.com/coppice-dev/coppice/convert/internal/carry"
	"github.com/coppice-dev/coppice/convert/internal/jsondoc"
	"github.com/coppice-dev/coppice/convert/internal/scribe"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
)

// reader imports messages one by one.
type reader struct {
	sink     *convert.Sink
	to       *scribe.Writer
	state    carry.State
	ids      carry.CallIDs
	messages int

	before     map[string]*session.Entry // the leaf when a message came, by message id
	prompts    map[string]*session.Entry // the user's messages, by their ids
	revert     string                    // the message that the user reverted to the state before
	compaction *asked                    // a compaction waiting for its summary
	context    int64                     // size after the last answer in tokens
}

// asked is a requested compaction.
type asked struct {
	tail string // the user message from which it keeps everything; "": it keeps nothing
}

func newReader(to *convert.Sink) *reader {
	return &reader{sink: to, to: scribe.New(to), before: map[string]*session.Entry{}, prompts: map[string]*session.Entry{}}
}

func (r *reader) part(ctx context.Context, p jsondoc.Part) error {
	switch {
	case p.Element:
		return r.message(ctx, p.Value)
	case p.Name == "info":
		return r.info(ctx, p.Value)
	}
	r.sink.Skip(p.Name)
	return nil
}

// info takes the session's name, and the place that the user reverted to.
func (r *reader) info(ctx context.Context, info []byte) error {
	r.revert = carry.Str(info, "revert", "messageID")
	return carry.Name(ctx, r.to, carry.Str(info, "title"), created(info))
}

// message takes one message with its parts.
func (r *reader) message(ctx context.Context, raw []byte) error {
	r.messages++
	info, parts := carry.Get(raw, "info"), carry.Get(raw, "parts")
	r.before[carry.Str(info, "id")] = r.sink.Leaf()
	var err error
	switch role := carry.Str(info, "role"); {
	case role == "user":
		err = r.user(ctx, info, parts)
	case role == "assistant" && rawjson.Bool(carry.Get(info, "summary")):
		err = r.summary(ctx, info, parts)
	case role == "assistant":
		err = r.assistant(ctx, info, parts)
	default:
		r.sink.Skip("message of role " + role)
	}
	if err != nil {
		return err
	}
	return r.to.Close(ctx)
}

// model notes the model and its variant that a message names.
func (r *reader) model(ctx context.Context, info, model []byte, idName string) error {
	at := created(info)
	if err := r.state.Model(ctx, r.to, carry.Str(model, "providerID"), carry.Str(model, idName), at); err != nil {
		return err
	}
	return r.state.Level(ctx, r.to, carry.Str(model, "variant"), at)
}

func (r *reader) user(ctx context.Context, info, parts []byte) error {
	r.dropAsked()
	if err := r.model(ctx, info, carry.Get(info, "model"), "modelID"); err != nil {
		return err
	}
	if rawjson.Kind(carry.Get(info, "system")) == '"' {
		r.sink.Skip("system prompt")
	}
	c := r.userParts(parts)
	if len(c.content) == 0 && r.compaction != nil {
		return nil
	}
	d := r.to.User(c.content, created(info))
	if c.injected {
		d = r.to.Injected("opencode", c.content, created(info))
	}
	err := r.to.Add(ctx, d)
	r.prompts[carry.Str(info, "id")] = r.sink.Leaf()
	return err
}

// summary takes the answer that replaces everything before it.
func (r *reader) summary(ctx context.Context, info, parts []byte) error {
	text := ""
	for p := range rawjson.Elements(parts) {
		switch carry.Str(p, "type") {
		case "text":
			if text != "" {
				text += "\n\n"
			}
			text += carry.Str(p, "text")
		case "reasoning":
			r.sink.Skip("thinking of a compaction")
		}
	}
	if text == "" || rawjson.Kind(carry.Get(info, "error")) == '{' {
		r.compaction = &asked{}
		r.dropAsked()
		return nil
	}
	c := &session.Compaction{Summary: text, TokensBefore: r.context, Usage: usage(info)}
	if r.compaction != nil {
		if kept := r.prompts[r.compaction.tail]; kept != nil {
			c.FirstKeptEntryID = kept.ID
		}
	}
	r.compaction = nil
	return r.to.Compact(ctx, c, created(info))
}

// dropAsked counts a compaction that never got a summary.
func (r *reader) dropAsked() {
	if r.compaction != nil {
		r.sink.Skip("compaction without a summary")
		r.compaction = nil
	}
}

// end writes what remains, and goes back to where the user reverted.
func (r *reader) end(ctx context.Context) error {
	r.dropAsked()
	if at, ok := r.before[r.revert]; ok && r.revert != "" {
		if err := r.to.MoveTo(ctx, at); err != nil {
			return err
		}
	}
	return r.to.End(ctx)
}

// usage reads the usage of one call. Whether output includes reasoning differs
// between versions; the total shows which.
func usage(v []byte) *message.Usage {
	t := carry.Get(v, "tokens")
	if rawjson.Kind(t) != '{' {
		return nil
	}
	n := func(path ...string) int64 { return rawjson.Int(carry.Get(t, path...)) }
	u := &message.Usage{Input: n("input"), Output: n("output"), Reasoning: n("reasoning"),
		CacheRead: n("cache", "read"), CacheWrite: n("cache", "write"), TotalTokens: n("total")}
	if u.TotalTokens > 0 {
		u.Output = max(u.TotalTokens-u.Prompt(), u.Output)
	} else {
		u.Output += u.Reasoning
	}
	u.Cost.Total, _ = rawjson.Float(carry.Get(v, "cost"))
	return u
}
