package dialects

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/timeline"
)

// pictureOf is a PNG as base64, of so many bytes at least.
func pictureOf(t *testing.T, w, h, size int) string {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, w, h))); err != nil {
		t.Fatal(err)
	}
	if n := size - b.Len(); n > 0 {
		b.Write(make([]byte, n)) // after the end of the image
	}
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

// Bodies that another program wrote: what a host is known to refuse stops a
// request, what is only remembered of it, or another server behind the same
// dialect, is a warning.
func TestMediaCaps(t *testing.T) {
	small, wide, huge := pictureOf(t, 8, 8, 0), pictureOf(t, 8001, 1, 0), pictureOf(t, 8, 8, 11<<20)
	claude := message.Model{Provider: "anthropic", ID: "claude-opus-4-5", Window: 200_000, Images: true}
	with := func(m message.Model, change func(*message.Model)) message.Model { change(&m); return m }
	gemini := message.Model{Provider: "gemini", ID: "gemini-3-pro", Window: 1_000_000, Images: true}
	azure := message.Model{Provider: "azure", ID: "gpt-6", Window: 400_000, Images: true}
	groq := message.Model{Provider: "groq", ID: "llama-4", Window: 128_000, Images: true}
	anthropic := func(mime, data string, n int) string {
		block := `{"type":"image","source":{"type":"base64","media_type":"` + mime + `","data":"` + data + `"}}`
		return `{"model":"m","max_tokens":10,"messages":[{"role":"user","content":[` + strings.TrimSuffix(strings.Repeat(block+",", n), ",") + `]}]}`
	}
	chat := func(url string, n int) string {
		block := `{"type":"image_url","image_url":{"url":"` + url + `"}}`
		return `{"messages":[{"role":"user","content":[` + strings.TrimSuffix(strings.Repeat(block+",", n), ",") + `]}]}`
	}
	responses := func(url string, n int) string {
		block := `{"type":"input_image","image_url":"` + url + `"}`
		return `{"input":[{"role":"user","content":[` + strings.TrimSuffix(strings.Repeat(block+",", n), ",") + `]}]}`
	}
	parts := func(mime, data string, n int) string {
		block := `{"inlineData":{"mimeType":"` + mime + `","data":"` + data + `"}}`
		return `{"contents":[{"role":"user","parts":[` + strings.TrimSuffix(strings.Repeat(block+",", n), ",") + `]}]}`
	}
	tools := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `{"type":"function","function":{"name":"t%d","parameters":{}}},`, i)
		}
		return `{"messages":[{"role":"user","content":"hi"}],"tools":[` + strings.TrimSuffix(b.String(), ",") + `]}`
	}
	for _, tt := range []struct {
		name, dialect, body string
		model               message.Model
		want                string // kinds; "!" after those that stop
	}{
		{"nothing wrong", "anthropic", anthropic("image/png", small, 100), claude, ""},
		{"a hundred and one", "anthropic", anthropic("image/png", small, 101), claude, "too-many-images!"},
		{"the same in a large window", "anthropic", anthropic("image/png", small, 101), with(claude, func(m *message.Model) { m.Window = 1_000_000 }), ""},
		{"the same at a gateway", "anthropic", anthropic("image/png", small, 101), with(claude, func(m *message.Model) { m.Server = "gate:80" }), "too-many-images"},
		{"the same where nobody knows", "anthropic", anthropic("image/png", small, 101), message.Model{Provider: "own", ID: "m", Images: true}, ""},
		{"eleven where a refusal named ten", "anthropic", anthropic("image/png", small, 11), with(claude, func(m *message.Model) { m.MaxImages = 10 }), "too-many-images"},
		{"too wide", "anthropic", anthropic("image/png", wide, 1), claude, "image-pixels!"},
		{"too wide among many", "anthropic", anthropic("image/png", pictureOf(t, 2001, 1, 0), 21), claude, strings.TrimSuffix(strings.Repeat("image-pixels! ", 21), " ")},
		{"not among few", "anthropic", anthropic("image/png", pictureOf(t, 2001, 1, 0), 20), claude, ""},
		{"too heavy", "anthropic", anthropic("image/png", huge, 1), claude, "image-bytes!"},
		{"PNG that is called JPEG", "anthropic", anthropic("image/jpeg", small, 1), claude, "image-type!"},
		{"garbage", "anthropic", anthropic("image/png", "no such thing", 1), claude, "image-data"},
		{"a body too large", "anthropic", anthropic("image/png", pictureOf(t, 8, 8, 7<<20), 4), claude, "too-large!"},
		{"fifty-one at Azure", "openai-responses", responses("data:image/png;base64,"+small, 51), azure, "too-many-images!"},
		{"fifty", "openai-responses", responses("data:image/png;base64,"+small, 50), azure, ""},
		{"an address is not looked at", "openai-responses", responses("https://example.com/a.png", 3), azure, ""},
		{"above what somebody remembers", "openai-responses", responses("data:image/png;base64,"+pictureOf(t, 8, 8, 21<<20), 1), azure, "image-bytes"},
		{"six at Groq, where five are remembered", "openai-chat", chat("data:image/png;base64,"+small, 6), groq, "too-many-images"},
		{"above what Groq documents", "openai-chat", chat("data:image/png;base64,"+pictureOf(t, 8, 8, 4<<20), 1), groq, "too-large!"},
		{"nine at Mistral", "openai-chat", chat("data:image/png;base64,"+small, 9), message.Model{Provider: "mistral", ID: "mistral-large", Images: true}, "too-many-images!"},
		{"a GIF at Gemini", "gemini", parts("image/gif", base64.StdEncoding.EncodeToString([]byte("GIF89a\x01\x00\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;")), 1), gemini, "image-type!"},
		{"a PNG at Gemini", "gemini", parts("image/png", small, 1), gemini, ""},
		{"above twenty megabytes at Gemini, as somebody remembers", "gemini", parts("image/png", pictureOf(t, 8, 8, 16<<20), 1), gemini, "too-large"},
		{"an image of a tool", "openai-chat", `{"messages":[{"role":"user","content":"hi"},{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"look","arguments":"{}"}}]},` +
			`{"role":"tool","tool_call_id":"c","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,` + small + `"}}]}]}`, azure, "image-place"},
		{"a hundred and twenty-nine tools", "openai-chat", tools(129), azure, "too-many-tools!"},
		{"a hundred and twenty-eight", "openai-chat", tools(128), azure, ""},
	} {
		d, ok := ByName(tt.dialect)
		if !ok {
			t.Fatal(tt.dialect)
		}
		var got []string
		for _, p := range d.Validate([]byte(tt.body), tt.model, false) {
			got = append(got, p.Kind+map[bool]string{true: "!"}[p.Refused])
		}
		if g := strings.Join(got, " "); g != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, g, tt.want)
		}
	}
}

