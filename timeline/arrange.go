package timeline

import (
	"slices"

	"github.com/coppice-dev/coppice/message"
)

// arrange puts the candidates into the view so that calls and results are
// paired (invariant I2): the results of one assistant message stand together
// right behind it, what was recorded between moves behind them, a call
// without a result gets one that says so.
func (v *View) arrange(cands []candidate) {
	stored := make([]*message.Outline, len(cands))
	for i, c := range cands {
		stored[i] = c.item.Entry.Outline() // pairs are those of the log, edits aside
	}
	groups, orphans := GroupOutlines(stored)
	// By candidate: the number from 1 of the group that it heads, or that it
	// is a result of.
	headOf, memberOf := make([]int, len(cands)), make([]int, len(cands))
	for n, g := range groups {
		headOf[g.Assistant] = n + 1
		for _, r := range g.Results {
			memberOf[r] = n + 1
		}
	}
	v.Items = slices.Grow(v.Items, len(cands))
	for _, i := range orphans {
		if cands[i].rule == "" {
			cands[i].rule = RuleOrphanResult
		}
	}
	next := 0
	number := func() int { next++; return next }
	for i := range cands {
		if memberOf[i] > 0 {
			continue // stands behind its call
		}
		n := headOf[i]
		if n == 0 {
			v.add(&cands[i], number())
			continue
		}
		g := groups[n-1]
		num := number()
		head := &cands[i]
		v.add(head, num)
		answered := make([]string, 0, len(g.Results))
		for _, r := range g.Results {
			res := &cands[r]
			id := res.item.outline.ToolCallID
			answered = append(answered, id)
			switch {
			case res.rule != "":
			case head.rule == RuleEditNull, head.callless[id]:
				res.rule = RuleEditNull
			case head.rule != "":
				res.rule = head.rule
			}
			v.add(res, num)
		}
		if head.rule == "" {
			v.answerMissing(head, answered, num)
		}
	}
}

func (v *View) add(c *candidate, group int) {
	if c.rule != "" {
		v.LeftOut = append(v.LeftOut, LeftOut{EntryID: c.item.Entry.ID, Rule: c.rule})
		return
	}
	c.item.Group = group
	v.Items = append(v.Items, c.item)
}

// missingResult is what a call shows whose tool never came back.
const missingResult = "[no result: the tool call was interrupted]"

// answerMissing adds results for the calls that have none.
func (v *View) answerMissing(head *candidate, answered []string, group int) {
	for _, call := range head.item.outline.Calls {
		if i := slices.Index(answered, call.ID); i >= 0 {
			answered = slices.Delete(answered, i, i+1) // calls may share an id
			continue
		}
		it := Item{Pos: -1, Group: group, Pinned: head.item.Pinned, Kind: SyntheticResult}
		it.show(&message.Message{Role: message.RoleToolResult, ToolCallID: call.ID, ToolName: call.Name, IsError: true,
			Content: []message.Block{message.Text{Text: missingResult}}})
		v.Items = append(v.Items, it)
	}
}
