package timeline

import (
	"context"

	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
)

// ModelInUse returns the model that the path to leaf (nil: the leaf of src)
// names, or nil. It reads back only to where the model is named, so that a
// caller can look up its window before projecting.
func ModelInUse(ctx context.Context, src Source, leaf *session.Entry) (*session.ModelChange, error) {
	if leaf == nil {
		var err error
		if leaf, err = src.Leaf(ctx); err != nil {
			return nil, err
		}
	}
	undone := map[string]bool{}
	for e := leaf; e != nil; {
		if mc := namesModel(e); mc != nil {
			return mc, nil
		}
		if id := e.Undoes(); id != "" {
			undone[id] = true
		}
		if c := e.Compaction(); c != nil && !undone[e.ID] && c.Coppice != nil && c.Coppice.Model != nil {
			return c.Coppice.Model, nil
		}
		next, err := src.Parent(ctx, e)
		if err != nil {
			return nil, err
		}
		e = next
	}
	return nil, nil
}

// namesModel returns the model that an entry puts in use, or nil: a model
// change, or an assistant message that did not fail.
func namesModel(e *session.Entry) *session.ModelChange {
	if mc := e.ModelChange(); mc != nil {
		return mc
	}
	if m := e.Meta(); m.Role == message.RoleAssistant && m.Model != "" && !m.Failed() {
		return &session.ModelChange{Provider: m.Provider, ModelID: m.Model}
	}
	return nil
}
