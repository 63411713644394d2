package prune

import (
	"fmt"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/tokens"
)

// png is the beginning of a PNG of 1,024×768 pixels.
const png = "iVBORw0KGgoAAAANSUhEUgAABAAAAAMACAIAAAAA"

// shot is a round of the agent whose result has images.
func (w *work) shot(name string, images int) {
	w.round(name, "screenshot", `{}`, 1, "")
	m := &message.Message{Role: message.RoleToolResult, ToolCallID: fmt.Sprint("c", w.calls+1), ToolName: "screenshot"}
	w.calls++
	for range images {
		m.Content = append(m.Content, message.Image{Data: png, MIMEType: "image/png"})
	}
	w.add(session.MessageDraft(&message.Message{Role: message.RoleAssistant, StopReason: message.StopToolUse,
		Content: []message.Block{message.ToolCall{ID: m.ToolCallID, Name: "screenshot", Arguments: []byte(`{}`)}}}), "call")
	w.add(session.MessageDraft(m), name)
}

// left counts the images of the view after its edits, and names the messages
// that lost some.
func (w *work) left(m message.Model) (images int, lost string) {
	for _, it := range w.view().Items {
		images += len(it.Meta().Images)
	}
	var names []string
	for _, e := range must.Get(Plan(w.view(), Settings{}, tokens.Default{}, m)) {
		for _, b := range e.Content {
			if t, ok := b.(message.Text); ok && strings.HasPrefix(t.Text, "[image left out: PNG, 1024×768 pixels") {
				images--
			}
		}
		names = append(names, w.names[e.Entry.ID])
	}
	return images, strings.Join(names, " ")
}

// The host's cap is respected within a turn, the newest images stay, and pruning
// goes down to four fifths at once.
func TestImageCapWithinATurn(t *testing.T) {
	for name, tt := range map[string]struct {
		model message.Model
		shots int
		want  int
	}{
		"Claude, at the cap":      {message.Model{Provider: "anthropic", ID: "claude-opus-4-5", Window: 200_000}, 100, 100},
		"Claude, one above":       {message.Model{Provider: "anthropic", ID: "claude-opus-4-5", Window: 200_000}, 101, 80},
		"Claude, 150":             {message.Model{Provider: "anthropic", ID: "claude-opus-4-5", Window: 200_000}, 150, 80},
		"Claude, a large window":  {message.Model{Provider: "anthropic", ID: "claude-opus-5", Window: 1_000_000}, 150, 150},
		"Azure":                   {message.Model{Provider: "azure", ID: "gpt-6"}, 51, 40},
		"a refusal named a cap":   {message.Model{Provider: "local", ID: "m", MaxImages: 10}, 51, 8},
		"a cap from memory":       {message.Model{Provider: "groq", ID: "llama-4"}, 51, 51},
		"nothing known":           {message.Model{Provider: "local", ID: "m"}, 150, 150},
		"lower than the vendor's": {message.Model{Provider: "anthropic", ID: "claude-opus-5", Window: 1_000_000, MaxImages: 20}, 30, 16},
	} {
		w := newWork(t)
		w.user("go")
		for i := range tt.shots {
			w.shot(fmt.Sprint(i), 1)
		}
		w.answer() // all was seen; the turn goes on
		images, lost := w.left(tt.model)
		if images != tt.want {
			t.Errorf("%s: %d images are left, want %d (without %s)", name, images, tt.want, lost)
		}
		if n := tt.shots - tt.want; n > 0 && !strings.HasPrefix(lost+" ", "0 1 2") {
			t.Errorf("%s: not the oldest went: %s", name, lost)
		}
	}
}

// What the model has not seen stays, unless it alone is too much; pins stay.
func TestImageCapAndUnseen(t *testing.T) {
	ten := message.Model{Provider: "local", ID: "m", MaxImages: 10}
	w := newWork(t)
	w.user("go")
	w.shot("seen", 4)
	w.answer()
	w.user("more")
	w.shot("new", 9)
	if images, lost := w.left(ten); images != 9 || lost != "seen" {
		t.Errorf("%d images, without those of %q", images, lost)
	}
	w = newWork(t)
	w.user("go")
	w.shot("seen", 4)
	w.answer()
	w.user("more")
	w.shot("new", 15)
	if images, lost := w.left(ten); images != 10 || lost != "seen new" {
		t.Errorf("too many at once: %d images, without those of %q", images, lost)
	}
	w = newWork(t)
	w.user("go")
	w.shot("five", 5)
	w.shot("six", 6)
	w.answer()
	if images, lost := w.left(ten); images != 8 || lost != "five" {
		t.Errorf("some of a message: %d images, without those of %q", images, lost)
	}
}