// What we build is within the caps, whatever the log has.
func TestRenderedMediaIsWithinCaps(t *testing.T) {
	var content []message.Block
	for _, data := range []string{pictureOf(t, 8001, 10, 0), pictureOf(t, 1700, 1700, 11<<20), pictureOf(t, 8, 8, 0), "garbage"} {
		content = append(content, message.Image{MIMEType: "image/jpeg", Data: data})
	}
	req := timeline.Request{Messages: []*message.Message{{Role: message.RoleUser, Content: content}}}
	for _, m := range []message.Model{{Provider: "anthropic", ID: "claude-opus-4-5", API: "anthropic", Window: 200_000}, {Provider: "bedrock", ID: "claude-opus-5", API: "anthropic"},
		{Provider: "gemini", ID: "gemini-3-pro", API: "gemini"}, {Provider: "mistral", ID: "mistral-large", API: "openai-chat"}, {Provider: "groq", ID: "llama-4", API: "openai-chat"},
		{Provider: "azure", ID: "gpt-6", API: "openai-responses"}, {Provider: "copilot", ID: "gpt-5.5", API: "openai-responses"}} {
		m.Images = true
		d, _ := ByName(m.API)
		body, err := d.Render(req, m, message.CallOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range d.Validate(body, m, false) {
			t.Errorf("%s: %s at %s: %s", m.Provider, p.Kind, p.Where, p.Detail)
		}
	}
}
