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
	Cancel bool   // the step is not made
	Why    string // for people, and for the model where a tool call is blocked
}

// question is a moment at which hooks may answer: E is what they are told, A
// what they may answer. The zero A leaves things as they are.
type question[E, A any] struct {
	event    Event
	encode   func(context.Context, E) ([]byte, error) // for programs: a JSON object
	decode   func(*answer) A                          // what programs answer, without the ruling
	ruling   func(*A) Ruling                          // reads it
	rule     func(Ruling) A                           // an answer that says nothing else
	check    func(E, A) error                         // nil: what can be decoded is valid
	merge    func(*E, *A, A)                          // adds an answer to what is told from now on and to what was answered so far
	answered func(hook, A)                            // hears of each answer that counts; nil: no one does
	copy     func(E) E                                // so that a handler cannot change what is told; nil: E is only read
	rescue   bool                                     // nothing stops the step
}

// ask asks the hooks of an event one after the other. An error means that ctx
// was done; everything else that goes wrong is reported.
func ask[E, A any](ctx context.Context, b *Bus, q question[E, A], e E) (A, error) {
	var merged, none A
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
			b.failed(h, fmt.Errorf("cancelled (%s), but without this the next request does not go out", cmp.Or(r.Why, "no reason given")))
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

// answerOf asks one hook, within its limit, and checks what it answers.
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
	told, err := q.encode(ctx, e)
	if err != nil {
		return none, err
	}
	out, err := b.run(ctx, h, told)
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
