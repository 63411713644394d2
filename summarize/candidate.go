package summarize

import (
	"context"
	"fmt"

	"github.com/coppice-dev/coppice/internal/guard"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/timeline"
)

// candidate can be asked for a part of a summary.
type candidate struct {
	rung  string
	model message.Model // zero for a remote endpoint
	// ours says that the answer follows our instructions: it has the headings, and
	// may have a short summary.
	ours bool
	// shared is a request that the candidate has already seen; nil: none.
	shared *timeline.Request
	ask    func(ctx context.Context, q query) (answer, error)
}

// answer is what came back.
type answer struct {
	text  string
	short string
	usage *message.Usage
}

// candidates returns the rungs above extraction, in order.
func (l *Ladder) candidates(in Input) []candidate {
	var out []candidate
	if l.Remote != nil {
		out = append(out, candidate{rung: RungRemote, ask: l.Remote.ask})
	}
	for i, m := range l.Models {
		facts, err := guard.Call("the model", func() (message.Model, error) { return m.Facts(), nil })
		if err != nil {
			broken := func(context.Context, query) (answer, error) { return answer{}, err }
			out = append(out, candidate{rung: RungModel, ask: broken})
			continue
		}
		isShared := in.SharedPrefix != nil && (in.SharedModel == facts.Key() || in.SharedModel == "" && i == 0)
		if isShared {
			out = append(out, candidate{rung: RungModel, model: facts, ours: true, shared: in.SharedPrefix, ask: askShared(m, facts, *in.SharedPrefix, in.SharedOptions)})
		}
		out = append(out, candidate{rung: RungModel, model: facts, ours: true, ask: askModel(m, facts)})
	}
	return out
}

// askModel sends a query as a separate request, without tools and thinking: a
// transcript with live tools invites tool calls.
func askModel(m Model, facts message.Model) func(context.Context, query) (answer, error) {
	return func(ctx context.Context, q query) (answer, error) {
		req := timeline.Request{System: q.system, Messages: []*message.Message{userMessage(q.prompt)}}
		return complete(ctx, m, facts, req, message.CallOptions{MaxOutput: q.maxOutput, NoTools: true, Thinking: "off"})
	}
}

// askShared appends the instruction to a request that the model has already
// seen. The tools stay: without them the provider's cache would not match.
func askShared(m Model, facts message.Model, base timeline.Request, opts message.CallOptions) func(context.Context, query) (answer, error) {
	return func(ctx context.Context, q query) (answer, error) {
		opts.MaxOutput = q.maxOutput
		return complete(ctx, m, facts, withInstruction(base, q.prompt), opts)
	}
}

func withInstruction(base timeline.Request, text string) timeline.Request {
	base.Messages = append(base.Messages[:len(base.Messages):len(base.Messages)], userMessage(text))
	return base
}

func userMessage(text string) *message.Message {
	return &message.Message{Role: message.RoleUser, Content: []message.Block{message.Text{Text: text}}}
}

func complete(ctx context.Context, m Model, facts message.Model, req timeline.Request, opts message.CallOptions) (answer, error) {
	msg, err := m.Complete(ctx, req, opts)
	var a answer
	if msg != nil {
		a.usage = msg.Usage // paid for even if the answer is refused
	}
	if err != nil {
		return a, fmt.Errorf("asking %s: %w", facts.Key(), err)
	}
	if err := checkMessage(msg); err != nil {
		return a, err
	}
	a.text, a.short = cleanAnswer(msg.Text("\n"))
	return a, nil
}
