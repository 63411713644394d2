package timeline

import (
	"context"
	"slices"

	"github.com/coppice-dev/coppice/internal/covered"
	"github.com/coppice-dev/coppice/internal/thread"
	"github.com/coppice-dev/coppice/internal/turn"
	"github.com/coppice-dev/coppice/session"
)

// readOn looks at what a compaction of another program covers: such a program
// does not know what must stay in view. It reads back from the kept entries to
// the last final answer before the compaction. A cut that covers results that
// the model had not read is moved before them, and calls that were open at the
// cut are shown. back is the path read backwards, comp the compaction's index
// in it, kept how many of its entries are kept; the new back and kept are
// returned.
func (t *walked) readOn(ctx context.Context, src Source, back []*session.Entry, comp, kept int) ([]*session.Entry, int, error) {
	edits := map[string]*session.Entry{} // the latest edit of each target, from before the compaction
	end := comp + 1                      // after the oldest entry that matters
	for ; ; end++ {
		if end == len(back) {
			if t.atRoot {
				break
			}
			next, err := src.Parent(ctx, back[end-1])
			if err != nil {
				return nil, 0, err
			}
			if t.atRoot = next == nil; t.atRoot {
				break
			}
			if err := ctx.Err(); err != nil {
				return nil, 0, err
			}
			back = append(back, next)
		}
		e := back[end]
		if ed := e.ContextEdit(); ed != nil && edits[ed.TargetID] == nil && !t.dead[e.ID] {
			edits[ed.TargetID] = e
		}
		if e.Meta().FinalAnswer() && !coveredItem(e, edits).Hidden {
			break
		}
	}
	if end <= kept {
		return back, kept, nil
	}
	stretch := slices.Clone(back[comp+1 : end])
	slices.Reverse(stretch)
	turns := turn.Read(len(stretch), func(i int) turn.Item { return coveredItem(stretch[i], edits) })
	cut := len(stretch) - (kept - comp - 1)
	if first := turns.FirstUnread(); first >= 0 && first < cut {
		if cut = turns.Limit(); cut < 0 {
			cut = max(turns.Head(first), 0)
		}
		kept = comp + 1 + len(stretch) - cut
	}
	t.findOpen(stretch, turns, cut, edits)
	return back, kept, nil
}

// coveredItem returns what the algebra of turns has to know about an entry with
// the edit on it.
func coveredItem(e *session.Entry, edits map[string]*session.Entry) turn.Item {
	it := thread.Item(e)
	if ed := edits[e.ID]; ed != nil {
		it.Hidden = it.Hidden || ed.ContextEdit().Omit
	}
	return it
}

// findOpen finds the messages with calls that were open at the cut, each with
// the results of its other calls.
func (t *walked) findOpen(stretch []*session.Entry, turns *turn.Conversation, cut int, edits map[string]*session.Entry) {
	_, newest := turn.Newest(turns.Open(cut), covered.MaxCalls)
	for _, o := range newest {
		for _, i := range append([]int{o.Item}, turns.Results(o.Item)...) {
			if e := stretch[i]; i < cut {
				t.open = append(t.open, coveredEntry{entry: e, open: true, edit: edits[e.ID]})
			}
		}
	}
}
