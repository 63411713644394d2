package openai

import (
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/internal/testkit/wiretest"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/timeline"
)

// How models are told whether to think: what a request says for a high level and
// for "off". Without a level, and to a model that does not think, nothing is said.
func TestThinkingIsSwitched(t *testing.T) {
	const (
		enabled, disabled = `"thinking":{"type":"enabled"}`, `"thinking":{"type":"disabled"}`
		effort            = `"reasoning_effort":"high"`
	)
	for _, tt := range []struct{ provider, server, model, on, off string }{
		{"zai", "", "glm-5.2", `"thinking":{"type":"enabled","clear_thinking":false}`, disabled},
		{"zhipu-coding", "", "glm-4.7", `"thinking":{"type":"enabled","clear_thinking":false}`, disabled},
		{"mine", "open.bigmodel.cn", "GLM-4.6", enabled, disabled},
		{"moonshot", "", "kimi-k2.6", `"thinking":{"type":"enabled","keep":"all"}`, disabled},
		{"moonshot", "", "kimi-k2.5", enabled, disabled},
		{"moonshot", "", "kimi-k3", effort, ""},
		{"moonshot", "", "kimi-k2.7-code", effort, ""},
		{"alibaba-singapore", "", "qwen3.7-plus", `"enable_thinking":true,"preserve_thinking":true`, `"enable_thinking":false`},
		{"mine", "dashscope-intl.aliyuncs.com", "qwen3-235b-a22b-thinking-2507", `"enable_thinking":true,"preserve_thinking":true`, ""},
		{"vllm", "localhost:8000", "Qwen/Qwen3.6-35B-A3B", `"chat_template_kwargs":{"enable_thinking":true,"preserve_thinking":true}`, `"chat_template_kwargs":{"enable_thinking":false}`},
		{"deepseek", "", "deepseek-v4-pro", effort + "," + enabled, disabled},
		{"xiaomi", "", "mimo-v2.5-pro", enabled, disabled},
		{"openrouter", "", "z-ai/glm-5.2", effort, ""},
		{"openrouter", "", "deepseek/deepseek-v4-pro", effort, ""},
		{"groq", "", "qwen/qwen3-32b", effort, ""},
		{"ollama", "localhost:11434", "qwen3.6", effort, ""},
	} {
		m := message.Model{Provider: tt.provider, Server: tt.server, ID: tt.model, Reasoning: true}
		for level, want := range map[string]string{"high": tt.on, "off": tt.off, "": ""} {
			if got := switched(t, m, level); got != want {
				t.Errorf("%s/%s, level %q: %s, want %s", tt.provider, tt.model, level, got, want)
			}
		}
		m.Reasoning = false
		if got := switched(t, m, "high") + switched(t, m, "off"); got != "" {
			t.Errorf("%s/%s does not think, and is told %s", tt.provider, tt.model, got)
		}
	}
	if got := switched(t, message.Model{Provider: "openai", ID: "gpt-5.2", Reasoning: true}, "max"); got != `"reasoning_effort":"xhigh"` {
		t.Errorf("the level max is told as %s", got)
	}
}

// switched returns the members of a request that are about thinking.
func switched(t *testing.T, m message.Model, level string) string {
	t.Helper()
	body, err := Dialect.Render(timeline.Request{Messages: []*message.Message{wiretest.User(wiretest.Text("go"))}}, m, message.CallOptions{Thinking: level})
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for name, v := range rawjson.Members(body) {
		if strings.Contains(name, "think") || strings.HasPrefix(name, "reasoning") || name == "chat_template_kwargs" {
			said = append(said, `"`+name+`":`+string(v))
		}
	}
	return strings.Join(said, ",")
}

// A model that is told not to think gets no reasoning back, and no field is
// required, unless its server asks for one all the same.
func TestNoReasoningForAModelThatIsSwitchedOff(t *testing.T) {
	messages := []*message.Message{wiretest.User(wiretest.Text("go")), wiretest.Assistant(message.Thinking{Thinking: "hm", Signature: "reasoning_content"}, wiretest.Call("a", `{}`)),
		wiretest.Result("a"), wiretest.Assistant(wiretest.Call("b", `{}`)), wiretest.Result("b")}
	for _, tt := range []struct {
		provider, model, level string
		restore                bool
		want                   int
	}{
		{"deepseek", "deepseek-v4-pro", "off", false, 0},
		{"deepseek", "deepseek-v4-pro", "off", true, 2},
		{"deepseek", "deepseek-v4-pro", "high", false, 2},
		{"deepseek", "deepseek-v4-pro", "", false, 2},
		{"openrouter", "deepseek/deepseek-v4-pro", "off", false, 2}, // it was not told
		{"moonshot", "kimi-k2.6", "off", false, 0},
		{"moonshot", "kimi-k3", "off", false, 2}, // it thinks all the same
		{"zai", "glm-5.2", "off", false, 1},
	} {
		m := message.Model{Provider: tt.provider, ID: tt.model, Reasoning: true}
		body, err := Dialect.Render(timeline.Request{Messages: messages}, m, message.CallOptions{Thinking: tt.level, RestoreThinking: tt.restore})
		if err != nil {
			t.Fatal(err)
		}
		wiretest.Check(t, Dialect, body, m)
		if got := strings.Count(string(body), "reasoning_content"); got != tt.want {
			t.Errorf("%+v: %d fields: %s", tt, got, body)
		}
	}
}
