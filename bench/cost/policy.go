package main

import (
	"context"
	"time"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/prune"
	"github.com/coppice-dev/coppice/render"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/summarize"
)

// policy makes a session's view smaller where it thinks that it should.
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

// horizonCalls is within how many calls an edit has to pay, by default.
const horizonCalls = 20

// ours is what package agent does, without its background work: that changes
// who waits, not what is sent.
type ours struct{ shared bool }

func (o ours) reduce(ctx context.Context, s *stage, at time.Time) error {
	for pruned, tried := false, false; ; {
		v, err := s.project(ctx)
		if err != nil {
			return err
		}
		step, err := render.Next(render.Input{View: v, Model: s.model, Compaction: compaction.Settings{}, Prune: prune.Settings{},
			Economy: prune.Economy{Warm: true, HorizonCalls: horizonCalls}, Pruned: pruned})
		if err != nil {
			return err
		}
		switch {
		case len(step.Edits) > 0:
			pruned = true
			var drafts []session.Draft
			for _, e := range step.Edits {
				drafts = append(drafts, e.Draft())
			}
			if _, err := s.session.Append(ctx, drafts...); err != nil {
				return err
			}
		case step.Compact && !tried:
			tried = true
			c := &compaction.Compactor{Session: s.session, Settings: compaction.Settings{}, Model: s.model, SharedPrefix: o.shared,
				Summarizer: &summarize.Ladder{Models: []summarize.Model{scribe{s, at}}, Extract: true}}
			if _, err := c.Compact(ctx, compaction.Request{Trigger: compaction.Threshold, Adapt: true}); err != nil {
				return err
			}
		default:
			return nil
		}
	}
}
