// Package covered says how much is shown of what a compaction covers and a view
// still has to show: the open request and calls without a result
// (docs/context.md, Projection).
package covered

import (
	"fmt"

	"github.com/coppice-dev/coppice/internal/media"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/internal/safetext"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/tokens"
)

// MaxCalls is how many covered calls without a result are shown; they are the
// newest ones (docs/compaction.md).
const MaxCalls = 8

// RequestShare says how much of the target a covered message of the open request
// may take: one part in RequestShare. Of a covered message with open calls it is less, so that
// all of them together stay under a quarter.
const (
	RequestShare = 4
	CallShare    = RequestShare * MaxCalls
)

// Shorten returns a message as a view shows it if it may take so many tokens:
// what is above that is cut to the head and the tail of its texts and arguments,
// and where to read the rest; images that take more than half become stubs
// (docs/context.md, Projection 5). limit 0: no limit. m itself is not changed.
func Shorten(m *message.Message, id string, limit int64) *message.Message {
	size := tokens.Default{}.Message(m)
	if limit <= 0 || size <= limit {
		return m
	}
	out := m.Clone()
	images, left := dropImages(out.Content, id, limit/2)
	share := float64(max(limit-left, 0)) / float64(max(size-images, 1))
	for i, b := range out.Content {
		switch b := b.(type) {
		case message.Text:
			out.Content[i] = message.Text{Text: shareOf(b.Text, id, share)}
		case message.ToolCall:
			for name, v := range rawjson.Members(b.Arguments) {
				switch s := rawjson.String(v); {
				case s != "":
					b.Arguments = rawjson.Set(b.Arguments, name, rawjson.Quote(shareOf(s, id, share)))
				case float64(len(v)) > float64(len(b.Arguments))*share:
					b.Arguments = rawjson.Set(b.Arguments, name, rawjson.Quote(shareOf(string(v), id, share)))
				}
			}
			out.Content[i] = b
		}
	}
	return out
}

// dropImages puts stubs in place of the images after the first ones that take at
// most so many tokens together. It returns what all of them took, and what is
// left.
func dropImages(content []message.Block, id string, limit int64) (all, left int64) {
	for i, b := range content {
		img, ok := b.(message.Image)
		if !ok {
			continue
		}
		n := tokens.Default{}.Message(&message.Message{Role: message.RoleUser, Content: []message.Block{img}})
		all += n
		if left+n <= limit {
			left += n
			continue
		}
		content[i] = message.Text{Text: media.Stub(media.Look(img.Data), "", "en:"+id)}
	}
	return all, left
}

// shareOf is a share of a text: its head and its tail.
func shareOf(text, id string, share float64) string {
	if short := headTail(text, id, int(float64(safetext.UTF16Len(text))*share)); len(short) < len(text) {
		return short
	}
	return text
}

// headTail shortens text to about units UTF-16 code units: the head, a line
// that says how much is left out and where to read it, the tail. Text that is
// short enough is returned unchanged.
func headTail(text, id string, units int) string {
	total := safetext.UTF16Len(text)
	if total <= units {
		return text
	}
	note := func(left int) string {
		return fmt.Sprintf("\n[%d characters left out; read en:%s for all of it]\n", left, id)
	}
	room := max(0, units-len(note(total)))
	head := safetext.CutHead(text, room*2/3)
	tail := safetext.CutTail(text, room-room*2/3)
	return head + note(total-safetext.UTF16Len(head)-safetext.UTF16Len(tail)) + tail
}
