package timeline

import (
	"slices"

	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
)

// dropThinking takes reasoning out of messages that may not send it back: those
// of another model and, on models whose signatures are bound to the prefix,
// those whose prefix has changed (docs/context.md, Repair).
func (t *walked) dropThinking(v *View, cands []candidate, model message.Model) error {
	var changed []bool
	if !model.UnboundThinking {
		var err error
		if changed, err = t.changedPrefix(v); err != nil {
			return err
		}
	}
	for i := range cands {
		c := &cands[i]
		if c.item.Entry == nil || c.rule != "" {
			continue
		}
		said := c.item.Meta()
		if said.Role != message.RoleAssistant || !said.Reasons {
			continue
		}
		sameModel := said.Provider == model.Provider && said.Model == model.ID
		bound := !model.UnboundThinking && (c.item.Pos < 0 || changed[c.item.Pos])
		if !sameModel || bound {
			c.item.bare = true
		}
	}
	return nil
}

// withoutThinking drops reasoning and everything that refers to it: a block
// and the ids of its unit go together.
func withoutThinking(m *message.Message) *message.Message {
	out := *m
	out.Content = nil
	for _, b := range m.Content {
		switch b := b.(type) {
		case message.Thinking:
		case message.Text:
			b.Signature = ""
			out.Content = append(out.Content, b)
		case message.ToolCall:
			b.ThoughtSignature = ""
			out.Content = append(out.Content, b)
		default:
			out.Content = append(out.Content, b)
		}
	}
	return &out
}

// changedPrefix returns, for each position of the path, whether what the model
// sees before it differs from what it saw when the message was made.
func (t *walked) changedPrefix(v *View) ([]bool, error) {
	n := len(t.path)
	diff := make([]int, n+1)
	mark := func(from, to int) { // positions from <= m < to
		if from = max(from, 0); from < to {
			diff[from]++
			diff[to]--
		}
	}
	mark(0, t.compPos) // what was kept now comes after a summary
	for _, s := range t.undone {
		mark(s.after+1, s.before)
	}
	v.markLate(mark)
	t.markPins(mark)
	if err := t.markEdits(mark); err != nil {
		return nil, err
	}
	if err := t.markPrompts(mark); err != nil {
		return nil, err
	}
	changed := make([]bool, n)
	sum := 0
	for i := range n {
		sum += diff[i]
		changed[i] = sum > 0
	}
	return changed, nil
}

// markLate: what was said between a call and a late result saw the call
// without it.
func (v *View) markLate(mark func(from, to int)) {
	for i := range v.Path {
		if r := v.first + i; v.turns.Late(r) && !v.turns.Second(r) {
			mark(v.turns.Head(r)-v.first+1, i)
		}
	}
}

// markPins: a pin or unpin of a covered entry changes what comes before
// everything else.
func (t *walked) markPins(mark func(from, to int)) {
	if t.comp == nil || !slices.ContainsFunc(t.path, func(e *session.Entry) bool { return e.Pin() != nil }) {
		return
	}
	onPath := ids(t.path)
	for i, e := range t.path {
		if p := e.Pin(); p != nil && i > t.compPos && !onPath[p.TargetID] {
			mark(0, i)
		}
	}
}

// variant is what a target shows from a position on.
type variant struct {
	pos   int
	shows string // "": the original; else the id of the edit
}

// markEdits: a message between an edit's target and a change of what the target
// shows saw another prefix, unless the target shows the same again now.
func (t *walked) markEdits(mark func(from, to int)) error {
	if !slices.ContainsFunc(t.path, func(e *session.Entry) bool { return e.ContextEdit() != nil || e.Pin() != nil }) {
		return nil
	}
	place := map[string]int{}
	for i, e := range t.path {
		place[e.ID] = i
	}
	edit, pinned := map[string]string{}, map[string]bool{}
	history := map[string][]variant{}
	show := func(target string, pos int) {
		s := edit[target]
		if pinned[target] {
			s = ""
		}
		history[target] = append(history[target], variant{pos, s})
	}
	for i, e := range t.path {
		if ed := e.ContextEdit(); ed != nil && !t.dead[e.ID] {
			p, ok := place[ed.TargetID]
			if !ok {
				continue
			}
			edit[ed.TargetID] = e.ID
			same, err := restores(ed, t.path[p])
			if err != nil {
				return err
			}
			if same {
				edit[ed.TargetID] = ""
			}
			show(ed.TargetID, i)
		}
		if p := e.Pin(); p != nil {
			for _, id := range members(p) {
				pinned[id] = p.Pinned
				show(id, i)
			}
		}
	}
	for target, hist := range history {
		p, ok := place[target]
		if !ok {
			continue
		}
		now := hist[len(hist)-1].shows
		from, shows := p+1, ""
		for _, h := range hist {
			if shows != now {
				mark(from, h.pos)
			}
			from, shows = h.pos, h.shows
		}
	}
	return nil
}

// members are the ids that a pin refers to.
func members(p *session.Pin) []string {
	if len(p.Group) == 0 {
		return []string{p.TargetID}
	}
	ids := make([]string, len(p.Group))
	for i, r := range p.Group {
		ids[i] = r.ID
	}
	return ids
}

// markPrompts: a system message that changes the prompt changes what comes
// before everything else.
func (t *walked) markPrompts(mark func(from, to int)) error {
	_, err := t.prompt(func(at int, before, after Prompt) {
		if !after.equal(before) {
			mark(0, at)
		}
	})
	return err
}
