package main

import (
	"context"
	"errors"
	"time"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/summarize"
)

// policy makes a session's view smaller when it decides to.
type policy interface {
	reduce(ctx context.Context, s *stage, at time.Time) error
}

// Names of policies, in the order of the table.
const (
	nothing    = "no reduction"
	likePi     = "pi"
	likeOmp    = "oh-my-pi"
	serialized = "ours, serialized"
	shared     = "ours, shared prefix"
)

var names = []string{nothing, likePi, likeOmp, serialized, shared}

func newPolicy(name string) policy {
	switch name {
	case likePi:
		return newPi()
	case likeOmp:
		return newOmp()
	case serialized:
		return ours{}
	case shared:
		return ours{shared: true}
	}
	return none{}
}

// none leaves everything as it is.
type none struct{}

func (none) reduce(context.Context, *stage, time.Time) error { return nil }

// ours is what the engine does, without its background work: that changes who
// waits, not what is sent.
type ours struct{ shared bool }

func (o ours) reduce(ctx context.Context, s *stage, at time.Time) error {
	e, err := s.engine(coppice.Options{Compaction: compaction.Settings{Background: new(false)}, SharedPrefix: o.shared,
		Summarizer: &summarize.Ladder{Models: []summarize.Model{scribe{s, at}}, Extract: true}})
	if err != nil {
		return err
	}
	if _, err = e.Reduce(ctx); errors.Is(err, coppice.ErrDoesNotFit) {
		return nil // the call is counted unchanged
	}
	return err
}
