package coppice_test

import (
	"bytes"
	"math"
	"runtime"
	"testing"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/message"
)

// badEstimator counts nonsense.
type badEstimator func() int64

func (f badEstimator) Text(string) int64              { return f() }
func (f badEstimator) Message(*message.Message) int64 { return f() }

// Where an estimator panics, or its counts cannot be right, ours decide.
func TestBadEstimator(t *testing.T) {
	ctx := t.Context()
	sizes := map[string]int64{}
	for name, count := range map[string]func() int64{
		"ours":       nil,
		"panics":     func() int64 { panic("oh") },
		"exits":      func() int64 { runtime.Goexit(); return 0 },
		"zero":       func() int64 { return 0 },
		"below zero": func() int64 { return -1 },
		"the least":  func() int64 { return math.MinInt64 },
		"too many":   func() int64 { return 1 << 62 },
	} {
		o := coppice.Options{Facts: message.Model{Window: 32_000}}
		if count != nil {
			o.Estimator = badEstimator(count)
		}
		s := inMemory(t, o)
		talk(t, s, 100) // more than one processor counts
		sizes[name] = must.Get(s.Size(ctx)).Decision()
		if out, err := s.Compact(ctx, compaction.Request{}); err != nil || out.Status != compaction.Applied {
			t.Errorf("%s: %+v, %v", name, out, err)
		}
		if p, err := s.Fit(ctx, message.User("What now?")); err != nil || p.Meter.Decision() >= 32_000 {
			t.Errorf("%s: fit: %v", name, err)
		}
	}
	for name, size := range sizes {
		if size != sizes["ours"] {
			t.Errorf("%s: %d tokens, want %d", name, size, sizes["ours"])
		}
	}
}

// What masks can only panic or exit; then there is an error, or the attempt has
// failed.
func TestBadMask(t *testing.T) {
	for name, do := range map[string]func(){"panics": func() { panic("oh") }, "exits": runtime.Goexit} {
		t.Run(name, func(t *testing.T) { badMask(t, func(s string) string { do(); return s }) })
	}
}

func badMask(t *testing.T, mask func(string) string) {
	ctx := t.Context()
	s := inMemory(t, coppice.Options{Mask: mask, Facts: message.Model{Window: 32_000}})
	talk(t, s, 100)
	before := raw(t, s)
	out, err := s.Compact(ctx, compaction.Request{})
	if err == nil && out.Status != compaction.Failed || !bytes.Equal(raw(t, s), before) {
		t.Errorf("%+v, %v", out, err)
	}
	if _, err := s.Size(ctx); err != nil {
		t.Errorf("size: %v", err)
	}
	if _, err := s.Fit(ctx); err == nil {
		t.Error("a request of 100,000 tokens fits")
	}
	if _, err := s.Label(ctx, must.Get(s.Leaf(ctx)).ID, "here"); err == nil {
		t.Error("an unmasked label was written")
	}
	if trigger := s.Reducing(); trigger != "" {
		t.Errorf("%s still runs afterwards", trigger)
	}
}
