package session

import (
	"context"
	"strings"
)

// Overlay reads a session as if prepared entries were already in it, with the
// last one as the leaf. It answers what a change would do before it is made.
type Overlay struct {
	base    *Session
	parent  *Entry
	entries []*Entry
}

// NewOverlay puts entries, a chain made by Prepare under parent, over base.
func NewOverlay(base *Session, parent *Entry, entries []*Entry) *Overlay {
	return &Overlay{base: base, parent: parent, entries: entries}
}

// Leaf returns the last prepared entry.
func (o *Overlay) Leaf(context.Context) (*Entry, error) {
	if len(o.entries) == 0 {
		return o.parent, nil
	}
	return o.entries[len(o.entries)-1], nil
}

// Parent returns the parent of e, or nil at a root.
func (o *Overlay) Parent(ctx context.Context, e *Entry) (*Entry, error) {
	for i, p := range o.entries {
		if p == e {
			if i == 0 {
				return o.parent, nil
			}
			return o.entries[i-1], nil
		}
	}
	return o.base.Parent(ctx, e)
}

// Find returns an entry by id.
func (o *Overlay) Find(ctx context.Context, id string, at int64) (*Entry, error) {
	for _, e := range o.entries {
		if e.ID == id {
			return e, nil
		}
	}
	return o.base.Find(ctx, id, at)
}

// oneLine trims s and replaces line breaks by a space: names stand in lists.
func oneLine(s string) string {
	return strings.TrimSpace(strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' }), " "))
}
