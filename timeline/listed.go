package timeline

import (
	"github.com/coppice-dev/coppice/internal/thread"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
)

// Listed returns, for each entry of the path, what a summarizer gets of it:
// with its edit, and failed attempts included. An item without an entry is
// metadata, the prompt, a command kept from the model, or something that an
// edit left out.
func (v *View) Listed() ([]Item, error) {
	listed := make([]Item, len(v.Path))
	gone := map[int]bool{} // what an edit left out
	for i, e := range v.Path {
		if m := e.Meta(); !thread.IsMessage(e) || m.Role == message.RoleSystem || m.Excluded {
			continue
		}
		c := candidate{item: Item{Entry: e, Pos: i}}
		if ed := v.edits[e.ID]; ed != nil {
			if err := c.edit(ed); err != nil {
				return nil, err
			}
		}
		if c.rule == ruleEditNull {
			gone[i] = true
			continue
		}
		listed[i] = c.item
	}
	if len(gone) == 0 {
		return listed, nil
	}
	turns := thread.Turns(v.Path)
	for i := range listed {
		if gone[turns.Head(i)] {
			listed[i] = Item{}
		}
	}
	return listed, nil
}

// ListPath lists a piece of a path as Listed does the path of a view, but with
// any number of compactions on it: with the edits in force at its end, except
// those of an undone compaction. A compaction that was not undone is listed as
// its summary.
func ListPath(path []*session.Entry) ([]Item, error) {
	t := &walked{path: path, dead: map[string]bool{}}
	undone := map[string]bool{}
	for _, e := range path {
		if id := e.Undoes(); id != "" {
			undone[id] = true
		}
	}
	for _, e := range path {
		if c := e.Compaction(); c != nil && undone[e.ID] {
			t.dropEditsOf(c)
		}
	}
	edits, err := t.edits()
	if err != nil {
		return nil, err
	}
	listed, err := (&View{Path: path, edits: edits}).Listed()
	if err != nil {
		return nil, err
	}
	for i, e := range path {
		if e.Type == session.TypeCompaction && !undone[e.ID] {
			listed[i] = Item{Entry: e, Pos: i}
		}
	}
	return listed, nil
}

// ItemMessages returns the messages of items, nil for those without an entry.
func ItemMessages(items []Item) ([]*message.Message, error) {
	msgs := make([]*message.Message, len(items))
	err := parallel(len(items), func(i int) (err error) {
		if items[i].Entry != nil {
			msgs[i], err = items[i].Message()
		}
		return err
	})
	return msgs, err
}

// EditOf returns the context edit in force on an entry of the path, or nil.
func (v *View) EditOf(id string) *session.ContextEdit { return v.edits[id] }
