package timeline

import (
	"bytes"
	"slices"
	"strings"

	"github.com/coppice-dev/coppice/internal/codec"
	"github.com/coppice-dev/coppice/internal/covered"
	"github.com/coppice-dev/coppice/internal/thread"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
)

// candidate is an entry with a message that may go into the view.
type candidate struct {
	item Item
	rule Rule // why it is left out; "": it is shown
	// callless has the ids of the calls that its replacement dropped: their
	// results go too.
	callless map[string]bool
}

// candidates lists the covered entries that are shown, then, after an empty
// one if there are any, those of the path, edits applied. An entry without a
// message gives an empty one.
func (t *walked) candidates(p Policy, edits map[string]*session.ContextEdit) ([]candidate, error) {
	cands := make([]candidate, 0, len(t.covered)+1+len(t.path))
	for _, c := range t.covered {
		cand, err := c.candidate(p)
		if err != nil {
			return nil, err
		}
		cands = append(cands, cand)
	}
	if len(cands) > 0 {
		cands = append(cands, candidate{})
	}
	first := len(cands)
	cands = cands[:first+len(t.path)]
	for i := range first {
		if err := cands[i].leaveOutEmpty(); err != nil {
			return nil, err
		}
	}
	return cands, parallel(len(t.path), func(i int) error {
		c := &cands[first+i]
		if err := t.candidate(c, i, edits); err != nil {
			return err
		}
		return c.leaveOutEmpty()
	})
}

// candidate sets c to the entry at a position of the path, if it is a message.
func (t *walked) candidate(c *candidate, i int, edits map[string]*session.ContextEdit) error {
	e := t.path[i]
	if !thread.IsMessage(e) {
		return nil
	}
	c.item = Item{Entry: e, Pos: i, Pinned: t.pinned[e.ID]}
	switch m := e.Meta(); {
	case m.Role == message.RoleSystem:
		c.rule = ruleSystem
	case m.Excluded:
		c.rule = ruleExcluded
	case m.Failed():
		c.rule = ruleFailedAttempt
	case edits[e.ID] != nil:
		return c.edit(edits[e.ID])
	}
	return nil
}

// candidate returns a covered entry as a candidate, with its message if it has
// one.
func (c coveredEntry) candidate(p Policy) (candidate, error) {
	cand := candidate{item: Item{Entry: c.entry, Pos: -1, Pinned: c.pinned, Request: c.request, Open: c.open}}
	switch {
	case !c.entry.HasMessage():
		return candidate{}, nil
	case c.pinned:
		return cand, nil
	case c.edit != nil:
		cand.item.edit = &session.Ref{ID: c.edit.ID, At: c.edit.At}
		if err := cand.edit(c.edit.ContextEdit()); err != nil {
			return cand, err
		}
	}
	if !c.request && !c.open {
		return cand, nil
	}
	m, err := cand.item.own()
	if err != nil {
		return cand, err
	}
	if c.request {
		m = covered.Shorten(m, c.entry.ID, p.Target/covered.RequestShare)
	} else {
		m = covered.Shorten(m, c.entry.ID, p.Target/covered.CallShare)
	}
	cand.item.show(m)
	return cand, nil
}

// edits returns the context edit in force for each target: the latest one,
// unless it restores the original or the target is pinned.
func (t *walked) edits() (map[string]*session.ContextEdit, error) {
	edits := map[string]*session.ContextEdit{}
	for _, e := range t.path {
		if ed := e.ContextEdit(); ed != nil && !t.dead[e.ID] {
			edits[ed.TargetID] = ed
		}
	}
	if len(edits) == 0 {
		return edits, nil
	}
	for _, e := range t.path {
		ed := edits[e.ID]
		if ed == nil {
			continue
		}
		same, err := restores(ed, e)
		if err != nil {
			return nil, err
		}
		if same || t.pinned[e.ID] {
			delete(edits, e.ID)
		}
	}
	return edits, nil
}

// restores reports whether an edit puts the original back.
func restores(ed *session.ContextEdit, target *session.Entry) (bool, error) {
	m, err := target.Message()
	return m != nil && !ed.Omit && slices.EqualFunc(ed.Content, m.Content, alike) &&
		bytes.Equal(codec.EncodeContent(ed.Content), codec.EncodeContent(m.Content)), err
}

// alike reports whether two blocks may be the same. It settles nearly every
// edit without writing out the original, which may be long.
func alike(a, b message.Block) bool {
	switch a := a.(type) {
	case message.Text:
		b, ok := b.(message.Text)
		return ok && len(a.Text) == len(b.Text)
	case message.Image:
		b, ok := b.(message.Image)
		return ok && len(a.Data) == len(b.Data)
	}
	return true
}

// removedResult is what an omitted tool result shows while its call stays.
const removedResult = "[result removed]"

// edit applies a context edit.
func (c *candidate) edit(ed *session.ContextEdit) error {
	m, err := c.item.own()
	switch {
	case err != nil:
		return err
	case ed.Omit && m.Role == message.RoleToolResult:
		m = m.Clone()
		m.Content = []message.Block{message.Text{Text: removedResult}}
		m.IsError = false
		c.item.Edited = true
		c.item.show(m)
	case ed.Omit:
		c.rule = ruleEditNull
		c.callless = callIDs(m, nil)
	default:
		edited := m.Clone()
		edited.Content = ed.Content
		c.callless = callIDs(m, edited)
		c.item.Edited = true
		c.item.show(edited)
	}
	return nil
}

// callIDs returns the ids of calls that before has and after (nil: nothing) no
// longer has.
func callIDs(before, after *message.Message) map[string]bool {
	ids := map[string]bool{}
	for _, call := range before.ToolCalls() {
		ids[call.ID] = true
	}
	if after != nil {
		for _, call := range after.ToolCalls() {
			delete(ids, call.ID)
		}
	}
	return ids
}

// leaveOutEmpty leaves a candidate out if it has nothing that can be sent.
func (c *candidate) leaveOutEmpty() error {
	if c.rule != "" || c.item.Entry == nil {
		return nil
	}
	shows := true
	switch m := c.item.Meta(); m.Role {
	case message.RoleToolResult:
	case message.RoleUser, message.RoleAssistant, message.RoleCustom:
		shows = m.Shows
	default:
		m, err := c.item.own()
		if err != nil {
			return err
		}
		shows = sendable(m)
	}
	if !shows {
		c.rule = ruleEmpty
	}
	return nil
}

// sendable reports whether a message has anything that can be sent. Tool
// results always have: their call needs an answer.
func sendable(m *message.Message) bool {
	llm := ToLLM(m)
	if llm == nil {
		return false
	}
	if m.Role == message.RoleBranchSummary || m.Role == message.RoleCompactionSummary {
		return !isBlank(m.Summary)
	}
	if llm.Role == message.RoleToolResult {
		return true
	}
	for _, b := range llm.Content {
		switch b := b.(type) {
		case message.Text:
			if !isBlank(b.Text) {
				return true
			}
		case message.Thinking:
		default:
			return true
		}
	}
	return false
}

func isBlank(s string) bool { return strings.TrimSpace(s) == "" }
