package estimate_test

import (
	"math"
	"testing"

	"github.com/coppice-dev/coppice/internal/estimate"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/tokens"
)

// constant counts the same for anything, or panics.
type constant struct{ n func() int64 }

func (c constant) Text(string) int64              { return c.n() }
func (c constant) Message(*message.Message) int64 { return c.n() }

func TestChecked(t *testing.T) {
	const text = "about four tokens"
	m := message.User(text)
	ours, oursOf := tokens.Default{}.Text(text), tokens.Default{}.Message(m)
	for name, tt := range map[string]struct {
		e    tokens.Estimator
		text int64
		msg  int64
	}{
		"none":         {nil, ours, oursOf},
		"a good one":   {constant{func() int64 { return 7 }}, 7, 7},
		"zero":         {constant{func() int64 { return 0 }}, ours, oursOf},
		"below zero":   {constant{func() int64 { return -1 }}, ours, oursOf},
		"the least":    {constant{func() int64 { return math.MinInt64 }}, ours, oursOf},
		"far too many": {constant{func() int64 { return 1 << 62 }}, ours, oursOf},
		"the most":     {constant{func() int64 { return math.MaxInt64 }}, ours, oursOf},
		"panics":       {constant{func() int64 { panic("no") }}, ours, oursOf},
		"a nil one":    {(*constant)(nil), ours, oursOf},
	} {
		e := estimate.Checked(estimate.Checked(tt.e))
		if n, of := e.Text(text), e.Message(m); n != tt.text || of != tt.msg {
			t.Errorf("%s: %d and %d, want %d and %d", name, n, of, tt.text, tt.msg)
		}
	}
	for _, own := range []tokens.Estimator{tokens.Default{}, tokens.Plain{}, tokens.For(message.Model{ID: "gpt-4o"})} {
		if estimate.Checked(own) != own {
			t.Errorf("%T is wrapped", own)
		}
	}
}
