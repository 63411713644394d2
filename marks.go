package coppice

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/coppice-dev/coppice/internal/estimate"
	"github.com/coppice-dev/coppice/internal/mark"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/prune"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/tokens"
)

// Prune shows less of old tool output, repeated reads and empty results, as
// reversible edits. It returns what it edited; no edits are not an error.
func (s *Session) Prune(ctx context.Context) ([]prune.Edit, error) {
	return do(ctx, s, func() ([]prune.Edit, error) {
		edits, err := s.PrunePlan(ctx)
		if err == nil && len(edits) > 0 {
			err = s.edit(ctx, edits)
		}
		return edits, err
	})
}

// PrunePlan says what Prune would edit.
func (s *Session) PrunePlan(ctx context.Context) ([]prune.Edit, error) {
	return do(ctx, s, func() ([]prune.Edit, error) {
		c, err := s.compactorAt(ctx, nil)
		if err != nil {
			return nil, err
		}
		v, err := c.View(ctx, nil)
		if err != nil {
			return nil, err
		}
		return prune.Plan(v, s.opts.Prune, s.opts.Estimator, c.Model)
	})
}

// Pin keeps an entry in every view, word for word, with the whole tool group
// that it belongs to. All pins together may take a quarter of the target;
// beyond that the error is a *PinTooLargeError.
func (s *Session) Pin(ctx context.Context, id string) (*session.Entry, error) {
	return do(ctx, s, func() (*session.Entry, error) {
		group, err := timeline.PinGroup(ctx, s.log, nil, id)
		if err != nil {
			return nil, err
		}
		c, err := s.compactorAt(ctx, nil)
		if err != nil {
			return nil, err
		}
		v, err := c.View(ctx, nil)
		if err != nil {
			return nil, err
		}
		if err := checkPin(v, group, s.opts.Estimator, c.Settings.Threshold(c.Model.InputLimit())); err != nil {
			return nil, err
		}
		return s.writeOne(ctx, mark.Pin(id, group))
	})
}

// PinTooLargeError says that with this pin all pins together would take more
// than a quarter of the target.
type PinTooLargeError struct{ Pin, Others, Limit int64 } // tokens

func (e *PinTooLargeError) Error() string {
	return fmt.Sprintf("the pin takes %d tokens and the other pins %d: together more than %d, a quarter of the target",
		e.Pin, e.Others, e.Limit)
}

// checkPin refuses a pin with which all pins together would take more than a
// quarter of the target (docs/context.md, Projection 6). target 0: no limit.
func checkPin(v *timeline.View, group []*session.Entry, est tokens.Estimator, target int64) error {
	if target <= 0 {
		return nil
	}
	est = estimate.Checked(est)
	mine := map[string]bool{}
	e := &PinTooLargeError{Limit: target / 4}
	for _, g := range group {
		mine[g.ID] = true
		m, err := g.Message()
		if err != nil {
			return err
		}
		e.Pin += est.Message(m)
	}
	for _, it := range v.Items {
		if it.Pinned && it.Entry != nil && !mine[it.Entry.ID] {
			m, err := it.Message()
			if err != nil {
				return err
			}
			e.Others += est.Message(m)
		}
	}
	if e.Pin+e.Others > e.Limit {
		return e
	}
	return nil
}

// Unpin removes the pin on an entry or on another member of its tool group. It
// fails if there is no pin.
func (s *Session) Unpin(ctx context.Context, id string) (*session.Entry, error) {
	return do(ctx, s, func() (*session.Entry, error) {
		v, err := s.View(ctx)
		if err != nil {
			return nil, err
		}
		pins := v.PinRefs()
		i := slices.IndexFunc(pins, func(r session.Ref) bool {
			return r.ID == id || slices.ContainsFunc(r.Group, func(g session.Ref) bool { return g.ID == id })
		})
		if i < 0 {
			return nil, errors.New("it is not pinned")
		}
		return s.writeOne(ctx, mark.Unpin(pins[i].ID))
	})
}

