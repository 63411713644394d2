package cli

import (
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/session"
)

func TestPreviews(t *testing.T) {
	p := previewer{home: "/home/u", calls: map[string]string{}}
	message := func(fields string) string { return `{"type":"message","message":{` + fields + `}}` }
	calls := func(id, name, args string) string {
		return message(`"role":"assistant","stopReason":"toolUse","content":[{"type":"toolCall","id":"` + id + `","name":"` + name + `","arguments":` + args + `}]`)
	}
	for _, tt := range []struct{ raw, want string }{
		{calls("c1", "read", `{"path":"/home/u/a.go","offset":10,"limit":11}`), "[read: ~/a.go:10-20]"},
		{message(`"role":"toolResult","toolCallId":"c1","toolName":"read","content":[{"type":"text","text":"x"}]`), "[read: ~/a.go:10-20]"},
		{message(`"role":"toolResult","toolCallId":"c1","toolName":"read","isError":true,"content":[]`), "[read: ~/a.go:10-20] failed"},
		{message(`"role":"toolResult","toolCallId":"c9","toolName":"find","content":[]`), "[find]"},
		{calls("c2", "bash", `{"command":"`+strings.Repeat("x", 60)+`"}`), "[bash: " + strings.Repeat("x", 49) + "…]"},
		{calls("c3", "grep", `{"pattern":"a+b","path":"src"}`), "[grep: /a+b/ in src]"},
		{calls("c4", "Read", `{"file_path":"b.go"}`), "[Read: b.go]"},
		{calls("c5", "odd", `[1]`), "[odd]"},
		{message(`"role":"assistant","stopReason":"aborted","content":[]`), "(aborted)"},
		{message(`"role":"assistant","stopReason":"error","errorMessage":"too\nlong","content":[]`), "(error: too long)"},
		{message(`"role":"assistant","stopReason":"stop","content":[]`), "(no content)"},
		{message(`"role":"user","content":"a\n\n  b"`), "a b"},
		{message(`"role":"user","content":[{"type":"image","data":"QQ==","mimeType":"image/png"}]`), "(1 image)"},
		{message(`"role":"bashExecution","command":"ls -l","output":"x"`), "$ ls -l"},
		{message(`"role":"system","content":"You are"`), "[system prompt]"},
		{`{"type":"compaction","summary":"s","shortSummary":"short","tokensBefore":12600}`, "[compaction: 13k tokens] short"},
		{`{"type":"branch_summary","summary":"left"}`, "[branch summary]: left"},
		{`{"type":"model_change","provider":"p","modelId":"m"}`, "[model: p/m]"},
		{`{"type":"model_change","model":"p/m","role":"smol"}`, "[model_change]"},
		{`{"type":"thinking_level_change","thinkingLevel":"high"}`, "[thinking: high]"},
		{`{"type":"session_info","name":"n"}`, "[name: n]"},
		{`{"type":"label","targetId":"x"}`, "[label of x cleared]"},
		{`{"type":"context_edit","targetId":"x","replacement":null}`, "[edit of x]"},
		{`{"type":"custom","customType":"coppice.pin","data":{"targetId":"x","pinned":true}}`, "[pin on x]"},
		{`{"type":"custom","customType":"coppice.pin","data":{"targetId":"x","pinned":false}}`, "[pin on x removed]"},
		{`{"type":"custom","customType":"coppice.uncompact","data":{"compactionId":"x"}}`, "[compaction x undone]"},
		{`{"type":"custom","customType":"other"}`, "[other]"},
		{`{"type":"custom_message","customType":"note","content":"hi"}`, "[note]: hi"},
		{`{"type":"telepathy"}`, "[telepathy]"},
	} {
		e, ok := session.ParseEntry([]byte(tt.raw))
		if !ok {
			t.Fatal(tt.raw)
		}
		if got := p.of(e, must.Get(e.Message())); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.raw, got, tt.want)
		}
	}
}
