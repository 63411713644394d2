package compaction

import (
	"context"
	"fmt"
	"slices"

	"github.com/coppice-dev/coppice/internal/kinds"
	"github.com/coppice-dev/coppice/internal/shape"
	"github.com/coppice-dev/coppice/internal/thread"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
)

// Navigation is a move to another place in the tree (docs/branches.md, Go
// elsewhere).
type Navigation struct {
	Target string // id of the entry to go to

	Summarize           *bool  // put a summary of what is left at the new place; nil: as the settings say
	Focus               string // what the user wants that summary to keep; verbatim
	ReplaceInstructions bool   // Focus replaces our prompt instead of being added to it
	Label               string // set on the summary or, without one, on the target
}

// budget returns how many tokens of a branch one request may have.
func (s BranchSettings) budget(m message.Model) int64 {
	window := m.Window
	if window <= 0 {
		window = defaultWindow
	}
	return window - Settings{ReserveTokens: s.ReserveTokens}.reserve(window)
}

// defaultWindow is the assumed window of an unknown model, in tokens.
const defaultWindow = 128_000

// Route is where a navigation goes, and what it leaves. Nothing has been
// written.
type Route struct {
	OldLeaf  *session.Entry   // nil: the log is empty
	Target   *session.Entry   // inside a tool group: the group's last entry
	NewLeaf  *session.Entry   // what the next entry is a child of; nil: it is a root
	Ancestor *session.Entry   // the deepest common one; nil: none
	Left     []*session.Entry // from after the ancestor to the old leaf
	// EditorText is the text of a target that is to be changed and said again; "":
	// there is none.
	EditorText string
	// Here says that the conversation is already at the target.
	Here bool
}

// route finds the way to a target. An unknown one is session.ErrNotFound.
func (c *Compactor) route(ctx context.Context, target string) (*Route, error) {
	e, err := c.Session.Find(ctx, target, -1)
	if err != nil {
		return nil, fmt.Errorf("go to entry %q: %w", target, err)
	}
	leaf, err := c.Session.Leaf(ctx)
	if err != nil {
		return nil, err
	}
	if same(leaf, e) {
		return &Route{OldLeaf: leaf, Target: e, NewLeaf: e, Ancestor: e, Here: true}, nil
	}
	r, err := c.routeBetween(ctx, leaf, e)
	if err != nil {
		return nil, err
	}
	var after []*session.Entry // what follows the target on the side of the old leaf
	if same(r.Ancestor, e) {
		after = r.Left
	}
	if r.Target, err = c.unitEnd(ctx, e, after); err != nil {
		return nil, err
	}
	if r.Target != e {
		if r, err = c.routeBetween(ctx, leaf, r.Target); err != nil {
			return nil, err
		}
	}
	return r, c.arrive(ctx, r)
}

// arrive finds the new leaf of a route.
func (c *Compactor) arrive(ctx context.Context, r *Route) error {
	r.NewLeaf = r.Target
	r.Here = same(r.Target, r.Ancestor) && !slices.ContainsFunc(r.Left, func(e *session.Entry) bool { return !onlyMarks(e) })
	text, again, err := said(r.Target)
	if err != nil {
		return err
	}
	if !again || r.Here {
		return nil
	}
	r.EditorText = text
	r.NewLeaf, err = c.Session.Parent(ctx, r.Target)
	return err
}

// onlyMarks reports whether an entry only marks its parent: a label, or a move to it.
func onlyMarks(e *session.Entry) bool {
	if c := e.Custom(); c != nil {
		return c.CustomType == kinds.CustomLeaf
	}
	return e.Type == session.TypeLabel
}

// said returns the text of an entry that can be said again: a user or custom
// message.
func said(e *session.Entry) (text string, ok bool, err error) {
	if r := e.Role(); r != message.RoleUser && r != message.RoleCustom {
		return "", false, nil
	}
	m, err := e.Message()
	if err != nil {
		return "", false, err
	}
	return m.Text(""), true, nil
}

// routeBetween walks back from two entries to where their paths meet. The later one of the
// two goes first: a parent always comes before its child.
func (c *Compactor) routeBetween(ctx context.Context, leaf, target *session.Entry) (*Route, error) {
	r := &Route{OldLeaf: leaf, Target: target}
	a, b := leaf, target
	for !same(a, b) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var err error
		if b == nil || a != nil && a.At > b.At {
			r.Left = append(r.Left, a)
			a, err = c.Session.Parent(ctx, a)
		} else {
			b, err = c.Session.Parent(ctx, b)
		}
		if err != nil {
			return nil, err
		}
	}
	slices.Reverse(r.Left)
	r.Ancestor = a
	return r, nil
}

func same(a, b *session.Entry) bool {
	return a == b || a != nil && b != nil && a.ID == b.ID && a.At == b.At
}

// unitEnd returns the last entry of the tool group that target is in, on the
// side of after, or target itself. If after is empty and the group continues,
// its side is the newest one.
func (c *Compactor) unitEnd(ctx context.Context, target *session.Entry, after []*session.Entry) (*session.Entry, error) {
	var turn []*session.Entry // from the turn's first message to the target
	for e := target; e != nil; {
		turn = append(turn, e)
		if e != target && e.Role() == message.RoleUser {
			break
		}
		next, err := c.Session.Parent(ctx, e)
		if err != nil {
			return nil, err
		}
		e = next
	}
	slices.Reverse(turn)
	if len(after) == 0 {
		if len(thread.Turns(turn).Open(len(turn))) == 0 {
			return target, nil
		}
		var err error
		if after, err = c.newestAfter(ctx, target); err != nil {
			return nil, err
		}
	}
	path := append(turn, after...)
	return path[thread.Turns(path).GroupEnd(len(turn)-1)], nil
}

// newestAfter returns the entries from after target to the newest one that
// descends from it.
func (c *Compactor) newestAfter(ctx context.Context, target *session.Entry) ([]*session.Entry, error) {
	tree, err := shape.Read(ctx, c.Session.Log())
	if err != nil {
		return nil, err
	}
	under := make([]bool, len(tree.Nodes))
	newest := -1
	for i, n := range tree.Nodes {
		under[i] = n.ID == target.ID && n.At == target.At || tree.Up[i] >= 0 && under[tree.Up[i]]
		if under[i] {
			newest = i
		}
	}
	if newest < 0 {
		return nil, nil
	}
	tip, err := c.Session.Find(ctx, tree.Nodes[newest].ID, tree.Nodes[newest].At)
	if err != nil {
		return nil, err
	}
	var after []*session.Entry
	for e := tip; e != nil && !same(e, target); {
		after = append(after, e)
		if e, err = c.Session.Parent(ctx, e); err != nil {
			return nil, err
		}
	}
	slices.Reverse(after)
	return after, nil
}
