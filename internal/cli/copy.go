package cli

import (
	"context"
	"iter"

	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/filestore"
)

// writeCopy writes the whole tree of a session, with what was appended in
// memory, as a session of its own.
func (a *app) writeCopy(ctx context.Context, s *session.Session, log session.Log, path string) (string, error) {
	h := session.Header{Cwd: log.Header().Cwd, ParentSession: s.Ref()}.Complete(a.Now())
	return path, filestore.WriteCopy(ctx, path, h, healed(ctx, log))
}

// healed walks the entries with the parents that reading found: a reference
// that damage had broken is whole in the copy.
func healed(ctx context.Context, log session.Log) iter.Seq2[*session.Entry, error] {
	return func(yield func(*session.Entry, error) bool) {
		for e, err := range log.All(ctx) {
			if err == nil {
				e, err = withParent(ctx, log, e)
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

func withParent(ctx context.Context, log session.Log, e *session.Entry) (*session.Entry, error) {
	parent, err := log.Parent(ctx, e)
	if err != nil {
		return nil, err
	}
	id, value := "", []byte("null")
	if parent != nil {
		id, value = parent.ID, rawjson.Quote(parent.ID)
	}
	if id == e.ParentID {
		return e, nil
	}
	return &session.Entry{ID: e.ID, ParentID: id, Type: e.Type, Time: e.Time, Raw: rawjson.Set(e.Raw, "parentId", value), At: -1}, nil
}