// Hide leaves an entry of the active path out of the view. An answer goes with
// its calls and their results; a result leaves a note in its place.
func (s *Session) Hide(ctx context.Context, id string) (*session.Entry, error) {
	return do(ctx, s, func() (*session.Entry, error) {
		_, v, err := s.editable(ctx, id)
		if err != nil {
			return nil, err
		}
		if ed := v.EditOf(id); ed != nil && ed.Omit {
			return nil, errors.New("it is already hidden")
		}
		return s.writeOne(ctx, session.OmitDraft(id))
	})
}

// Unhide shows an entry in its original form again, whether it was hidden, pruned
// or shortened: an edit with the content of the log counts as no edit
// (docs/context.md).
func (s *Session) Unhide(ctx context.Context, id string) (*session.Entry, error) {
	return do(ctx, s, func() (*session.Entry, error) {
		e, v, err := s.editable(ctx, id)
		if err != nil {
			return nil, err
		}
		if v.EditOf(id) == nil {
			return nil, errors.New("it is already shown as it was said")
		}
		m, err := e.Message()
		if err != nil {
			return nil, err
		}
		return s.writeOne(ctx, session.EditDraft(id, m.Content))
	})
}

// editable finds an entry that may be edited, and the view: a message on the
// active path that is not covered or pinned (docs/context.md).
func (s *Session) editable(ctx context.Context, id string) (*session.Entry, *timeline.View, error) {
	v, err := s.View(ctx)
	if err != nil {
		return nil, nil, err
	}
	i := slices.IndexFunc(v.Path, func(e *session.Entry) bool { return e.ID == id })
	if i < 0 {
		if _, err := s.log.Find(ctx, id, -1); err == nil {
			return nil, nil, errors.New("a compaction covers it, or it is on another branch: it is not in view")
		}
		return nil, nil, fmt.Errorf("entry %s: %w in what the model sees of the active path", id, session.ErrNotFound)
	}
	e := v.Path[i]
	switch {
	case v.Pinned(id):
		return nil, nil, errors.New("it is pinned")
	case !slices.Contains([]message.Role{message.RoleUser, message.RoleAssistant, message.RoleToolResult, message.RoleCustom}, e.Role()):
		return nil, nil, errors.New("it is not a message of the conversation")
	}
	return e, v, nil
}

// Label names an entry; "" removes the name, and fails if there is none.
func (s *Session) Label(ctx context.Context, id, name string) (*session.Entry, error) {
	return do(ctx, s, func() (*session.Entry, error) {
		if name == "" {
			labels, err := s.log.Labels(ctx)
			if err != nil {
				return nil, err
			}
			if labels[id] == "" {
				return nil, errors.New("it has no label")
			}
		}
		return s.log.SetLabel(ctx, id, s.opts.Mask(name))
	})
}

// SetName names the session; "" removes the name, and fails if there is none.
func (s *Session) SetName(ctx context.Context, name string) (*session.Entry, error) {
	return do(ctx, s, func() (*session.Entry, error) {
		if strings.TrimSpace(name) == "" {
			old, err := s.name(ctx)
			if err != nil {
				return nil, err
			}
			if old == "" {
				return nil, errors.New("it has no name")
			}
		}
		return s.log.SetName(ctx, s.opts.Mask(name))
	})
}

// name returns the last name that the session was given. It reads the whole log.
func (s *Session) name(ctx context.Context) (name string, err error) {
	for e, err := range s.log.Log().All(ctx) {
		if err != nil {
			return "", err
		}
		if n, ok := e.Name(); ok {
			name = n
		}
	}
	return name, nil
}

func (s *Session) writeOne(ctx context.Context, d session.Draft) (*session.Entry, error) {
	entries, err := s.write(ctx, d)
	if err != nil {
		return nil, err
	}
	return entries[0], nil
}
