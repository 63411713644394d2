package claudecode

import (
	"context"
	"slices"

	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
)

// queue holds what the user typed while the model worked.
//
// Claude Code passes such text to the model in the middle of the turn. In
// older versions the only trace is that it was added to the queue and removed;
// newer ones write an attachment too. Text that leaves the queue as a prompt
// appears again as a prompt.
type queue struct {
	waiting  []string // added, not removed yet
	removed  []string // removed, without an attachment so far
	attached []string // attached, without a removal so far
}

// take removes text from a list and reports whether it was there.
func take(list *[]string, text string) bool {
	i := slices.Index(*list, text)
	if i >= 0 {
		*list = slices.Delete(*list, i, i+1)
	}
	return i >= 0
}

func (r *run) queued(ctx context.Context, f *fields) error {
	q := &r.queue
	switch op := str(f.line, "operation"); op {
	case "enqueue":
		q.waiting = append(q.waiting, rawjson.String(f.get("content")))
	case "dequeue", "remove":
		if len(q.waiting) == 0 {
			r.to.Skip("queue-operation/" + op)
			return nil
		}
		text := q.waiting[0]
		q.waiting = q.waiting[1:]
		if op == "dequeue" || text == "" || take(&q.attached, text) {
			return nil
		}
		q.removed = append(q.removed, text)
		return r.aside(ctx, r.said(f, []message.Block{message.Text{Text: text}}, false))
	default: // the user withdrew it
		q.waiting = nil
		r.to.Skip("queue-operation/" + op)
	}
	return nil
}

// attachment takes what went to the model next to a message. Of the many
// kinds, only the user's own words are known to have been sent unchanged.
func (r *run) attachment(ctx context.Context, f *fields) error {
	a := f.get("attachment")
	kind := str(a, "type")
	content := blocks(rawjson.Get(a, "prompt"))
	if kind != "queued_command" || len(content) == 0 {
		r.to.Skip("attachment/" + kind)
		return nil
	}
	text := (&message.Message{Content: content}).Text("\n")
	if take(&r.queue.removed, text) {
		return nil
	}
	r.queue.attached = append(r.queue.attached, text)
	return r.aside(ctx, r.said(f, content, false))
}
