package timeline

import (
	"slices"

	"github.com/coppice-dev/coppice/message"
)

// arrange puts the candidates into the view so that calls and results are
// paired (invariant I2): the results of one assistant message are together
// right after it, what was recorded between them moves after them, and a call
// without a result gets one that says so. A second result stays where it
// arrived.
func (v *View) arrange(cands []candidate) {
	v.Items = slices.Grow(v.Items, len(cands))
	group := 0
	for i := range cands {
		c := &cands[i]
		if c.item.Entry == nil {
			continue
		}
		group++
		switch head := v.turns.Head(i); {
		case c.item.Role() != message.RoleToolResult:
			v.addGroup(cands, i, group)
		case v.turns.Orphan(i, v.Compaction == nil):
			c.leaveOut(RuleOrphanResult)
			v.addResult(c, i, group)
		case head < 0:
			c.item.Loose = true // its call was covered, or comes after it
			v.addResult(c, i, group)
		case v.turns.Second(i):
			c.item.Loose = true
			c.follow(&cands[head])
			v.addResult(c, i, group)
		}
	}
}

// addGroup adds a message with the results of its calls.
func (v *View) addGroup(cands []candidate, i, group int) {
	head := &cands[i]
	v.add(head, group)
	if len(head.item.Meta().Calls) == 0 && head.callless == nil {
		return
	}
	var answered []string
	for _, r := range v.turns.Results(i) {
		res := &cands[r]
		answered = append(answered, res.item.Meta().Result)
		res.follow(head)
		v.addResult(res, r, group)
	}
	if head.rule == "" {
		v.answerMissing(head, answered, group)
	}
}

// follow leaves a result out if its call is not shown.
func (c *candidate) follow(head *candidate) {
	switch {
	case head.callless[c.item.Meta().Result]:
		c.leaveOut(ruleEditNull)
	case head.rule != "":
		c.leaveOut(head.rule)
	}
}

func (c *candidate) leaveOut(r Rule) {
	if c.rule == "" {
		c.rule = r
	}
}

func (v *View) addResult(c *candidate, i, group int) {
	if c.rule != "" {
		v.turns.Hide(i)
	}
	v.add(c, group)
}

func (v *View) add(c *candidate, group int) {
	if c.rule != "" {
		v.LeftOut = append(v.LeftOut, LeftOut{EntryID: c.item.Entry.ID, Rule: c.rule})
		return
	}
	c.item.Group = group
	v.Items = append(v.Items, c.item)
}

// missingResult is what a call without a result shows.
const missingResult = "[no result yet: the tool call was interrupted, or it still waits]"

// answerMissing adds results for the calls without one.
func (v *View) answerMissing(head *candidate, answered []string, group int) {
	for _, call := range head.item.Meta().Calls {
		if i := slices.Index(answered, call.ID); i >= 0 {
			answered = slices.Delete(answered, i, i+1) // calls may share an id
			continue
		}
		it := Item{Pos: -1, Group: group, Pinned: head.item.Pinned, Open: head.item.Open, Kind: SyntheticResult}
		it.show(&message.Message{Role: message.RoleToolResult, ToolCallID: call.ID, ToolName: call.Name, IsError: true,
			Content: []message.Block{message.Text{Text: missingResult}}})
		v.Items = append(v.Items, it)
	}
}
