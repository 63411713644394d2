package anthropic

import (
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/internal/testkit/wiretest"
	"github.com/coppice-dev/coppice/message"
)

func TestValidate(t *testing.T) {
	const (
		hi   = `{"role":"user","content":"hi"}`
		use  = `{"role":"assistant","content":[{"type":"tool_use","id":"x","name":"read","input":{}}]}`
		res  = `{"role":"user","content":[{"type":"tool_result","tool_use_id":"x","content":"r"}]}`
		mark = `"cache_control":{"type":"ephemeral"}`
	)
	messages := func(m ...string) string { return `{"messages":[` + strings.Join(m, ",") + `]}` }
	blocks := func(b string) string { return messages(`{"role":"user","content":[` + b + `]}`) }
	tests := []struct {
		name, body, want string
	}{
		{"clean", messages(hi, use, res), ""},
		{"no JSON", `{"messages":[`, "invalid-json"},
		{"no object", `[]`, "invalid-json"},
		{"lone surrogate", messages(`{"role":"user","content":"\ud83d"}`), "bad-text"},
		{"bytes that are not UTF-8", messages("{\"role\":\"user\",\"content\":\"\xff\"}"), "bad-text"},
		{"no messages", messages(), "no-messages"},
		{"role", messages(`{"role":"tool","content":"x"}`), "bad-role"},
		{"assistant first", messages(`{"role":"assistant","content":"a"}`, hi), "first-role"},
		{"its own summary may come first", messages(`{"role":"assistant","content":[{"type":"compaction","content":"s"}]}`, `{"role":"assistant","content":"a"}`, hi), ""},
		{"two of a role", messages(hi, hi), "role-order"},
		{"prefill", messages(hi, `{"role":"assistant","content":"a"}`), "last-assistant"},
		{"empty text", messages(`{"role":"user","content":[{"type":"text","text":" "}]}`), "empty-text"},
		{"empty string", messages(`{"role":"user","content":""}`), "empty-text"},
		{"empty content", messages(`{"role":"user","content":[]}`), "empty-content"},
		{"empty system block", `{"system":[{"type":"text","text":""}],"messages":[` + hi + `]}`, "empty-text"},
		{"call without result", messages(hi, use, hi), "unpaired-call"},
		{"call at the end", messages(hi, use), "last-assistant unpaired-call"},
		{"result without call", messages(hi, `{"role":"assistant","content":"a"}`, res), "unpaired-result"},
		{"result at the start", messages(res), "unpaired-result"},
		{"result one message late", messages(hi, use, hi, `{"role":"assistant","content":"a"}`, res), "unpaired-call unpaired-result"},
		{"second result", messages(hi, use, `{"role":"user","content":[{"type":"tool_result","tool_use_id":"x"},{"type":"tool_result","tool_use_id":"x"}]}`), "duplicate-result"},
		{"text before the result", messages(hi, use, `{"role":"user","content":[{"type":"text","text":"t"},{"type":"tool_result","tool_use_id":"x"}]}`), "result-order"},
		{"failed result with a document", messages(hi, use, `{"role":"user","content":[{"type":"tool_result","tool_use_id":"x","is_error":true,"content":[{"type":"text","text":"t"},{"type":"document"}]}]}`), "error-result-media"},
		{"failed result without content", messages(hi, use, `{"role":"user","content":[{"type":"tool_result","tool_use_id":"x","is_error":true}]}`), "empty-error-result"},
		{"result with an image", messages(hi, use, `{"role":"user","content":[{"type":"tool_result","tool_use_id":"x","is_error":false,"content":[{"type":"image"}]}]}`), "image"},
		{"same id twice", messages(hi, use, res, use, res), "duplicate-id"},
		{"odd id", messages(hi, strings.ReplaceAll(use, `"x"`, `"x|y"`), strings.ReplaceAll(res, `"x"`, `"x|y"`)), "invalid-id"},
		{"odd tool name", messages(hi, strings.ReplaceAll(use, "read", "a.b"), res), "invalid-tool-name"},
		{"input no object", messages(hi, strings.ReplaceAll(use, "{}", `"p"`), res), "invalid-arguments"},
		{"tools of one name", `{"tools":[{"name":"a"},{"name":"a"}],"messages":[` + hi + `]}`, "duplicate-tool"},
		{"five marks", `{"system":[{"type":"text","text":"s",` + mark + `}],"tools":[{"name":"a",` + mark + `}],"messages":[{"role":"user","content":[` +
			`{"type":"text","text":"1",` + mark + `},{"type":"text","text":"2",` + mark + `},{"type":"text","text":"3",` + mark + `}]}]}`, "cache-marks"},
		{"the mark at the top counts", `{` + mark + `,"system":[{"type":"text","text":"s",` + mark + `}],"messages":[{"role":"user","content":[` +
			`{"type":"text","text":"1",` + mark + `},{"type":"text","text":"2",` + mark + `},{"type":"text","text":"3",` + mark + `}]}]}`, "cache-marks"},
		{"a mark inside a result counts its lifetime", blocks(`{"type":"text","text":"1",` + mark + `},{"type":"text","text":"2","cache_control":{"type":"ephemeral","ttl":"1h"}}`), "cache-mark-order"},
		{"long before short", blocks(`{"type":"text","text":"1","cache_control":{"type":"ephemeral","ttl":"1h"}},{"type":"text","text":"2",` + mark + `}`), ""},
		{"mark on thinking", messages(hi, `{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"s",`+mark+`},{"type":"text","text":"a"}]}`, hi), "cache-mark-place"},
		{"unsigned", messages(hi, `{"role":"assistant","content":[{"type":"thinking","thinking":"t"},{"type":"text","text":"a"}]}`, hi), "unsigned-thinking"},
		{"thinking last", messages(hi, `{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"thinking","thinking":"t","signature":"s"}]}`, hi), "thinking-last"},
		{"open round without thinking", `{"thinking":{"type":"enabled"},"messages":[` + hi + `,` + use + `,` + res + `]}`, "thinking-first"},
		{"thinking above the limit", `{"thinking":{"type":"enabled","budget_tokens":2048},"max_tokens":2048,"messages":[` + hi + `]}`, "thinking-budget"},
		{"too much output", `{"max_tokens":4001,"messages":[` + hi + `]}`, "max-output"},
		{"image", blocks(`{"type":"image","source":{}}`), "image"},
		{"image in a result", messages(hi, use, strings.ReplaceAll(res, `"r"`, `[{"type":"image"}]`)), "image"},
	}
	m := message.Model{ID: "claude", MaxOutput: 4000}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			wiretest.Problems(t, Dialect, tt.body, m, false, tt.want)
		})
	}
	t.Run("pending", func(t *testing.T) {
		wiretest.Problems(t, Dialect, messages(hi, `{"role":"assistant","content":"a"}`), m, true, "")
		wiretest.Problems(t, Dialect, messages(), m, true, "")
	})
	t.Run("a model that does not sign", func(t *testing.T) {
		wiretest.Problems(t, Dialect, messages(hi, `{"role":"assistant","content":[{"type":"thinking","thinking":"t"},{"type":"text","text":"a"}]}`, hi), message.Model{ID: "qwen3"}, false, "")
	})
	t.Run("bytes", func(t *testing.T) {
		wiretest.Problems(t, Dialect, messages(hi), message.Model{MaxBytes: 10}, false, "too-large")
	})
	t.Run("bedrock", func(t *testing.T) {
		wiretest.Problems(t, Dialect, messages(hi, use, res), message.Model{Provider: "amazon-bedrock"}, false, "missing-tools")
	})
}

func TestValidatePlace(t *testing.T) {
	body := `{"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"tool_use","id":"x","name":"n","input":{}}]},{"role":"user","content":"no"}]}`
	problems := Dialect.Validate([]byte(body), message.Model{}, false)
	if len(problems) != 1 || problems[0].Where != "messages.1.content.1" || !strings.Contains(problems[0].Cites, "without `tool_result` blocks") {
		t.Errorf("got %+v", problems)
	}
}
