package compaction

import (
	"cmp"
	"context"
	"slices"

	"github.com/coppice-dev/coppice/internal/covered"
	"github.com/coppice-dev/coppice/internal/excerpt"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/tokens"
)

// maxShortenings bounds how often messages are shortened until the view fits.
const maxShortenings = 4

// minShortened is the least that is left of a shortened message, in tokens.
const minShortened = 200

// shorten cuts the largest messages of the last unit to one size, with which the
// view fits, by context edits that go into the same append. It returns nil if
// there is nothing to shorten.
func (a *attempt) shorten(ctx context.Context, since []*session.Entry, d *draft, size timeline.Size) (*candidate, error) {
	kept, err := a.keptMessages()
	if err != nil {
		return nil, err
	}
	over := size.Estimated - a.most(size)
	kept = kept.largest(over)
	room := kept.sum() - over
	var c *candidate
	for left := maxShortenings; left > 0; left-- {
		level := max(kept.level(room), minShortened)
		if left == 1 {
			level = minShortened
		}
		edits, err := a.cutTo(kept, level)
		if err != nil || len(edits) == 0 {
			return nil, err
		}
		if c, err = a.try(ctx, since, d, edits); err != nil {
			return nil, err
		}
		if a.fits(c.size) || level == minShortened {
			break
		}
		room -= c.size.Estimated - a.most(c.size) + 1
	}
	return c, nil
}

// most returns the largest estimate that fits.
func (a *attempt) most(size timeline.Size) int64 {
	n := a.plan.Target * a.plan.Target / max(size.Hard(a.plan.Target), 1)
	for n > 0 && size.Hard(n) >= a.plan.Target {
		n--
	}
	return n
}

// cutTo returns the edits that leave at most level tokens of each message.
func (a *attempt) cutTo(kept keptMessages, level int64) ([]session.Draft, error) {
	var edits []session.Draft
	for _, k := range kept {
		if k.size <= level {
			break
		}
		cut := k.shortened(level)
		if k.sizer.Message(cut) >= k.size {
			continue
		}
		e := session.EditDraft(k.entry.ID, cut.Content)
		e.ID = session.NewID()
		edits = append(edits, e)
	}
	return edits, nil
}

// keptMessage is a message on the kept side that may be shortened.
type keptMessage struct {
	entry *session.Entry
	whole *message.Message // before we have shortened it
	size  int64            // of what is shown of it, in tokens
	sizer *timeline.Sizer
}

// keptMessages are messages, largest first.
type keptMessages []keptMessage

// keptMessages returns the kept messages of the plan that an edit may shorten.
// What the user said is shortened only where it is covered.
func (a *attempt) keptMessages() (keptMessages, error) {
	listed, err := a.view.Listed()
	if err != nil {
		return nil, err
	}
	sizer, err := a.view.Sizer(a.estimator())
	if err != nil {
		return nil, err
	}
	others := othersEdits(a.view.Path)
	var kept keptMessages
	for i := a.plan.Cut; i < len(a.view.Path); i++ {
		e := a.view.Path[i]
		if listed[i].Entry == nil || !editable(listed[i].Role()) || a.view.Pinned(e.ID) {
			continue
		}
		m, err := e.Message()
		if err != nil {
			return nil, err
		}
		if ed := others[e.ID]; ed != nil {
			m = m.Clone()
			m.Content = ed.Content
		}
		kept = append(kept, keptMessage{e, m, sizer.Of(listed[i]), sizer})
	}
	slices.SortStableFunc(kept, func(x, y keptMessage) int { return cmp.Compare(y.size, x.size) })
	return kept, sizer.Err()
}

// othersEdits returns the last edit of each entry that is not of a compaction: a
// message that was shortened before is shortened again from what it was then.
func othersEdits(path []*session.Entry) map[string]*session.ContextEdit {
	ours := map[string]bool{}
	for _, e := range path {
		if c := e.Compaction(); c != nil && c.Coppice != nil {
			for _, id := range c.Coppice.Edits {
				ours[id] = true
			}
		}
	}
	edits := map[string]*session.ContextEdit{}
	for _, e := range path {
		if ed := e.ContextEdit(); ed != nil && !ours[e.ID] {
			edits[ed.TargetID] = ed
		}
	}
	return edits
}

// largest returns the results, if it is enough to shorten them, else all messages.
func (k keptMessages) largest(over int64) keptMessages {
	results := slices.DeleteFunc(slices.Clone(k), func(m keptMessage) bool { return m.whole.Role != message.RoleToolResult })
	if results.sum()-over >= minShortened*int64(len(results)) {
		return results
	}
	return k
}

func (k keptMessages) sum() (n int64) {
	for _, m := range k {
		n += m.size
	}
	return n
}

// level returns the size to which larger messages have to be cut, so that all of
// them together have at most room tokens.
func (k keptMessages) level(room int64) int64 {
	for i, m := range slices.Backward(k) {
		share := room / int64(i+1)
		if m.size >= share {
			return share
		}
		room -= m.size
	}
	return room
}

// editable reports whether messages of a role in the last unit are shortened by
// an edit when nothing else helps.
func editable(r message.Role) bool {
	return r == message.RoleToolResult || r == message.RoleAssistant || r == message.RoleCustom
}

// shortened bounds a message to about limit tokens. Of a tool result lines that
// look like errors stay too. Thinking goes with what was thought about.
func (k keptMessage) shortened(limit int64) *message.Message {
	out := k.whole.Clone()
	if out.Role == message.RoleToolResult {
		out.Content = k.shortenedResult(limit)
		return out
	}
	out.Content = slices.DeleteFunc(out.Content, func(b message.Block) bool { _, ok := b.(message.Thinking); return ok })
	plain := limit * tokens.Default{}.Message(out) / max(k.sizer.Message(out), 1)
	return covered.Shorten(out, k.entry.ID, max(plain, 1))
}

// shortenedResult is a tool result of about limit tokens: its head, lines that
// look like errors, its tail, and where to read the rest; images become stubs.
func (k keptMessage) shortenedResult(limit int64) []message.Block {
	text := k.whole.Text("\n")
	if n := k.whole.Images(); n > 0 {
		text += "\n[image left out; read en:" + k.entry.ID + "]"
	}
	result := func(text string) []message.Block { return []message.Block{message.Text{Text: text}} }
	return result(excerpt.Fit(text, limit, func(text string) int64 {
		return k.sizer.Message(&message.Message{Role: message.RoleToolResult, ToolCallID: k.whole.ToolCallID, ToolName: k.whole.ToolName, Content: result(text)})
	}, "read en:"+k.entry.ID+" for all of it"))
}
