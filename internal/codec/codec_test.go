package codec

import (
	"testing"
	"time"

	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
	"github.com/google/go-cmp/cmp"
)

func intp(n int) *int { return &n }

// What is encoded is what pi writes, and decodes to the same message.
func TestCodec(t *testing.T) {
	at := time.UnixMilli(1767225600000).UTC()
	text := "x"
	tests := []struct {
		name string
		m    *message.Message
		want string
	}{
		{"user", &message.Message{Role: message.RoleUser, Content: []message.Block{message.Text{Text: "a<b>&\u2028"}, message.Image{Data: "AA==", MIMEType: "image/png"}}, Time: at},
			`{"role":"user","content":[{"type":"text","text":"a<b>&` + "\u2028" + `"},{"type":"image","data":"AA==","mimeType":"image/png"}],"timestamp":1767225600000}`},
		{"assistant", &message.Message{Role: message.RoleAssistant, API: "x", Provider: "p", Model: "m", StopReason: message.StopToolUse,
			Content: []message.Block{message.Thinking{Thinking: "t", Signature: "s", Redacted: true}, message.ToolCall{ID: "c", Name: "n", Arguments: []byte(`{"b":1,"a":[2]}`)}},
			Usage:   &message.Usage{Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4, TotalTokens: 10, Cost: message.Cost{Total: 0.25}}},
			`{"role":"assistant","content":[{"type":"thinking","thinking":"t","thinkingSignature":"s","redacted":true},{"type":"toolCall","id":"c","name":"n","arguments":{"b":1,"a":[2]}}],` +
				`"api":"x","provider":"p","model":"m","usage":{"input":1,"output":2,"cacheRead":3,"cacheWrite":4,"totalTokens":10,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0.25}},"stopReason":"toolUse"}`},
		{"result", &message.Message{Role: message.RoleToolResult, ToolCallID: "c", ToolName: "n", IsError: true, Content: []message.Block{message.Text{Text: "x"}}},
			`{"role":"toolResult","toolCallId":"c","toolName":"n","content":[{"type":"text","text":"x"}],"isError":true}`},
		{"empty result", &message.Message{Role: message.RoleToolResult, ToolCallID: "c", ToolName: "n", Empty: true, Content: []message.Block{message.Text{Text: "x"}}},
			`{"role":"toolResult","toolCallId":"c","toolName":"n","content":[{"type":"text","text":"x"}],"details":{"empty":true},"isError":false}`},
		{"bash", &message.Message{Role: message.RoleBashExecution, Bash: &message.BashExecution{Command: "ls", Output: "x", ExitCode: intp(2), ExcludeFromContext: true}},
			`{"role":"bashExecution","command":"ls","output":"x","exitCode":2,"cancelled":false,"truncated":false,"excludeFromContext":true}`},
		{"system", &message.Message{Role: message.RoleSystem, Content: []message.Block{message.Text{Text: "be"}}, System: &message.SystemPatch{Sections: []message.Section{{Name: "a", Text: &text}, {Name: "b"}},
			ToolsAdded: []message.Tool{{Name: "t", Raw: []byte(`{"name":"t","x":1}`)}}, ToolsRemoved: []string{"u"}}},
			`{"role":"system","content":"be","sections":{"a":"x","b":null},"toolsAdded":[{"name":"t","x":1}],"toolsRemoved":["u"]}`},
	}
	for _, tt := range tests {
		got := Encode(tt.m)
		if string(got) != tt.want {
			t.Errorf("%s: encoded\n %s\nwant\n %s", tt.name, got, tt.want)
		}
		if !rawjson.Valid(got) {
			t.Errorf("%s: not valid JSON", tt.name)
		}
		if diff := cmp.Diff(tt.m, Decode(got)); diff != "" {
			t.Errorf("%s: decoded otherwise:\n%s", tt.name, diff)
		}
	}
}

func TestDecodeIsTolerant(t *testing.T) {
	tests := []struct{ raw, text string }{
		{`{"role":"user","content":null}`, ""},
		{`{"role":"user","content":42}`, ""},
		{`{"role":"user"}`, ""},
		{`{"role":"user","content":"plain"}`, "plain"},
		{`{"role":"user","content":["bare",7,null,{"type":"text","text":"b"}]}`, "bareb"},
		{`{"role":"user","content":[{"type":"text","text":"\ud83d"}]}`, "\uFFFD"},
		{`{"role":"user","role":"assistant","content":"last wins"}`, "last wins"},
	}
	for _, tt := range tests {
		if got := Decode([]byte(tt.raw)).Text(""); got != tt.text {
			t.Errorf("%s: %q, want %q", tt.raw, got, tt.text)
		}
	}
	if r := Decode([]byte(`{"role":"hookMessage","content":"x"}`)).Role; r != message.RoleCustom {
		t.Errorf("hookMessage is read as %s", r)
	}
	m := Decode([]byte(`{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"n","arguments":"text"},{"type":"new","x":1}],"usage":7}`))
	if m.Usage != nil || string(m.ToolCalls()[0].Arguments) != `"text"` || m.Content[1].(message.Opaque).Type != "new" {
		t.Errorf("%+v", m)
	}
}

func TestUsage(t *testing.T) {
	if got := (&message.Usage{Input: 1000, Output: 500, CacheRead: 200, CacheWrite: 100, TotalTokens: 1800}).Total(); got != 1800 {
		t.Errorf("total %d", got)
	}
	if got := (&message.Usage{Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4}).Total(); got != 10 {
		t.Errorf("sum %d", got)
	}
	if got := (*message.Usage)(nil).Total(); got != 0 {
		t.Errorf("none %d", got)
	}
}

func TestDecodeTime(t *testing.T) {
	want := time.Date(2026, 1, 1, 0, 0, 0, 5e6, time.UTC)
	for _, raw := range []string{`1767225600005`, `"2026-01-01T00:00:00.005Z"`, `"2026-01-01T01:00:00.005+01:00"`} {
		if got := DecodeTime([]byte(raw)); !got.Equal(want) {
			t.Errorf("%s: %v", raw, got)
		}
	}
	for _, raw := range []string{`null`, `"yesterday"`, `{}`, ``} {
		if got := DecodeTime([]byte(raw)); !got.IsZero() {
			t.Errorf("%s: %v", raw, got)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"role":"assistant","content":[{"type":"toolCall","arguments":{"1":2,"a":"\ud800"}}],"usage":{"input":1e99}}`))
	f.Add([]byte(`{"role":"system","sections":{"a":null},"toolsAdded":["x",{"name":"y"}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if !rawjson.Valid(raw) {
			return
		}
		m := Decode(raw)
		if enc := Encode(m); !rawjson.Valid(enc) {
			t.Fatalf("encoded %q", enc)
		}
	})
}
