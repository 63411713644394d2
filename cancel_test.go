package coppice_test

import (
	"context"
	"errors"
	"testing"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/message"
)

// A call whose context has ended says how and why, no matter what noticed it first.
func TestCancelledCallsSayHowAndWhy(t *testing.T) {
	why := errors.New("the user left")
	s := inMemory(t, coppice.Options{Facts: message.Model{Provider: "p", ID: "m", Window: 32_000}})
	talk(t, s, 4)
	leaf, err := s.Leaf(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for name, call := range map[string]func(context.Context) error{
		"fit":  func(ctx context.Context) error { _, err := s.Fit(ctx); return err },
		"say":  func(ctx context.Context) error { _, err := s.Say(ctx, message.User("x")); return err },
		"view": func(ctx context.Context) error { _, err := s.View(ctx); return err },
		"pin":  func(ctx context.Context) error { _, err := s.Pin(ctx, leaf.ID); return err },
		"answer": func(ctx context.Context) error {
			_, err := s.Answer(ctx, func(func(message.Event, error) bool) {})
			return err
		},
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(why)
		if err := call(ctx); !errors.Is(err, context.Canceled) || !errors.Is(err, why) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
