package timeline

import (
	"slices"

	"github.com/coppice-dev/coppice/internal/covered"
	"github.com/coppice-dev/coppice/internal/thread"
	"github.com/coppice-dev/coppice/internal/turn"
	"github.com/coppice-dev/coppice/session"
)

// Unanswered returns the indexes of the messages that have a call without a
// result.
func Unanswered(messages []session.Meta) []int {
	c := turn.Read(len(messages), func(i int) turn.Item { return thread.ItemOf(messages[i]) })
	var out []int
	for _, o := range c.Open(len(messages)) {
		out = append(out, o.Item)
	}
	return out
}

type (
	// Conversation is the algebra of turns over what a view shows: which result
	// answers which call, where a turn starts, where a cut may be, and what the
	// model has not read yet. Its items are named by their index.
	Conversation = turn.Conversation
	// Open is an item of a Conversation with calls that have no result.
	Open = turn.Open
)

// Turns returns the conversation that the view shows, for the algebra of turns:
// its items are the covered entries that are shown, then those of Path. first
// is the item of the first entry of Path.
func (v *View) Turns() (c *Conversation, first int) { return v.turns, v.first }

// readTurns makes the conversation of the candidates. Candidates left out by a
// rule are hidden, and covered ones are past.
func (v *View) readTurns(cands []candidate) {
	v.first = len(cands) - len(v.Path)
	v.turns = turn.Read(len(cands), func(i int) turn.Item {
		c := &cands[i]
		if c.item.Entry == nil {
			return turn.Item{Past: i == v.first-1}
		}
		it := thread.Item(c.item.Entry) // pairs come from the log, whatever was edited
		it.Hidden = it.Hidden || c.rule != ""
		return it
	})
}

// OpenCalls is an assistant message with calls that have no result before a cut.
// The zero value is not usable: View.OpenCalls returns them.
type OpenCalls struct {
	Item    Item
	Results []Item         // of its other calls, from before the cut
	Calls   []session.Call // those without a result

	answered bool // one of Calls has a result after the cut
}

// OpenCalls returns the calls that a cut before Path[cut] would cover and that
// have no result before it, oldest first. shown stay in view: the newest ones and
// all whose result is kept. older do not. Both include calls already covered by
// the compaction in force.
func (v *View) OpenCalls(cut int) (older, shown []OpenCalls) {
	all := v.openCalls(cut)
	n := 0
	for _, o := range slices.Backward(all) {
		if n < covered.MaxCalls || o.answered {
			shown = append(shown, o)
		} else {
			older = append(older, o)
		}
		if !o.answered {
			n += len(o.Calls)
		}
	}
	slices.Reverse(shown)
	slices.Reverse(older)
	return older, shown
}

func (v *View) openCalls(cut int) []OpenCalls {
	open := v.turns.Open(v.first + cut)
	if len(open) == 0 {
		return nil
	}
	items := v.itemsOf(open)
	var out []OpenCalls
	for _, o := range open {
		head, ok := items[v.entry(o.Item)]
		if !ok {
			continue
		}
		calls := OpenCalls{Item: head}
		stored := v.entry(o.Item).Meta().Calls
		for _, n := range o.Calls {
			if head.calls(stored[n].ID) {
				calls.Calls = append(calls.Calls, stored[n])
				calls.answered = calls.answered || v.turns.Result(o.Item, n) >= 0
			}
		}
		for _, r := range v.turns.Results(o.Item) {
			if it, ok := items[v.entry(r)]; ok && r < v.first+cut {
				calls.Results = append(calls.Results, it)
			}
		}
		if len(calls.Calls) > 0 {
			out = append(out, calls)
		}
	}
	return out
}

// itemsOf returns what the view shows of messages with open calls and of their
// results, by entry.
func (v *View) itemsOf(open []turn.Open) map[*session.Entry]Item {
	wanted := map[*session.Entry]bool{}
	for _, o := range open {
		wanted[v.entry(o.Item)] = true
		for _, r := range v.turns.Results(o.Item) {
			wanted[v.entry(r)] = true
		}
	}
	items := make(map[*session.Entry]Item, len(wanted))
	for _, it := range v.Items {
		if wanted[it.Entry] {
			items[it.Entry] = it
		}
	}
	return items
}

// Waiting returns the calls without a result of the view's last round, if it is
// not over: only results came after it.
func (v *View) Waiting() []session.Call {
	o, ok := v.turns.Waiting()
	if !ok {
		return nil
	}
	all := v.openCalls(len(v.Path))
	if n := len(all); n > 0 && all[n-1].Item.Entry == v.entry(o.Item) {
		return all[n-1].Calls
	}
	return nil
}

// entry returns the entry of an item of the algebra.
func (v *View) entry(i int) *session.Entry {
	if i >= v.first {
		return v.Path[i-v.first]
	}
	return v.covered[i]
}

// calls reports whether an item shows a call of that id.
func (it Item) calls(id string) bool { return calls(it.Meta(), id) }
