package timeline

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/coppice-dev/coppice/internal/thread"
	"github.com/coppice-dev/coppice/internal/turn"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
)

// ErrNotPinnable says that an entry has no message that a view could show.
var ErrNotPinnable = errors.New("cannot be pinned")

// PinGroup returns what a pin on an entry holds: the entry with its whole
// tool group, in path order. The entry must be on the path to the leaf.
func PinGroup(ctx context.Context, src Source, leaf *session.Entry, id string) ([]*session.Entry, error) {
	if leaf == nil {
		var err error
		if leaf, err = src.Leaf(ctx); err != nil {
			return nil, err
		}
	}
	var back []*session.Entry // from the leaf
	found, settled := -1, false
	for e := leaf; e != nil && !settled; {
		back = append(back, e)
		if e.ID == id && found < 0 {
			found = len(back) - 1
			if why, err := unpinnable(e); err != nil {
				return nil, err
			} else if why != "" {
				return nil, fmt.Errorf("%s: %w: %s", id, ErrNotPinnable, why)
			}
		}
		if settled = found >= 0 && settles(back, found); settled {
			break
		}
		next, err := src.Parent(ctx, e)
		if err != nil {
			return nil, err
		}
		e = next
	}
	if found < 0 {
		return nil, fmt.Errorf("%s: %w on the path to the leaf", id, session.ErrNotFound)
	}
	slices.Reverse(back)
	return groupAround(back, len(back)-1-found), nil
}

// settles reports whether a path read backwards reaches far enough to tell
// which group an entry is in: the entry is not a result, or the last entry read
// has its call and this is the first result of it.
func settles(back []*session.Entry, at int) bool {
	m := back[at].Meta()
	if m.Role != message.RoleToolResult {
		return true
	}
	last := len(back) - 1
	if !calls(back[last].Meta(), m.Result) {
		return false
	}
	c := turn.Read(len(back), func(i int) turn.Item { return thread.Item(back[last-i]) })
	return !c.Second(last - at) // the call of a second result may be further back
}

func calls(m session.Meta, id string) bool {
	return m.Role == message.RoleAssistant && slices.ContainsFunc(m.Calls, func(c turn.Call) bool { return c.ID == id })
}

// groupAround returns the members of the tool group that an entry is in, second
// results included, or the entry alone.
func groupAround(path []*session.Entry, at int) []*session.Entry {
	c := thread.Turns(path)
	head := at
	if h := c.Head(at); h >= 0 {
		head = h
	}
	members := []*session.Entry{path[head]}
	for i := head + 1; i < len(path); i++ {
		if c.Head(i) == head {
			members = append(members, path[i])
		}
	}
	return members
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
		return "it has no message", nil
	case m.Role == message.RoleSystem:
		return "the system prompt is always shown", nil
	case m.Failed():
		return "a failed attempt is never shown", nil
	case !sendable(m):
		return "it has no content to show", nil
	}
	return "", nil
}
