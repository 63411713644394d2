package cli

import (
	"context"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/filestore"
)

// writeCopy writes the whole tree of a session, with the entries that a dry run
// would have appended, as a session of its own.
func (a *app) writeCopy(ctx context.Context, s *coppice.Session, added []*session.Entry, path string) (string, error) {
	h := session.Header{Cwd: s.Log().Header().Cwd, ParentSession: s.Ref()}.Complete(a.Now())
	return path, filestore.WriteCopy(ctx, path, h, func(yield func(*session.Entry, error) bool) {
		for e, err := range session.Whole(ctx, s.Log()) {
			if !yield(e, err) {
				return
			}
		}
		for _, e := range added {
			if !yield(e, nil) {
				return
			}
		}
	})
}
