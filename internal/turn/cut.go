package turn

import "slices"

// Starts reports whether a turn starts at an item: a user's message or command, a
// message that a program inserted, or a summary.
func (c *Conversation) Starts(i int) bool { return c.flags[i]&(starts|hidden) == starts }

// TurnStart returns the item at which the turn before an index started, or -1.
func (c *Conversation) TurnStart(before int) int {
	for i := before - 1; i >= 0; i-- {
		if c.Starts(i) {
			return i
		}
	}
	return -1
}

// Inside reports whether an item is in a tool group and not its first item. A
// tool group is an assistant message with the results of its calls and
// everything that was recorded between them; a late result is not in it.
func (c *Conversation) Inside(i int) bool { return c.has(i, inside) }

// Begins reports whether a unit begins at an item: a message, or a tool group
// with results of other groups directly after it.
func (c *Conversation) Begins(i int) bool { return c.flags[i]&(inside|isResult) == 0 }

// GroupEnd returns the last item of the tool group that an item is in, or the
// item itself.
func (c *Conversation) GroupEnd(i int) int {
	for i+1 < len(c.flags) && c.has(i+1, inside) {
		i++
	}
	return i
}

// Valid reports whether a cut may be directly before an item: the model sees
// it, it is not a tool result, and not inside a tool group.
func (c *Conversation) Valid(i int) bool {
	return c.flags[i]&(cuttable|hidden|inside) == cuttable
}

// LastCut returns the last valid cut before an index, or -1.
func (c *Conversation) LastCut(before int) int {
	for i := before - 1; i >= 0; i-- {
		if c.Valid(i) {
			return i
		}
	}
	return -1
}

// NextCut returns the first valid cut at or after an index, or -1.
func (c *Conversation) NextCut(from int) int {
	for i := from; i < len(c.flags); i++ {
		if c.Valid(i) {
			return i
		}
	}
	return -1
}

// Unread reports whether an item is a result that the model sees and that no
// answer has followed: it has not been read. A failed attempt, or an answer
// that is hidden, does not count.
func (c *Conversation) Unread(i int) bool {
	return i > c.answered && c.has(i, isResult) && c.Shown(i)
}

// FirstUnread returns the first unread result, or -1.
func (c *Conversation) FirstUnread() int {
	for i := c.answered + 1; i < len(c.flags); i++ {
		if c.Unread(i) {
			return i
		}
	}
	return -1
}

// Limit returns the last cut that covers nothing unread: an item, -1 if there is
// no such cut, or the number of items if everything was read.
func (c *Conversation) Limit() int {
	first := c.FirstUnread()
	if first < 0 {
		return len(c.flags)
	}
	if h := c.Head(first); h >= 0 && !c.has(first, late) {
		first = h + 1 // the group stays whole
	}
	return c.LastCut(first)
}

// Open is an assistant message with calls that have no result.
type Open struct {
	Item  int
	Calls []int // their numbers in the message
}

// Open returns the messages before a cut with calls that have no result before
// it, in order. Messages that the model does not see have none.
func (c *Conversation) Open(cut int) []Open {
	var out []Open
	for k, call := range c.calls {
		item := int(call.item)
		if item >= cut {
			break
		}
		if c.has(item, hidden) || call.result >= 0 && int(call.result) < cut {
			continue
		}
		if n := len(out); n == 0 || out[n-1].Item != item {
			out = append(out, Open{Item: item})
		}
		last := &out[len(out)-1]
		last.Calls = append(last.Calls, k-int(c.link[item]))
	}
	return out
}

// Waiting returns the last assistant message that the model sees if it has
// calls without a result and nothing but results came after it: its round is
// not over.
func (c *Conversation) Waiting() (Open, bool) {
	open := c.Open(len(c.flags))
	if len(open) == 0 {
		return Open{}, false
	}
	last := open[len(open)-1]
	for i := last.Item + 1; i < len(c.flags); i++ {
		if c.Shown(i) && !c.has(i, isResult) {
			return Open{}, false
		}
	}
	return last, true
}

// Newest splits messages with open calls into the newest ones, which together
// have at least n such calls, and the older rest.
func Newest(open []Open, n int) (older, newest []Open) {
	at := len(open)
	for at > 0 && n > 0 {
		at--
		n -= len(open[at].Calls)
	}
	return slices.Clip(open[:at]), open[at:]
}
