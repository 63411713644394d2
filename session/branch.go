package session

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/coppice-dev/coppice/internal/lines"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
)

// Whole walks every entry of a log in the form in which another file can hold
// it: with the parents that reading found, so that a reference broken by damage
// is whole in the copy. An entry whose reference is intact keeps its bytes.
func Whole(ctx context.Context, log Log) iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		if err := given(ctx, log); err != nil {
			yield(nil, err)
			return
		}
		seen := map[string]bool{}
		for e, err := range log.All(ctx) {
			if err != nil {
				yield(nil, err)
				return
			}
			parent := e.ParentID
			if !seen[parent] { // asking for every parent would make the log keep them all
				if parent, err = parentID(ctx, log, e); err != nil {
					yield(nil, err)
					return
				}
			}
			seen[e.ID] = true
			out, err := modern(log, e)
			if err == nil {
				out, err = rechained(out, parent)
			}
			if !yield(out, err) || err != nil {
				return
			}
		}
	}
}

func parentID(ctx context.Context, log Log, e *Entry) (string, error) {
	if e.ParentID == "" {
		return "", nil
	}
	parent, err := log.Parent(ctx, e)
	if err != nil {
		return "", fmt.Errorf("parent of %s: %w", e.ID, err)
	}
	if parent == nil {
		return "", nil
	}
	return parent.ID, nil
}

// Branch walks the path from the root to leaf as a separate log, in two passes
// over log, keeping a few bytes for each entry. Each entry is the child of the
// one before and keeps its id, unless an earlier one has it: then it gets a new
// one, and what refers to it follows. Labels may be set on anything from anywhere, so
// they cannot stay where they are in the chain: the last label of each
// surviving entry is put after leaf, with its id and time, and the others are
// left out. If leaf is nil, the path is empty.
func Branch(ctx context.Context, log Log, leaf *Entry) iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		if leaf == nil {
			return
		}
		if err := given(ctx, log); err != nil {
			yield(nil, err)
			return
		}
		p, err := readPlan(ctx, log, leaf)
		if err != nil {
			yield(nil, err)
			return
		}
		c := chain{log: log, ids: map[string]bool{}, next: map[string]string{}, now: map[string]string{}}
		i := -1
		for e, err := range log.All(ctx) {
			if err != nil {
				yield(nil, err)
				return
			}
			if i++; i >= len(p.on) {
				break // appended since the first pass
			}
			if !p.on[i] {
				continue
			}
			if e, err = c.add(e); err != nil {
				yield(nil, err)
				return
			}
			if e != nil && !yield(e, nil) {
				return
			}
		}
		for _, l := range p.labels() {
			e, err := c.addLabel(l)
			if err != nil {
				yield(nil, err)
				return
			}
			if e != nil && !yield(e, nil) {
				return
			}
		}
	}
}

// plan is what the first pass finds out: the places on the path, and the
// labels in force anywhere in the log.
type plan struct {
	on  []bool
	set map[string]setLabel // by target
}

type setLabel struct {
	entry *Entry
	order int // of the first time that the target was labelled since it had none
}

func readPlan(ctx context.Context, log Log, leaf *Entry) (*plan, error) {
	p := &plan{set: map[string]setLabel{}}
	place := -1
	t, err := ReadTree(ctx, log, func(i int, e *Entry) error {
		if e.ID == leaf.ID && e.At == leaf.At {
			place = i
		}
		p.note(i, e)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if place < 0 {
		return nil, fmt.Errorf("entry %q: %w", leaf.ID, ErrNotFound)
	}
	t.Leaf = place
	p.on = t.OnPath()
	return p, nil
}

// note replays a label.
func (p *plan) note(i int, e *Entry) {
	l := e.Label()
	if l == nil {
		return
	}
	if l.Label == "" {
		delete(p.set, l.TargetID)
		return
	}
	order := i
	if before, ok := p.set[l.TargetID]; ok {
		order = before.order
	}
	p.set[l.TargetID] = setLabel{entry: e, order: order}
}

// labels returns the labels in force, in the order in which their targets were
// first labelled.
func (p *plan) labels() []*Entry {
	set := make([]setLabel, 0, len(p.set))
	for _, l := range p.set {
		set = append(set, l)
	}
	slices.SortFunc(set, func(a, b setLabel) int { return cmp.Compare(a.order, b.order) })
	entries := make([]*Entry, len(set))
	for i, l := range set {
		entries[i] = l.entry
	}
	return entries
}

// rechained returns e as the child of parent ("": as a root), or e itself if
// its bytes already say so. The bytes may even lack the id, which reading then
// derived.
func rechained(e *Entry, parent string) (*Entry, error) {
	raw, err := e.Raw()
	if err != nil {
		return nil, err
	}
	h, _ := lines.ScanHead(raw)
	if rawjson.String(h.ID) != e.ID {
		raw = rawjson.Set(raw, "id", rawjson.Quote(e.ID))
	}
	switch stored := rawjson.String(h.ParentID); {
	case stored == parent && e.ParentID == parent && rawjson.String(h.ID) == e.ID:
		return e, nil
	case parent == "":
		raw = rawjson.Set(raw, "parentId", []byte("null"))
	case stored != parent:
		raw = rawjson.Set(raw, "parentId", rawjson.Quote(parent))
	}
	return unplaced(e, parent, raw), nil
}

// changed returns e, whose bytes are in memory, with value as the text of a
// member.
func changed(e *Entry, member, value string) *Entry {
	return unplaced(e, e.ParentID, rawjson.Set(e.body.raw, member, rawjson.Quote(value)))
}

// modern returns an entry of an older format as format 3 stores it: the role
// hookMessage became custom. Programs look for the old word only in older
// files.
func modern(log Log, e *Entry) (*Entry, error) {
	if log.Header().Version >= Version || e.Type != TypeMessage {
		return e, nil
	}
	raw, err := e.Raw()
	if err != nil {
		return nil, err
	}
	msg := rawjson.Get(raw, "message")
	if rawjson.String(rawjson.Get(msg, "role")) != "hookMessage" {
		return e, nil
	}
	raw = rawjson.Set(raw, "message", rawjson.Set(msg, "role", rawjson.Quote(string(message.RoleCustom))))
	return unplaced(e, e.ParentID, raw), nil
}

// unplaced returns e with another parent and other bytes, to be put into a log.
func unplaced(e *Entry, parent string, raw []byte) *Entry {
	return &Entry{ID: e.ID, ParentID: parent, Type: e.Type, Time: e.Time, body: &body{raw: raw}, At: -1}
}
