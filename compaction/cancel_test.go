package compaction_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/internal/testkit/amount"
)

// countdown is a context that ends after it was checked a number of times.
type countdown struct {
	context.Context
	end  context.CancelFunc
	mu   sync.Mutex
	left int
}

func newCountdown(n int) *countdown {
	inner, cancel := context.WithCancel(ctx)
	return &countdown{Context: inner, end: cancel, left: n}
}

func (c *countdown) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left--; c.left < 0 {
		c.end()
	}
	return c.Context.Err()
}

func (c *countdown) Done() <-chan struct{} {
	_ = c.Err()
	return c.Context.Done()
}

// Wherever a context ends, the attempt is cancelled: never failed, never an
// error, and nothing is written (invariant I7).
func TestACancelledContextIsCancelled(t *testing.T) {
	type end struct {
		status compaction.Status
		reason compaction.Reason
		err    error
	}
	keep := int64(500)
	attempts := map[string]func(ctx context.Context, c *compaction.Compactor, first string) (end, error){
		"compact": func(ctx context.Context, c *compaction.Compactor, _ string) (end, error) {
			o, err := c.Compact(ctx, compaction.Request{Keep: &keep})
			if err != nil {
				return end{}, err
			}
			return end{o.Status, o.Reason, o.Err}, nil
		},
		"navigate": func(ctx context.Context, c *compaction.Compactor, first string) (end, error) {
			n, err := c.Navigate(ctx, compaction.Navigation{Target: first, Summarize: new(true)})
			if err != nil {
				return end{}, err
			}
			return end{n.Status, n.Reason, n.Err}, nil
		},
		"merge": func(ctx context.Context, c *compaction.Compactor, first string) (end, error) {
			n, err := c.Merge(ctx, compaction.Merge{From: first})
			if err != nil {
				return end{}, err
			}
			return end{n.Status, n.Reason, n.Err}, nil
		},
		"undo": func(ctx context.Context, c *compaction.Compactor, _ string) (end, error) {
			u, err := c.Undo(ctx)
			if err != nil {
				return end{}, err
			}
			return end{u.Status, u.Reason, u.Err}, nil
		},
	}
	for name, attempt := range attempts {
		t.Run(name, func(t *testing.T) {
			cancelled := 0
			for n := 0; n < 200; n += amount.Of(3, 1) {
				s := newDay(4, 700).onDisk(t)
				c := extractor(s, 200_000)
				if name == "undo" {
					if o, err := c.Compact(ctx, compaction.Request{Keep: &keep}); err != nil || o.Status != compaction.Applied {
						t.Fatal(o, err)
					}
				}
				path, err := s.Path(ctx, nil)
				if err != nil {
					t.Fatal(err)
				}
				before, err := os.ReadFile(s.Ref())
				if err != nil {
					t.Fatal(err)
				}
				got, err := attempt(newCountdown(n), c, path[1].ID)
				after, readErr := os.ReadFile(s.Ref())
				if err != nil || readErr != nil {
					t.Fatalf("look %d: %v, %v", n, err, readErr)
				}
				switch got.status {
				case compaction.Applied, compaction.Skipped:
					if cancelled == 0 {
						t.Error("it was never cancelled")
					}
					return
				case compaction.Cancelled:
					if cancelled++; got.reason != compaction.Interrupted || !errors.Is(got.err, context.Canceled) || !bytes.Equal(before, after) {
						t.Fatalf("look %d: %s, %v, %d bytes written", n, got.reason, got.err, len(after)-len(before))
					}
				default:
					t.Fatalf("look %d: %s %s: %v", n, got.status, got.reason, got.err)
				}
			}
			t.Error("it never ends")
		})
	}
}

// A context that ends while the messages are folded ends that soon: what is
// masked after it is a small part of what a whole run masks.
func TestCancelWhileMessagesAreFolded(t *testing.T) {
	keep := int64(500)
	run := func(ctx context.Context, mask func(string) string) (*compaction.Outcome, bool) {
		s := newDay(150, 700).onDisk(t)
		c := extractor(s, 0)
		c.Mask = mask
		before, err := os.ReadFile(s.Ref())
		if err != nil {
			t.Fatal(err)
		}
		out, err := c.Compact(ctx, compaction.Request{Keep: &keep})
		if err != nil {
			t.Fatal(err)
		}
		after, err := os.ReadFile(s.Ref())
		if err != nil {
			t.Fatal(err)
		}
		return out, bytes.Equal(before, after)
	}
	var counted atomic.Int64 // texts are masked side by side
	if out, _ := run(ctx, func(s string) string { counted.Add(1); return s }); out.Status != compaction.Applied {
		t.Fatal(out.Status, out.Reason, out.Detail)
	}
	ending, cancel := context.WithCancelCause(ctx)
	whole := counted.Load()
	var masked atomic.Int64
	out, same := run(ending, func(s string) string {
		if masked.Add(1) == whole/10 {
			cancel(errStop)
		}
		return s
	})
	if out.Status != compaction.Cancelled || out.Reason != compaction.Interrupted || !errors.Is(out.Err, errStop) || !same {
		t.Errorf("%s %s %v, unchanged: %v", out.Status, out.Reason, out.Err, same)
	}
	if masked := masked.Load(); masked > whole/4 {
		t.Errorf("%d of %d texts were masked", masked, whole)
	}
}
