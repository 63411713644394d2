package cli

import (
	"context"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/filestore"
)

// writeCopy writes the whole tree of a session, with what was appended in
// memory, as a session of its own.
func (a *app) writeCopy(ctx context.Context, s *coppice.Session, log session.Log, path string) (string, error) {
	h := session.Header{Cwd: log.Header().Cwd, ParentSession: s.Ref()}.Complete(a.Now())
	return path, filestore.WriteCopy(ctx, path, h, session.Whole(ctx, log))
}
