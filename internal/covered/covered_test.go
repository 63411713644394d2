package covered

import (
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/internal/safetext"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/tokens"
)

func TestHeadTail(t *testing.T) {
	text := strings.Repeat("a", 5000) + "한é🏷" + strings.Repeat("z", 5000)
	got := headTail(text, "e1", 600)
	if n := safetext.UTF16Len(got); n > 610 {
		t.Errorf("%d units, want about 600", n)
	}
	for _, want := range []string{"aaa", "zzz", "read en:e1", "characters left out"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %q", want, got)
		}
	}
	if headTail("short", "e1", 600) != "short" {
		t.Error("short text changed")
	}
}

func TestShorten(t *testing.T) {
	long := strings.Repeat("x", 40_000)
	m := &message.Message{Role: message.RoleAssistant, Content: []message.Block{message.Text{Text: "I will"},
		message.ToolCall{ID: "c", Name: "write", Arguments: []byte(`{"path":"a.go","content":"` + long + `","edits":[{"new":"` + long + `"}],"n":1}`)}}}
	got := Shorten(m, "e1", 32_000/CallShare)
	call := got.ToolCalls()[0]
	if size := (tokens.Default{}).Message(got); size > 1500 {
		t.Errorf("%d tokens, want about a thousand", size)
	}
	for _, want := range []string{`"path":"a.go"`, `"n":1`, "read en:e1"} {
		if !strings.Contains(string(call.Arguments), want) {
			t.Errorf("no %s in %s", want, call.Arguments)
		}
	}
	if Shorten(m, "e1", 0) != m || Shorten(m, "e1", 10_000_000) != m {
		t.Error("shortened without need")
	}
}

// Images count too: those that take more than half of the room become stubs.
func TestShortenImages(t *testing.T) {
	picture := message.Image{MIMEType: "image/png", Data: "iVBORw0KGgo"} // of unknown size: 1,200 tokens
	m := message.User("What is in them? " + strings.Repeat("word ", 2000))
	for range 9 {
		m.Content = append(m.Content, picture)
	}
	got := Shorten(m, "e1", 5000)
	if size := (tokens.Default{}).Message(got); size > 5000 || got.Images() != 2 {
		t.Errorf("%d tokens with %d images", size, got.Images())
	}
	if text := got.Text(""); strings.Count(text, "image left out") != 7 || !strings.Contains(text, "read en:e1") || !strings.Contains(text, "What is in them?") {
		t.Errorf("%s", text)
	}
	if got := Shorten(m, "e1", 1500); got.Images() != 0 {
		t.Errorf("%d images within 1500 tokens", got.Images())
	}
}
