package timeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/coppice-dev/coppice/internal/guard"
	"github.com/coppice-dev/coppice/internal/kinds"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
)

// Project returns what the model sees at leaf (nil: the leaf of src). It reads
// backwards from the leaf and stops at the first kept entry of the compaction
// in force, or at the root (docs/context.md, Projection).
func Project(ctx context.Context, src Source, leaf *session.Entry, p Policy) (*View, error) {
	if err := errors.Join(guard.Given("the context", ctx), guard.Given("the session", src)); err != nil {
		return nil, err
	}
	t, err := walk(ctx, src, leaf)
	if err != nil {
		return nil, err
	}
	if err := t.findCovered(ctx, src); err != nil {
		return nil, err
	}
	retarget := p.Retarget
	p.Retarget = nil // the views that are made of this one keep its target
	v, err := t.view(p)
	if err != nil || retarget == nil {
		return v, err
	}
	if err := v.recall(ctx, src); err != nil {
		return nil, err
	}
	if p.Target, err = retarget(v); err != nil || p.Target == v.policy.Target {
		return v, err
	}
	t.beyond, t.rootRead = v.beyond, v.rootRead
	return t.view(p)
}

// walked is what a walk over the path found: everything that the view depends
// on.
type walked struct {
	path     []*session.Entry // first kept entry (or root) to leaf
	atRoot   bool
	beyond   []*session.Entry // also read, backwards from path
	rootRead bool             // the last one read is the root
	comp     *session.Entry   // the compaction in force, or nil
	compPos  int              // its index in path; -1 without one

	undone   []span          // positions of (compaction, uncompact) pairs
	dead     map[string]bool // ids of edits that went with an undone compaction
	open     []coveredEntry  // shown for their open calls, found if our own compaction does not name them
	covered  []coveredEntry  // shown although covered, in path order
	pins     []session.Ref   // in force, in the order they were set
	pinned   map[string]bool // ids of pinned entries, groups included
	problems []session.Problem
}

// span is a range of positions, both ends exclusive.
type span struct{ after, before int }

// coveredEntry is an entry from before the first kept one that is still shown.
type coveredEntry struct {
	entry   *session.Entry
	pinned  bool
	request bool
	open    bool           // a call of its message had no result when it was covered
	edit    *session.Entry // the context edit in force on it, or nil
}

// walk reads from the leaf back to where the view begins.
func walk(ctx context.Context, src Source, leaf *session.Entry) (*walked, error) {
	t := &walked{compPos: -1, dead: map[string]bool{}, pinned: map[string]bool{}}
	if leaf == nil {
		var err error
		if leaf, err = src.Leaf(ctx); err != nil {
			return nil, err
		}
	}
	undone := map[string]int{} // compaction id -> steps back to its uncompact
	var undonePairs []span     // in steps back from the leaf
	var back []*session.Entry
	firstKept, compStep := "", -1
	for e := leaf; e != nil; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		step := len(back)
		back = append(back, e)
		c := e.Compaction()
		switch {
		case t.comp != nil:
		case e.Undoes() != "":
			if _, twice := undone[e.Undoes()]; !twice {
				undone[e.Undoes()] = step
			}
		case c != nil:
			if u, ok := undone[e.ID]; ok {
				undonePairs = append(undonePairs, span{after: step, before: u})
				t.dropEditsOf(c)
			} else {
				t.comp, compStep, firstKept = e, step, c.FirstKeptEntryID
			}
		}
		if t.comp != nil && e.ID == firstKept {
			break
		}
		next, err := src.Parent(ctx, e)
		if err != nil {
			return nil, err
		}
		t.atRoot = next == nil
		e = next
	}
	n := len(back) // how many of them the view keeps
	if t.comp != nil && back[n-1].ID != firstKept {
		t.problems = append(t.problems, session.Problem{Kind: kinds.ProblemUnknownFirstKept, EntryID: t.comp.ID,
			Detail: fmt.Sprintf("its first kept entry %q is not on the path before it: nothing from before is kept", firstKept)})
		n = compStep + 1
	}
	if t.comp != nil && t.comp.Compaction().Coppice == nil {
		var err error
		if back, n, err = t.readOn(ctx, src, back, compStep, n); err != nil {
			return nil, err
		}
	}
	t.beyond, t.rootRead = slices.Clone(back[n:]), t.atRoot
	t.atRoot = t.atRoot && n == len(back)
	back = back[:n]
	slices.Reverse(back)
	t.path = back
	if t.comp != nil {
		t.compPos = n - 1 - compStep
	}
	for _, s := range undonePairs {
		t.undone = append(t.undone, span{after: n - 1 - s.after, before: n - 1 - s.before})
	}
	return t, nil
}

