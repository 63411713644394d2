package hook

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/coppice-dev/coppice/internal/guard"
)

// Ruling is the part that all answers share.
type Ruling struct {
	Cancel bool   // cancels the step
	Why    string // for people, and for the model if a tool call is blocked
}

// question is a moment at which hooks may answer: E is the event that they
// get, A is their answer. The zero A changes nothing.
type question[E, A any] struct {
	event    Event
	encode   func(context.Context, E) ([]byte, error) // for programs: a JSON object
	decode   func(*answer) A                          // what programs can answer, without the ruling
	ruling   func(*A) Ruling                          // reads the answer
	rule     func(Ruling) A                           // the answer with only a ruling
	check    func(E, A) error                         // nil: whatever can be decoded is valid
	merge    func(*E, *A, A)                          // applies an answer to the event for the next hooks and to the joint answer
	answered func(hook, A)                            // is called with each answer that counts, if not nil
	copy     func(E) E                                // copies the event so that a handler cannot change it; nil: E is read-only
	rescue   bool                                     // hooks cannot cancel the step
}

// ask asks the hooks of an event one after another. An error means that ctx
// was done or is nil; everything else that goes wrong is reported.
func ask[E, A any](ctx context.Context, b *Bus, q question[E, A], e E) (A, error) {
	var merged, none A
	if err := guard.Given("the context", ctx); err != nil {
		return none, err
	}
	for _, h := range b.hooks(q.event) {
		a, err := answerOf(ctx, b, h, q, e)
		if ctx.Err() != nil {
			return none, context.Cause(ctx)
		}
		if err != nil {
			b.failed(h, err)
			if !h.required || q.rescue {
				continue
			}
			return q.rule(Ruling{Cancel: true, Why: fmt.Sprintf("the required hook %s failed: %v", h.name, err)}), nil
		}
		if r := q.ruling(&a); r.Cancel && q.rescue {
			b.failed(h, fmt.Errorf("cancelled (%s), but without this step the next request cannot be sent", cmp.Or(r.Why, "no reason given")))
			continue
		} else if r.Cancel {
			return q.rule(Ruling{Cancel: true, Why: cmp.Or(r.Why, "the hook "+h.name+" cancelled it")}), nil
		}
		q.merge(&e, &merged, a)
		if q.answered != nil {
			q.answered(h, a)
		}
	}
	return merged, nil
}

// answerOf asks one hook, within its time limit, and checks its answer.
func answerOf[E, A any](ctx context.Context, b *Bus, h hook, q question[E, A], e E) (A, error) {
	ctx, cancel := b.within(ctx, h)
	defer cancel()
	a, err := call(ctx, b, h, q, e)
	if err == nil && !q.ruling(&a).Cancel && q.check != nil {
		err = q.check(e, a)
	}
	return a, err
}

func call[E, A any](ctx context.Context, b *Bus, h hook, q question[E, A], e E) (A, error) {
	if h.handle != nil {
		if q.copy != nil {
			e = q.copy(e)
		}
		return guard.Do(ctx, "the handler", func() (A, error) { return h.handle.(func(context.Context, E) (A, error))(ctx, e) })
	}
	var none A
	payload, err := q.encode(ctx, e)
	if err != nil {
		return none, err
	}
	out, err := b.run(ctx, h, payload)
	var vetoed *veto
	switch {
	case errors.As(err, &vetoed):
		return q.rule(Ruling{Cancel: true, Why: vetoed.why}), nil
	case err != nil:
		return none, err
	}
	in, err := parseAnswer(out)
	if err != nil {
		return none, err
	}
	in.said = in.ruling()
	if in.said.Cancel && in.err == nil {
		return q.rule(in.said), nil
	}
	a := q.decode(in)
	in.join()
	if in.err != nil {
		return none, in.err
	}
	for _, name := range in.unknown() {
		b.failed(h, fmt.Errorf("unknown key %q in the answer", name))
	}
	return a, nil
}
