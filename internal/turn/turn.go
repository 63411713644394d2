// Package turn is the algebra of a conversation: which result answers which
// call, what belongs together, where a turn starts, where a cut may be, and
// what the model has not read yet. It is the one place where a result meets its
// call (docs/context.md).
//
// A result answers a call that has its id and no result yet: the first such
// call in the run of assistant messages just before it, or else the most recent
// one before that run. A result for which every call has one already is a second
// result of the latest call. A call of a failed attempt takes a result only
// while no later attempt has made a call of that id. A result never answers a
// call that comes after it.
package turn

import "github.com/coppice-dev/coppice/message"

// Item is what the algebra needs to know about one entry of a path, or one
// message of a request. The zero Item is not part of the conversation, such as
// metadata.
type Item struct {
	Role   message.Role
	Calls  []Call // an assistant's calls, in order
	Result string // of a tool result: the id of the call it names
	Hidden bool   // the model does not see it
	Failed bool   // an attempt that failed or was aborted; it is hidden too
	// Past says that everything before the item is over, as after a summary: it
	// was read, and further results for it are late.
	Past bool
}

// Call names a tool call.
type Call struct{ ID, Name string }

// Conversation is a sequence of items, read once. Items are named by their
// index. The zero value is not usable: call New.
type Conversation struct {
	flags    []flags
	link     []int32 // of a result: its call, -1 without one; of an assistant: its first call
	calls    []call  // of all items, in order
	answered int     // the last answer; -1: none
}

type flags uint16

const (
	isAssistant flags = 1 << iota
	isResult
	starts    // begins a turn
	cuttable  // a cut may be at its role
	hidden    // not seen by the model
	failed    // a failed attempt
	second    // a result whose call already had one
	late      // a result that came after the conversation had gone on
	inside    // in a tool group, and not its first item
	withCalls // an assistant message with calls
	early     // a result of a call that comes only after it
)

type call struct {
	item   int32 // the assistant message
	result int32 // its first result; -1: open
	next   int32 // the next open call of this id in line; -1: none
}

// Read reads n items. It asks for each once or twice, in order.
func Read(n int, at func(i int) Item) *Conversation {
	c := &Conversation{flags: make([]flags, n), link: make([]int32, n), answered: -1}
	b := binder{Conversation: c, batchItem: -1}
	for i := range n {
		it := at(i)
		c.flags[i] = flagsOf(it)
		b.next(i, it)
	}
	b.bindAgain(at)
	c.markGroups()
	return c
}

func flagsOf(it Item) flags {
	var f flags
	switch it.Role {
	case message.RoleUser, message.RoleBashExecution, message.RoleCustom, message.RoleBranchSummary, message.RoleCompactionSummary:
		f = starts | cuttable
	case message.RoleAssistant:
		f = isAssistant | cuttable
		if len(it.Calls) > 0 {
			f |= withCalls
		}
	case message.RoleToolResult:
		f = isResult
	}
	if it.Failed {
		f |= failed | hidden
	}
	if it.Hidden || it.Role == "" || it.Role == message.RoleSystem {
		f |= hidden
	}
	return f
}

// markGroups marks what is in a tool group: everything after its assistant
// message up to the last of its results that is not late.
func (c *Conversation) markGroups() {
	head := len(c.flags) // the first assistant message whose group continues
	for i := len(c.flags) - 1; i >= 0; i-- {
		if c.flags[i]&(isResult|late) == isResult {
			if h := c.Head(i); h >= 0 {
				head = min(head, h)
			}
		}
		if i > head {
			c.flags[i] |= inside
		}
	}
}

func (c *Conversation) has(i int, f flags) bool { return c.flags[i]&f != 0 }

// Hide records that the model does not see a result, by a rule of the caller.
func (c *Conversation) Hide(i int) { c.flags[i] |= hidden }

// Shown reports whether the model sees an item. It sees a result only with the
// message of its call.
func (c *Conversation) Shown(i int) bool {
	if c.has(i, hidden) {
		return false
	}
	if c.has(i, isResult) {
		if h := c.Head(i); h >= 0 {
			return !c.has(h, hidden)
		}
	}
	return true
}

// Head returns the assistant message whose call a result answers, or -1.
func (c *Conversation) Head(i int) int {
	h, _ := c.Call(i)
	return h
}

// Call returns the call that a result answers: the assistant message and the
// number of the call in it. It returns -1, -1 for a result without a call, and
// for anything that is not a result.
func (c *Conversation) Call(i int) (item, n int) {
	if !c.has(i, isResult) || c.link[i] < 0 {
		return -1, -1
	}
	item = int(c.calls[c.link[i]].item)
	return item, int(c.link[i] - c.link[item])
}

// Second reports whether a result's call already had one.
func (c *Conversation) Second(i int) bool { return c.has(i, second) }

// Orphan reports whether no one made the call of a result: whole says that
// nothing comes before the first item, and there is no call of that id, not even
// after the result. Any other result without a call before it is a loose one: a
// call that comes later may have had the id of one that is no longer known.
func (c *Conversation) Orphan(i int, whole bool) bool {
	return whole && c.has(i, isResult) && c.link[i] < 0 && !c.has(i, early)
}

// Late reports whether an answer is between a result and its call: the
// conversation went on without the result.
func (c *Conversation) Late(i int) bool { return c.has(i, late) }

// Result returns the first result of call n of an assistant message, or -1.
func (c *Conversation) Result(item, n int) int { return int(c.calls[int(c.link[item])+n].result) }

// callsOf returns the calls of an item.
func (c *Conversation) callsOf(item int) []call {
	if !c.has(item, withCalls) {
		return nil
	}
	from := int(c.link[item])
	to := from
	for to < len(c.calls) && int(c.calls[to].item) == item {
		to++
	}
	return c.calls[from:to]
}
