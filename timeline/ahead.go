package timeline

import (
	"context"
	"slices"

	"github.com/coppice-dev/coppice/session"
)

// With returns the view as it would be with more entries in the log: a chain
// under its leaf, as session.Session.Prepare makes it. What the view has read
// is not read again; src, the log of the view, is asked only for what is
// further back.
func (v *View) With(ctx context.Context, src Source, entries ...*session.Entry) (*View, error) {
	read, root := v.read(), v.rootRead || v.AtRoot
	w, err := Project(ctx, &ahead{Source: src, path: slices.Concat(read, entries), added: entries, atRoot: root}, nil, v.policy)
	if err != nil {
		return nil, err
	}
	if len(w.Path) > 0 {
		if at := slices.Index(read, w.Path[0]); at > len(w.beyond) {
			w.beyond, w.rootRead = slices.Clone(read[:at]), root
			slices.Reverse(w.beyond)
		}
	}
	return w, nil
}

// read returns all that was read of the path, oldest first.
func (v *View) read() []*session.Entry {
	if len(v.beyond) == 0 {
		return v.Path
	}
	before := slices.Clone(v.beyond)
	slices.Reverse(before)
	return append(before, v.Path...)
}

// ahead is a source that reads a path in memory, and before its beginning the
// log.
type ahead struct {
	Source
	path   []*session.Entry
	added  []*session.Entry // the end of path, which the log does not have
	atRoot bool             // the path begins at the root
	near   int              // the place of the entry that was asked about last
}

func (a *ahead) Leaf(context.Context) (*session.Entry, error) {
	if len(a.path) == 0 {
		return nil, nil
	}
	return a.path[len(a.path)-1], nil
}

// Parent is asked from the leaf back, so that the entry is nearly always the
// one before the last.
func (a *ahead) Parent(ctx context.Context, e *session.Entry) (*session.Entry, error) {
	at := a.near - 1
	if at < 0 || a.path[at] != e {
		at = slices.Index(a.path, e)
	}
	switch {
	case at > 0:
		a.near = at
		return a.path[at-1], nil
	case at == 0 && a.atRoot:
		return nil, nil
	}
	return a.Source.Parent(ctx, e)
}

func (a *ahead) Find(ctx context.Context, id string, at int64) (*session.Entry, error) {
	if i := slices.IndexFunc(a.added, func(e *session.Entry) bool { return e.ID == id }); i >= 0 {
		return a.added[i], nil
	}
	return a.Source.Find(ctx, id, at)
}
