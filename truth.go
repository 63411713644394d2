package coppice

import (
	"context"

	"github.com/coppice-dev/coppice/compaction"
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
