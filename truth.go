package coppice

import (
	"context"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/internal/glance"
	"github.com/coppice-dev/coppice/session"
	truth "github.com/coppice-dev/coppice/state"
)

// State returns what is true at an entry, or at the leaf if it is nil: the
// current request, rules, failures, open work, decisions (docs/compaction.md).
func (s *Session) State(ctx context.Context, at *session.Entry) (*truth.State, error) {
	v, err := s.ViewAt(ctx, at)
	if err != nil {
		return nil, err
	}
	return compaction.State(ctx, v, truth.Options{Mask: s.opts.Mask, Extractors: s.opts.Extractors, Cwd: s.log.Log().Header().Cwd})
}

// Glance returns what State does as far as the end of the path tells: the newest
// messages, and what the latest compaction carries. What that costs does not
// grow with the session, so it is what a list of sessions can show.
func (s *Session) Glance(ctx context.Context, at *session.Entry) (*truth.State, error) {
	return do(ctx, s, func() (*truth.State, error) {
		if at == nil {
			leaf, err := s.log.Leaf(ctx)
			if err != nil {
				return nil, err
			}
			at = leaf
		}
		return glance.At(ctx, s.log, at, s.opts.Mask)
	})
}
