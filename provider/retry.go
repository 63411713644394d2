package provider

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/coppice-dev/coppice/internal/kinds"
	"github.com/coppice-dev/coppice/internal/valid"
	"github.com/coppice-dev/coppice/message"
)

const (
	// defaultMaxRetries is that of the setting retry.maxRetries.
	defaultMaxRetries int = 3
	// defaultBaseDelay is that of the setting retry.baseDelayMs.
	defaultBaseDelay = 2 * time.Second

	// maxRetryWait is the longest wait before a retry. If a server asks for more
	// there is no retry: the caller should know at once.
	maxRetryWait = 2 * time.Minute
)

// Retry says what happens after a temporary failure: class transient or
// rate-limit. Nothing else is ever retried. The zero value tries three more
// times, after about 2, 4 and 8 seconds, or when the server says.
type Retry struct {
	Enabled   *bool         `json:"enabled"`     // nil: yes
	Max       *int          `json:"maxRetries"`  // tries after the first; nil: three
	BaseDelay time.Duration `json:"baseDelayMs"` // before the first retry, doubled each time; 0: 2 s

	// Sleep waits; nil waits for real. It returns early, with the context's
	// error, when the call is cancelled.
	Sleep func(ctx context.Context, d time.Duration) error
	// Notify is called before the wait of each retry, if set. try counts from 1.
	Notify func(try int, wait time.Duration, f *message.Fault)
}

// EnsureDefaults gives every field that is not set its default.
func (r *Retry) EnsureDefaults() {
	if r.Enabled == nil {
		r.Enabled = new(true)
	}
	if r.Max == nil {
		r.Max = new(defaultMaxRetries)
	}
	r.BaseDelay = cmp.Or(r.BaseDelay, defaultBaseDelay)
}

// Validate names the fields that are wrong.
func (r Retry) Validate() error {
	return errors.Join(valid.NotNegative("maxRetries", r.Max), valid.NotNegative("baseDelayMs", &r.BaseDelay))
}

// retryable reports whether the same request is worth sending once more. A server
// that was silent for that long is not asked again.
func retryable(f *message.Fault) bool {
	if errors.Is(f.Err, errIdle) {
		return false
	}
	again := map[message.Remedy]int{kinds.RemedyRetry: 1, kinds.RemedyWait: 1}
	return f.Next(again, nil) != kinds.RemedyNone
}

// sleep returns early, with the context's error, when the call is cancelled.
func (r Retry) sleep(ctx context.Context, d time.Duration) error {
	if r.Sleep != nil {
		return r.Sleep(ctx, d)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Pauses returns a function that waits between the tries of one call, after the
// fault of a try. before is called first, with the number of the retry, from 1; if
// it returns false there is none, and no error. Other errors say why there is no
// retry: the fault itself, or that of a context that ended.
func (r Retry) Pauses() func(ctx context.Context, f *message.Fault, before func(try int, wait time.Duration) bool) (again bool, err error) {
	b := backoff.NewExponentialBackOff()
	b.InitialInterval = cmp.Or(r.BaseDelay, defaultBaseDelay)
	b.Multiplier = 2
	b.RandomizationFactor = 0.25 // enough to spread clients that failed together
	b.MaxInterval = maxRetryWait
	b.Reset()
	r.EnsureDefaults()
	try, most := 0, *r.Max
	if !*r.Enabled {
		most = 0
	}
	return func(ctx context.Context, f *message.Fault, before func(int, time.Duration) bool) (bool, error) {
		if try >= most || f.RetryAfter > maxRetryWait {
			return false, f
		}
		try++
		d := cmp.Or(max(f.RetryAfter, 0), b.NextBackOff())
		if !before(try, d) {
			return false, nil
		}
		err := r.sleep(ctx, d)
		return err == nil, err
	}
}
