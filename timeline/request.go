package timeline

import (
	"slices"

	"github.com/coppice-dev/coppice/internal/media"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
)

// endingLine is the last message of a request that would otherwise end with an
// answer of the model.
const endingLine = "(no new input; go on from here)"

// Request returns the view as a request that a dialect can render. send says
// that it goes out as it is: then it ends with a user message or a tool result,
// which providers insist on. A view that is only displayed ends where the path
// ends. It fails if a message cannot be read.
func (v *View) Request(send bool) (Request, error) {
	r := Request{System: v.Prompt.System(), Tools: v.Prompt.Tools}
	msgs := make([]*message.Message, len(v.Items))
	err := parallel(len(v.Items), func(i int) error {
		m, err := v.Items[i].Message()
		if err == nil && v.Items[i].Loose {
			m = looseResult(m)
		}
		if m = ToLLM(m); m != nil {
			msgs[i] = v.Items[i].withoutBroken(withoutEmpty(m))
		}
		return err
	})
	if err != nil {
		return Request{}, err
	}
	r.Messages = slices.DeleteFunc(msgs, func(m *message.Message) bool { return m == nil })
	if n := len(r.Messages); send && n > 0 && r.Messages[n-1].Role == message.RoleAssistant {
		r.Messages = append(r.Messages, &message.Message{Role: message.RoleUser,
			Content: []message.Block{message.Text{Text: endingLine}}})
	}
	return r, nil
}

// withoutEmpty drops empty text parts, which providers refuse.
func withoutEmpty(m *message.Message) *message.Message {
	empty := func(b message.Block) bool {
		t, ok := b.(message.Text)
		return ok && isBlank(t.Text)
	}
	for _, b := range m.Content {
		if !empty(b) {
			continue
		}
		out := *m
		out.Content = nil
		for _, b := range m.Content {
			if !empty(b) {
				out.Content = append(out.Content, b)
			}
		}
		return &out
	}
	return m
}

// withoutBroken replaces images that no one can read, by their beginning, with a
// text that says so and where they are (docs/media.md).
func (it Item) withoutBroken(m *message.Message) *message.Message {
	if it.Entry == nil || len(it.Meta().Images) == 0 {
		return m
	}
	out := m
	for i, b := range m.Content {
		img, ok := b.(message.Image)
		if !ok || media.Look(img.Data).Type != "" {
			continue
		}
		if c := media.Check(img.Data); c.Err != nil {
			if out == m {
				out = m.Clone()
			}
			out.Content[i] = message.Text{Text: media.Stub(c.Info, c.Err.Error(), "en:"+it.Entry.ID)}
		}
	}
	return out
}

// OpenRequest returns what the user waits for: the user messages that the view
// still shows since the last final answer that it shows, in order
// (docs/context.md, Projection 5).
func (v *View) OpenRequest() []Item {
	answered := -1
	for i := len(v.Path) - 1; i >= 0 && answered < 0; i-- {
		if v.Path[i].Meta().FinalAnswer() && v.turns.Shown(v.first+i) {
			answered = i
		}
	}
	var open []Item
	for _, it := range v.Items {
		if it.Entry == nil || it.Role() != message.RoleUser {
			continue
		}
		if it.Pos > answered || it.Pos < 0 && it.Request && answered < 0 {
			open = append(open, it)
		}
	}
	return open
}

// Ref returns a reference to an item for the compaction that will cover it,
// with the edit in force on it.
func (v *View) Ref(it Item) session.Ref {
	r := session.Ref{ID: it.Entry.ID, At: it.Entry.At}
	if !it.Edited {
		return r
	}
	if it.Pos < 0 {
		r.Edit = it.edit
		return r
	}
	for _, e := range v.Path {
		if ed := e.ContextEdit(); ed != nil && ed.TargetID == r.ID {
			r.Edit = &session.Ref{ID: e.ID, At: e.At}
		}
	}
	return r
}
