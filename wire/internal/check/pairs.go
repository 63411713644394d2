package check

import (
	"github.com/coppice-dev/coppice/internal/turn"
	"github.com/coppice-dev/coppice/message"
)

// Pairs are the tool calls and results of a body, in order. Package turn
// decides which result answers which call and what is left over. Each is in a
// step; a vendor that wants results directly after their calls wants them in
// the next step.
type Pairs struct {
	items []turn.Item
	steps []int
	where [][]string // for each item: the places of its calls, or of the result
}

// Call notes a call. The calls of one step belong to one message.
func (p *Pairs) Call(step int, id, where string) {
	n := len(p.items) - 1
	if n < 0 || p.steps[n] != step || p.items[n].Role != message.RoleAssistant {
		p.add(step, turn.Item{Role: message.RoleAssistant})
		n++
	}
	p.items[n].Calls = append(p.items[n].Calls, turn.Call{ID: id})
	p.where[n] = append(p.where[n], where)
}

// Result notes a result.
func (p *Pairs) Result(step int, id, where string) {
	p.add(step, turn.Item{Role: message.RoleToolResult, Result: id}, where)
}

func (p *Pairs) add(step int, it turn.Item, where ...string) {
	p.items, p.steps, p.where = append(p.items, it), append(p.steps, step), append(p.where, where)
}

// PairFault is a kind of call or result that a vendor refuses.
type PairFault int

// The kinds.
const (
	LoneCall     PairFault = iota // a call without a result
	LoneResult                    // a result without a call
	SecondResult                  // a second result of a call
)

// Faults yields what is wrong, in the order of the body: kind, id of the call,
// and place. With adjacent, results must be in the step after their calls.
func (p *Pairs) Faults(adjacent bool, report func(f PairFault, id, where string)) {
	c := turn.Read(len(p.items), func(i int) turn.Item { return p.items[i] })
	apart := func(call, result int) bool { return adjacent && p.steps[call]+1 != p.steps[result] }
	for i, it := range p.items {
		if it.Role == message.RoleToolResult {
			switch head := c.Head(i); {
			case head < 0 || apart(head, i):
				report(LoneResult, it.Result, p.where[i][0])
			case c.Second(i):
				report(SecondResult, it.Result, p.where[i][0])
			}
			continue
		}
		for n, call := range it.Calls {
			if r := c.Result(i, n); r < 0 || apart(i, r) {
				report(LoneCall, call.ID, p.where[i][n])
			}
		}
	}
}
