package timeline

import (
	"cmp"
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

// Earlier remembers which model and thinking level were named before a
// compaction of another program, which did not record them. The zero value
// remembers nothing.
type Earlier struct {
	compaction string // its id
	model      *session.ModelChange
	level      string
	known      bool // level is what the path sets
}

// Settle finds the model and the thinking level of a view whose compaction is
// another program's: they may be named before what the view shows. It reads
// back only as far as necessary, once for each compaction, and not at all if
// the view knows both. A view that is only displayed does not need it.
func (k *Earlier) Settle(ctx context.Context, src Source, v *View) error {
	if v == nil || v.Compaction == nil || v.AtRoot || len(v.Path) == 0 || v.Model != nil && v.levelKnown {
		return nil
	}
	if k.compaction != v.Compaction.ID {
		found, err := lookBack(ctx, src, v.Path[0])
		if err != nil {
			return err
		}
		found.compaction = v.Compaction.ID
		*k = found
	}
	if v.Model == nil {
		v.Model = k.model
	}
	if !v.levelKnown {
		v.level, v.ThinkingLevel = k.level, cmp.Or(k.level, levelOff)
	}
	v.levelKnown = true
	return nil
}

// lookBack finds the model and the level that are named before an entry.
func lookBack(ctx context.Context, src Source, e *session.Entry) (Earlier, error) {
	var k Earlier
	undone := map[string]bool{}
	for k.model == nil || !k.known {
		if err := ctx.Err(); err != nil {
			return k, err
		}
		var err error
		if e, err = src.Parent(ctx, e); err != nil || e == nil {
			return k, err
		}
		level := e.ThinkingLevel()
		k.take(namesModel(e), level, level != "")
		if id := e.Undoes(); id != "" {
			undone[id] = true
		}
		if c := e.Compaction(); c != nil && !undone[e.ID] && c.Coppice != nil {
			k.take(c.Coppice.Model, recordedLevel(c.Coppice), c.Coppice.ThinkingLevel != "")
		}
	}
	return k, nil
}

// take keeps those that are not known yet.
func (k *Earlier) take(model *session.ModelChange, level string, known bool) {
	if k.model == nil {
		k.model = model
	}
	if !k.known {
		k.level, k.known = level, known
	}
}

// levelOff is the level of a path that sets none.
const levelOff = "off"

// recordedLevel returns the level that a compaction recorded; "": the path had set
// none.
func recordedLevel(d *session.CompactionDetails) string {
	if d.ThinkingLevel == levelOff && !d.ThinkingOff {
		return ""
	}
	return d.ThinkingLevel
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