// dropEditsOf takes an undone compaction's own edits out of force.
func (t *walked) dropEditsOf(c *session.Compaction) {
	if c.Coppice != nil {
		for _, id := range c.Coppice.Edits {
			t.dead[id] = true
		}
	}
}

// findCovered reads the pins, the open request and the open calls that the
// compaction in force covers, and the pins set since.
func (t *walked) findCovered(ctx context.Context, src Source) error {
	pins, order := map[string]session.Ref{}, []string{}
	set := func(r session.Ref) {
		if _, ok := pins[r.ID]; !ok {
			order = append(order, r.ID)
		}
		pins[r.ID] = r
	}
	if t.comp != nil {
		if d := t.comp.Compaction().Coppice; d != nil {
			for _, r := range d.Pins {
				set(r)
			}
		}
	}
	for _, e := range t.path {
		switch p := e.Pin(); {
		case p == nil:
		case p.Pinned:
			set(session.Ref{ID: p.TargetID, At: -1, Group: p.Group})
		default:
			delete(pins, p.TargetID)
		}
	}
	shown := map[string]*coveredEntry{}
	for _, c := range t.open {
		shown[c.entry.ID] = &c
	}
	onPath := map[string]bool{}
	if len(pins) > 0 {
		onPath = ids(t.path)
	}
	for _, id := range order {
		r, ok := pins[id]
		if !ok {
			continue
		}
		t.pins = append(t.pins, r)
		if err := t.addPin(ctx, src, r, onPath, shown); err != nil {
			return err
		}
	}
	if err := t.addNamed(ctx, src, shown); err != nil {
		return err
	}
	for _, c := range shown {
		t.covered = append(t.covered, *c)
	}
	// Parents come before children, so the order of the log is that of the
	// path.
	slices.SortFunc(t.covered, func(a, b coveredEntry) int {
		return cmp.Compare(a.entry.At, b.entry.At)
	})
	return nil
}

func ids(entries []*session.Entry) map[string]bool {
	set := make(map[string]bool, len(entries))
	for _, e := range entries {
		set[e.ID] = true
	}
	return set
}

func (t *walked) addPin(ctx context.Context, src Source, r session.Ref, onPath map[string]bool, shown map[string]*coveredEntry) error {
	members := r.Group
	if len(members) == 0 {
		members = []session.Ref{{ID: r.ID, At: r.At}}
	}
	for _, m := range members {
		t.pinned[m.ID] = true
		if onPath[m.ID] {
			continue
		}
		e, err := src.Find(ctx, m.ID, m.At)
		if errors.Is(err, session.ErrNotFound) {
			t.problems = append(t.problems, session.Problem{Kind: "unknown-pin", EntryID: m.ID, Detail: "pinned, but not in the log"})
			continue
		}
		if err != nil {
			return err
		}
		show(shown, e).pinned = true
	}
	return nil
}

// show marks a covered entry as shown and returns what is known about it.
func show(shown map[string]*coveredEntry, e *session.Entry) *coveredEntry {
	c := shown[e.ID]
	if c == nil {
		c = &coveredEntry{entry: e}
		shown[e.ID] = c
	}
	return c
}

// addNamed adds what the compaction in force names: the open request, and the
// messages with open calls.
func (t *walked) addNamed(ctx context.Context, src Source, shown map[string]*coveredEntry) error {
	if t.comp == nil || t.comp.Compaction().Coppice == nil {
		return nil
	}
	d := t.comp.Compaction().Coppice
	for _, r := range d.Request {
		c, err := t.addRef(ctx, src, shown, r, session.Problem{Kind: "unknown-request", Detail: "part of the open request, but not in the log"})
		if err != nil {
			return err
		}
		c.request = true
	}
	for _, r := range d.Open {
		for _, m := range append([]session.Ref{r}, r.Group...) {
			c, err := t.addRef(ctx, src, shown, m, session.Problem{Kind: "unknown-open-call", Detail: "shown for a call without a result, but not in the log"})
			if err != nil {
				return err
			}
			c.open = true
		}
	}
	return nil
}

