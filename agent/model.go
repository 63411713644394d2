package agent

import (
	"context"
	"iter"
	"time"

	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/provider"
	"github.com/coppice-dev/coppice/timeline"
)

// Model is a model that can be talked to. *provider.Bound is one. A failure
// is a *message.Fault; failures that may pass are repeated by the model
// itself as long as nothing has been streamed.
type Model interface {
	Facts() message.Model
	Stream(ctx context.Context, req timeline.Request, opts message.CallOptions) iter.Seq2[message.Event, error]
	Complete(ctx context.Context, req timeline.Request, opts message.CallOptions) (*message.Message, error)
}

// retryOf is how a model repeats calls; the usual way where it does not say.
func retryOf(m Model) provider.Retry {
	if b, ok := m.(*provider.Bound); ok {
		return b.Client.Retry
	}
	return provider.Retry{}
}

// limitsOf are the limits that a model learns into by itself.
func limitsOf(m Model) *provider.Limits {
	if b, ok := m.(*provider.Bound); ok && b.Catalog != nil {
		return b.Catalog.Limits
	}
	return &provider.Limits{}
}

// watched is m with its retries told to notify, where m is known to retry. It
// is a copy: other calls of the same model go on unwatched.
func watched(m Model, notify func(try int, f *message.Fault)) Model {
	b, ok := m.(*provider.Bound)
	if !ok {
		return m
	}
	client, bound := *b.Client, *b
	before := client.Retry.Notify
	client.Retry.Notify = func(try int, wait time.Duration, f *message.Fault) {
		if before != nil {
			before(try, wait, f)
		}
		notify(try, f)
	}
	bound.Client = &client
	return &bound
}
