package coppice

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/coppice-dev/coppice/hook"
	"github.com/coppice-dev/coppice/internal/render"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/wire/dialects"
)

// ErrVetoed says that a hook did not let a request go out.
var ErrVetoed = errors.New("a hook cancelled it")

// build makes the request for a view, with the messages that are about to be
// said.
func (f *fitting) build(v *timeline.View) (*Prepared, error) {
	v, err := f.withPending(v)
	if err != nil {
		return nil, err
	}
	req, err := v.Request(true)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	key := f.compactor.Model.Key()
	try, restore, refused := f.try, f.restore[key], f.refused[key]
	f.mu.Unlock()
	n := len(req.Messages)
	if try.noThinking {
		req.Messages = render.WithoutThinking(req.Messages, n)
	} else {
		req.Messages = render.WithoutThinking(req.Messages, saidUpTo(v, refused))
	}
	m := f.compactor.Model
	p := &Prepared{View: v, Meter: meter(f.compactor, f.step.Size, f.step.Threshold), Report: f.report, Request: req, model: f.Model(), changed: len(req.Messages) != n}
	if err := f.askContext(p); err != nil {
		return nil, err
	}
	if p.fields = f.opts.Limits.Fields(m); len(p.fields) > 0 {
		render.Fields(p.fields).Shorten(&p.Request, p.entries())
	}
	p.Request.CachePoints = render.CachePoints(p.Request.Messages)
	p.Options = f.callOptions(p, try)
	p.Options.RestoreThinking = p.Options.RestoreThinking || restore
	if d, ok := dialects.ByName(m.API); ok {
		p.Dialect = d
		if err := p.render(m, cmp.Or(try.maxBytes, m.MaxBytes)); err != nil {
			return nil, err
		}
	}
	return p, p.gate()
}

// saidUpTo counts the messages of a request that were said up to an entry; 0 if it
// is not on the path.
func saidUpTo(v *timeline.View, id string) (n int) {
	at := slices.IndexFunc(v.Path, func(e *session.Entry) bool { return e.ID == id })
	if at < 0 {
		return 0
	}
	all := 0
	for _, it := range v.Items {
		if m, err := it.Message(); err != nil || timeline.ToLLM(m) == nil {
			continue
		}
		if all++; it.Pos <= at {
			n = all
		}
	}
	return n
}

// render makes the body. If it has more than so many bytes (0: any number), the
// largest texts and arguments are shortened; the log has all of them.
func (p *Prepared) render(m message.Model, most int64) (err error) {
	const tries = 3 // the replacement of a text has a size, too
	for n := 0; ; n++ {
		if p.Body, err = p.Dialect.Render(p.Request, m, p.Options); err != nil {
			return fmt.Errorf("render the request: %w", err)
		}
		over := int64(len(p.Body)) - most
		if most <= 0 || over <= 0 || n == tries {
			return nil
		}
		fields := render.FewerBytes(p.Request, over+over/10+most/100)
		if fields == nil {
			return nil
		}
		fields.Shorten(&p.Request, p.entries())
	}
}

// withPending returns a view with the messages that are about to be said.
func (f *fitting) withPending(v *timeline.View) (*timeline.View, error) {
	if len(f.pending) == 0 {
		return v, nil
	}
	drafts := make([]session.Draft, len(f.pending))
	for i, m := range f.pending {
		drafts[i] = f.draft(m)
	}
	return v.With(f.ctx, f.log, f.log.Prepare(v.Leaf, drafts...)...)
}

// callOptions returns the parameters of the call.
func (f *fitting) callOptions(p *Prepared, try try) message.CallOptions {
	o := f.opts.Call
	o.Thinking = cmp.Or(o.Thinking, p.View.Thinking())
	if try.noThinking {
		o.Thinking = "off"
	}
	o.SessionID = cmp.Or(o.SessionID, f.ID())
	o.MaxOutput = cmp.Or(try.maxOutput, o.MaxOutput, render.OutputLimit(p.Meter.Model, p.Meter.Size, try.refused))
	return o
}

// askContext lets hooks change the messages of a request. A hook's answer that
// does not fit the window is not used.
func (f *fitting) askContext(p *Prepared) error {
	if !f.opts.Hooks.Listens(hook.EventContext) {
		return nil
	}
	size := p.Meter.Size
	before, window := f.Session.tokens(p.Request.Messages), p.Meter.Model.InputLimit()
	a, err := f.opts.Hooks.Context(f.ctx, hook.Context{Envelope: f.envelope(), Messages: p.Request.Messages}, func(msgs []*message.Message) error {
		grown := f.Session.tokens(msgs) - before
		if n := render.Expected(resized(size, grown)); grown > 0 && window > 0 && n > window {
			return fmt.Errorf("the messages have about %d tokens, but the window has %d", n, window)
		}
		return nil
	})
	switch {
	case err != nil:
		return context.Cause(f.ctx)
	case a.Cancel:
		return fmt.Errorf("the request is not sent: %w: %s", ErrVetoed, a.Why)
	case a.Messages != nil:
		p.Request.Messages, p.changed = a.Messages, true
		p.Meter.Size = resized(size, f.Session.tokens(a.Messages)-before)
	}
	return nil
}

// resized returns a size with more or fewer tokens of messages.
func resized(s timeline.Size, by int64) timeline.Size {
	s.Estimated += by
	if s.Measured != nil {
		n := *s.Measured + by
		s.Measured = &n
	}
	return s
}
