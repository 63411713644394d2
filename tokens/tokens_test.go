package tokens

import (
	"encoding/base64"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/coppice-dev/coppice/internal/media"
	"github.com/coppice-dev/coppice/message"
)

func text(s string) []message.Block { return []message.Block{message.Text{Text: s}} }

// Estimates of pi 1.6.0, and the weights of docs/context.md.
func TestPlainMessage(t *testing.T) {
	image := message.Image{Data: strings.Repeat("A", 4_197_680), MIMEType: "image/png"}
	tests := []struct {
		name string
		m    *message.Message
		want int64
	}{
		{"nil", nil, 0},
		{"empty", &message.Message{Role: message.RoleUser}, 0},
		{"rounded up", &message.Message{Role: message.RoleUser, Content: text("12345")}, 2},
		{"three emoji", &message.Message{Role: message.RoleUser, Content: text("😀😀😀")}, 2},
		{"bash", &message.Message{Role: message.RoleBashExecution, Bash: &message.BashExecution{Command: "ls", Output: "12345678"}}, 3},
		{"tool call", &message.Message{Role: message.RoleAssistant, Content: []message.Block{
			message.ToolCall{Name: "read", Arguments: []byte(`{"path":"a.ts"}`)}}}, 5},
		{"thinking and text", &message.Message{Role: message.RoleAssistant, Content: []message.Block{
			message.Thinking{Thinking: "12345678"}, message.Text{Text: "1"}}}, 3},
		{"image in a result", &message.Message{Role: message.RoleToolResult, Content: []message.Block{image}}, 1200},
		{"image of a user", &message.Message{Role: message.RoleUser, Content: []message.Block{image}}, 1200},
		{"unknown role", &message.Message{Role: "observer", Content: text("12345678")}, 2},
		{"summary", &message.Message{Role: message.RoleCompactionSummary, Summary: "12345678"}, 2},
		{"han", &message.Message{Role: message.RoleUser, Content: text("漢字かなカナ한글")}, 8},
		{"han beyond the BMP", &message.Message{Role: message.RoleUser, Content: text("𠀀𠀁")}, 2},
		{"cyrillic", &message.Message{Role: message.RoleUser, Content: text("привет")}, 3},
		{"accents are Latin", &message.Message{Role: message.RoleUser, Content: text("éüñç")}, 1},
		{"box drawing", &message.Message{Role: message.RoleUser, Content: text("┌──┐")}, 1},
		{"system", &message.Message{Role: message.RoleSystem, Content: text("1234"), System: &message.SystemPatch{
			ToolsAdded: []message.Tool{{Name: "a", Raw: []byte(`{"name": "a"}`)}}}}, 4},
	}
	for _, tt := range tests {
		if got := (Plain{}).Message(tt.m); got != tt.want {
			t.Errorf("%s: got %d tokens, want %d", tt.name, got, tt.want)
		}
	}
}

func TestTextIsMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.String().Draw(t, "a"), rapid.String().Draw(t, "b")
		if (Plain{}).Text(a+b) < (Plain{}).Text(a) {
			t.Fatalf("%q counts less with %q appended", a, b)
		}
	})
}

// png1024x768 is the header of a PNG.
var png1024x768 = base64.StdEncoding.EncodeToString([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR\x00\x00\x04\x00\x00\x00\x03\x00\x08\x02\x00\x00\x00"))

// What Default adds to weigh.Counter: which parts of a message count, each on its
// own.
func TestDefaultMessage(t *testing.T) {
	est := For(message.Model{ID: "gpt-5.5"})
	arguments := `{"path":"main.go","limit":100}`
	for name, tt := range map[string]struct {
		m    *message.Message
		want int64
	}{
		"nil":              {nil, 0},
		"empty":            {&message.Message{Role: message.RoleUser}, 0},
		"text":             {&message.Message{Role: message.RoleUser, Content: text("What does the server do here?")}, est.Text("What does the server do here?")},
		"image":            {&message.Message{Role: message.RoleToolResult, Content: []message.Block{message.Image{Data: png1024x768, MIMEType: "image/jpeg"}}}, 922},
		"image of no size": {&message.Message{Role: message.RoleToolResult, Content: []message.Block{message.Image{Data: "AAAA", MIMEType: "image/png"}}}, media.Unknown},
		"bash":             {&message.Message{Role: message.RoleBashExecution, Bash: &message.BashExecution{Command: strings.Repeat("=", 300)}}, est.Text(strings.Repeat("=", 300))},
		"digits":           {&message.Message{Role: message.RoleUser, Content: text(strings.Repeat("123", 100))}, est.Text(strings.Repeat("123", 100))},
		"summary":          {&message.Message{Role: message.RoleCompactionSummary, Summary: "Earlier work."}, est.Text("Earlier work.")},
	} {
		if got := est.Message(tt.m); got != tt.want {
			t.Errorf("%s: got %d tokens, want %d", name, got, tt.want)
		}
	}
	call := est.Message(&message.Message{Role: message.RoleAssistant, Content: []message.Block{message.ToolCall{Name: "read", Arguments: []byte(arguments)}}})
	if apart := est.Text("read") + est.Text(arguments); call < apart-1 || call > apart {
		t.Errorf("a call of %d tokens, its parts have %d", call, apart)
	}
}

func TestByClass(t *testing.T) {
	est := For(message.Model{ID: "gpt-5.5"})
	m := &message.Message{Role: message.RoleUser, Content: []message.Block{message.Text{Text: "The table is called "}, message.Text{Text: "議事録"}, message.Image{Data: png1024x768}}}
	got := est.ByClass(m)
	if got.Text != est.Text("The table is called ") || got.Scripts < 2 || got.Scripts > 4 || got.Media != 922 || got.Sum() != est.Message(m) {
		t.Errorf("%+v of %d tokens", got, est.Message(m))
	}
}
