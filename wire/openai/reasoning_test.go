package openai

import (
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/internal/testkit/wiretest"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/timeline"
)

// Which reasoning is sent back, by family: for a plain answer, an answer that
// calls a tool and kept its reasoning, and one that did not. "-" means no field.
func TestReasoningGoesBack(t *testing.T) {
	messages := []*message.Message{wiretest.User(wiretest.Text("go")), wiretest.Assistant(wiretest.Text("plain")),
		wiretest.User(wiretest.Text("on")), wiretest.Assistant(message.Thinking{Thinking: "hm", Signature: "reasoning_content"}, wiretest.Call("a", `{}`)), wiretest.Result("a"),
		wiretest.Assistant(wiretest.Call("b", `{}`)), wiretest.Result("b")}
	tests := []struct {
		model   string
		restore bool
		want    string
	}{
		{model: "gpt-oss-120b", want: "- hm -"},
		{model: "deepseek-r1-0528", want: "- - -"},
		{model: "deepseek/deepseek-v3.2", want: "- hm "},
		{model: "deepseek-chat-v3-0324", want: "- - -"},
		{model: "deepseek-v4-pro", want: "  hm  "},
		{model: "DeepSeek-V4.1", want: "  hm  "},
		{model: "moonshotai/kimi-k3", want: "- hm  "},
		{model: "mimo-v2.5-pro", want: "- hm  "},
		{model: "glm-5.2", want: "- hm -"},
		{model: "somebody/new-thinker", restore: true, want: "  hm  "},
		{model: "deepseek-r1", restore: true, want: "  hm  "},
	}
	for _, tt := range tests {
		body, err := Dialect.Render(timeline.Request{Messages: messages}, message.Model{ID: tt.model, Reasoning: true}, message.CallOptions{RestoreThinking: tt.restore})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for m := range rawjson.Elements(rawjson.Get(body, "messages")) {
			if str(m, "role") != "assistant" {
				continue
			}
			if f := rawjson.Get(m, "reasoning_content"); f == nil {
				got = append(got, "-")
			} else {
				got = append(got, rawjson.String(f))
			}
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("%s: %q, want %q", tt.model, s, tt.want)
		}
	}
}

// Before any tool was called nothing is required.
func TestReasoningWithoutCalls(t *testing.T) {
	body, err := Dialect.Render(timeline.Request{Messages: []*message.Message{wiretest.User(wiretest.Text("go")), wiretest.Assistant(wiretest.Text("plain")), wiretest.User(wiretest.Text("on"))}},
		message.Model{ID: "deepseek-v4-pro"}, message.CallOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(body), "reasoning_content") {
		t.Errorf("%s", body)
	}
}
