package timeline

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/tokens"
)

// ErrNotPinnable says that an entry bears no message that a view could show.
var ErrNotPinnable = errors.New("cannot be pinned")

// PinTooLargeError says that with this pin all pins together would take more
// than a quarter of the target.
type PinTooLargeError struct{ Pin, Others, Limit int64 } // tokens

func (e *PinTooLargeError) Error() string {
	return fmt.Sprintf("the pin takes %d tokens and the other pins %d: together more than %d, a quarter of the target",
		e.Pin, e.Others, e.Limit)
}

// PinGroup returns what a pin on an entry holds: the entry with its whole
// tool group, in path order. The entry must be on the path to the leaf.
func PinGroup(ctx context.Context, src Source, leaf *session.Entry, id string) ([]*session.Entry, error) {
	if leaf == nil {
		var err error
		if leaf, err = src.Leaf(ctx); err != nil {
			return nil, err
		}
	}
	var path []*session.Entry // from the leaf back
	callID, found := "", false
	for e := leaf; e != nil; {
		path = append(path, e)
		o := e.Outline()
		if e.ID == id && !found {
			found = true
			why, err := unpinnable(e)
			if err != nil {
				return nil, err
			}
			if why != "" {
				return nil, fmt.Errorf("%s: %w: %s", id, ErrNotPinnable, why)
			}
			if o.Role == message.RoleToolResult {
				callID = o.ToolCallID
			}
		}
		if found && (callID == "" || calls(o, callID)) {
			break
		}
		next, err := src.Parent(ctx, e)
		if err != nil {
			return nil, err
		}
		e = next
	}
	if !found {
		return nil, fmt.Errorf("%s: %w on the path to the leaf", id, session.ErrNotFound)
	}
	slices.Reverse(path)
	return groupAround(path, id), nil
}

func calls(o *message.Outline, id string) bool {
	return o != nil && o.Role == message.RoleAssistant && slices.ContainsFunc(o.Calls, func(c message.CallHead) bool { return c.ID == id })
}

// groupAround returns the members of the tool group that id is in, or id's
// entry alone.
func groupAround(path []*session.Entry, id string) []*session.Entry {
	outlines := make([]*message.Outline, len(path))
	for i, e := range path {
		if Bears(e) {
			outlines[i] = e.Outline()
		}
	}
	groups, _ := GroupOutlines(outlines)
	for _, g := range groups {
		idx := append([]int{g.Assistant}, g.Results...)
		if slices.ContainsFunc(idx, func(i int) bool { return path[i].ID == id }) {
			members := make([]*session.Entry, len(idx))
			for n, i := range idx {
				members[n] = path[i]
			}
			return members
		}
	}
	i := slices.IndexFunc(path, func(e *session.Entry) bool { return e.ID == id })
	return path[i : i+1]
}

// unpinnable says why an entry cannot be pinned, or "".
func unpinnable(e *session.Entry) (string, error) {
	m, err := e.Message()
	switch {
	case err != nil:
		return "", err
	case e.Type == session.TypeCompaction:
		return "it is a summary; pin what it covers", nil
	case m == nil:
		return "it bears no message", nil
	case m.Role == message.RoleSystem:
		return "the system prompt is always shown", nil
	case m.Failed():
		return "a failed attempt is never shown", nil
	case !sendable(m):
		return "there is nothing in it to show", nil
	}
	return "", nil
}

// CheckPin refuses a pin that would take all pins above a quarter of the target
// (spec/context.md, Projection 6). target 0: no limit.
func CheckPin(v *View, group []*session.Entry, est tokens.Estimator, target int64) error {
	if target <= 0 {
		return nil
	}
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

// Refs names entries in the log.
func Refs(entries []*session.Entry) []session.Ref {
	refs := make([]session.Ref, len(entries))
	for i, e := range entries {
		refs[i] = session.Ref{ID: e.ID, At: e.At}
	}
	return refs
}