// addRef adds a covered entry with the edit in force on it. If the entry is not
// in the log, that is recorded as problem p, and the result has no effect.
func (t *walked) addRef(ctx context.Context, src Source, shown map[string]*coveredEntry, r session.Ref, p session.Problem) (*coveredEntry, error) {
	e, err := src.Find(ctx, r.ID, r.At)
	if errors.Is(err, session.ErrNotFound) {
		p.EntryID = r.ID
		t.problems = append(t.problems, p)
		return &coveredEntry{}, nil
	}
	if err != nil {
		return nil, err
	}
	if t.has(e) {
		return &coveredEntry{}, nil // not covered: it is shown anyway
	}
	c := show(shown, e)
	if r.Edit != nil {
		if ed, err := src.Find(ctx, r.Edit.ID, r.Edit.At); err == nil && ed.ContextEdit() != nil {
			c.edit = ed
		}
	}
	return c, nil
}

// has reports whether an entry is on the path.
func (t *walked) has(e *session.Entry) bool {
	covered := len(t.path) == 0 || e.At < t.path[0].At // a parent is before its child in the log
	return !covered && slices.ContainsFunc(t.path, func(o *session.Entry) bool { return o.ID == e.ID })
}

// view projects what was found. Only reading a message can fail.
func (t *walked) view(p Policy) (*View, error) {
	v := &View{known: &known{}, Path: t.path, AtRoot: t.atRoot || len(t.path) == 0, Compaction: t.comp, Problems: slices.Clone(t.problems), policy: p, beyond: t.beyond, rootRead: t.rootRead}
	if n := len(t.path); n > 0 {
		v.Leaf = t.path[n-1]
	}
	v.Model, v.level, v.levelKnown = t.modelAndLevel()
	v.ThinkingLevel = cmp.Or(v.level, levelOff)
	v.pins, v.pinned, v.undone, v.dead = t.pins, t.pinned, t.undone, t.dead
	for _, c := range t.covered {
		v.covered = append(v.covered, c.entry)
	}
	var err error
	if v.Prompt, err = t.prompt(nil); err != nil {
		return nil, err
	}
	if v.edits, err = t.edits(); err != nil {
		return nil, err
	}
	cands, err := t.candidates(p, v.edits)
	if err != nil {
		return nil, err
	}
	v.readTurns(cands)
	if err := t.dropThinking(v, cands, t.requestModel(p, v)); err != nil {
		return nil, err
	}
	switch {
	case t.comp == nil:
	case t.comp.Compaction().Summary != "":
		v.Items = append(v.Items, Item{Entry: t.comp, Pos: -1})
	default:
		v.Problems = append(v.Problems, session.Problem{Kind: kinds.ProblemEmptySummary, EntryID: t.comp.ID,
			Detail: "the compaction in force has no summary: nothing says what it covers"})
	}
	v.arrange(cands)
	return v, nil
}

// requestModel returns the model that gets the request.
func (t *walked) requestModel(p Policy, v *View) message.Model {
	if p.Model.ID != "" || v.Model == nil {
		return p.Model
	}
	m := p.Model
	m.Provider, m.ID = v.Model.Provider, v.Model.ModelID
	return m
}

// modelAndLevel returns the model in use and the thinking level: the last that
// the path names, else what the compaction in force recorded; nil and "" if
// neither does. known says that no one has to look for the level before that.
func (t *walked) modelAndLevel() (model *session.ModelChange, level string, known bool) {
	for i := len(t.path) - 1; i >= 0 && (model == nil || level == ""); i-- {
		e := t.path[i]
		if l := e.ThinkingLevel(); l != "" && level == "" {
			level = l
		}
		if model == nil {
			model = namesModel(e)
		}
	}
	if t.comp != nil {
		if d := t.comp.Compaction().Coppice; d != nil {
			if model == nil {
				model = d.Model
			}
			known = d.ThinkingLevel != ""
			level = cmp.Or(level, recordedLevel(d))
		}
	}
	return model, level, known || level != ""
}

func isSystem(e *session.Entry) bool { return e.Role() == message.RoleSystem }

// prompt folds the system messages in force. patched, if it is not nil, is
// called after each of them with its place in the path and the prompt before
// and after it.
func (t *walked) prompt(patched func(at int, before, after Prompt)) (Prompt, error) {
	var p Prompt
	from := 0
	if t.comp != nil {
		if sys := t.comp.Compaction().System; sys != nil {
			p.patch(sys)
			from = t.compPos
		}
	}
	for i, e := range t.path[from:] {
		if !isSystem(e) {
			continue
		}
		m, err := e.Message()
		if err != nil {
			return p, err
		}
		before := p
		p.patch(m)
		if patched != nil {
			patched(from+i, before, p)
		}
	}
	return p, nil
}
