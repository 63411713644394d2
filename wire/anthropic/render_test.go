package anthropic

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/internal/testkit/wiretest"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/timeline"
)

func TestRenderMessages(t *testing.T) {
	tests := []struct {
		name     string
		messages []*message.Message
		marks    []int
		want     string
	}{
		{"neighbours are merged", []*message.Message{wiretest.User(wiretest.Text("a")), wiretest.User(wiretest.Text("b"))}, nil,
			`[{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}]`},
		{"results first, in the order of the calls, then the user's words", []*message.Message{
			wiretest.User(wiretest.Text("go")), wiretest.Assistant(wiretest.Text("ok"), wiretest.Call("x", `{"p":1.0}`), wiretest.Call("y", `{}`)),
			wiretest.User(wiretest.Text("by the way")), wiretest.Result("y", wiretest.Text("Y")), wiretest.Result("x")}, nil,
			`[{"role":"user","content":[{"type":"text","text":"go"}]},` +
				`{"role":"assistant","content":[{"type":"text","text":"ok"},{"type":"tool_use","id":"x","name":"read","input":{"p":1.0}},{"type":"tool_use","id":"y","name":"read","input":{}}]},` +
				`{"role":"user","content":[{"type":"tool_result","tool_use_id":"x","content":[{"type":"text","text":"(no output)"}]},{"type":"tool_result","tool_use_id":"y","content":[{"type":"text","text":"Y"}]},{"type":"text","text":"by the way"}]}]`},
		{"thinking with its signature, unsigned dropped", []*message.Message{
			wiretest.User(wiretest.Text("go")), wiretest.Assistant(message.Thinking{Thinking: "hm", Signature: "EqQB"}, message.Thinking{Thinking: "no"},
				message.Thinking{Signature: "data", Redacted: true}, wiretest.Text("ok")), wiretest.User(wiretest.Text("on"))}, nil,
			`[{"role":"user","content":[{"type":"text","text":"go"}]},` +
				`{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"EqQB"},{"type":"redacted_thinking","data":"data"},{"type":"text","text":"ok"}]},` +
				`{"role":"user","content":[{"type":"text","text":"on"}]}]`},
		{"a message of nothing but thinking is dropped", []*message.Message{
			wiretest.User(wiretest.Text("go")), wiretest.Assistant(message.Thinking{Thinking: "hm", Signature: "EqQB"}), wiretest.User(wiretest.Text("on"))}, nil,
			`[{"role":"user","content":[{"type":"text","text":"go"},{"type":"text","text":"on"}]}]`},
		{"arguments that are not an object", []*message.Message{wiretest.User(wiretest.Text("go")), wiretest.Assistant(wiretest.Call("x", `[1]`)), wiretest.Result("x", wiretest.Text("r"))}, nil,
			`[{"role":"user","content":[{"type":"text","text":"go"}]},` +
				`{"role":"assistant","content":[{"type":"tool_use","id":"x","name":"read","input":{"input":[1]}}]},` +
				`{"role":"user","content":[{"type":"tool_result","tool_use_id":"x","content":[{"type":"text","text":"r"}]}]}]`},
		{"an image in a result", []*message.Message{wiretest.User(wiretest.Text("go")), wiretest.Assistant(wiretest.Call("x", `{}`)), wiretest.Result("x", message.Image{Data: "iVBORw0KGgo=", MIMEType: "image/png"})}, nil,
			`[{"role":"user","content":[{"type":"text","text":"go"}]},` +
				`{"role":"assistant","content":[{"type":"tool_use","id":"x","name":"read","input":{}}]},` +
				`{"role":"user","content":[{"type":"tool_result","tool_use_id":"x","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}}]}]}]`},
		{"an assistant at the start", []*message.Message{wiretest.Assistant(wiretest.Text("hi")), wiretest.User(wiretest.Text("go"))}, nil,
			`[{"role":"user","content":[{"type":"text","text":"(the conversation begins here)"}]},` +
				`{"role":"assistant","content":[{"type":"text","text":"hi"}]},{"role":"user","content":[{"type":"text","text":"go"}]}]`},
		{"a repeated id", []*message.Message{wiretest.User(wiretest.Text("go")),
			wiretest.Assistant(wiretest.Call("x", `{}`)), wiretest.Result("x", wiretest.Text("1")), wiretest.Assistant(wiretest.Call("x", `{}`)), wiretest.Result("x", wiretest.Text("2"))}, nil,
			`[{"role":"user","content":[{"type":"text","text":"go"}]},` +
				`{"role":"assistant","content":[{"type":"tool_use","id":"x","name":"read","input":{}}]},` +
				`{"role":"user","content":[{"type":"tool_result","tool_use_id":"x","content":[{"type":"text","text":"1"}]}]},` +
				`{"role":"assistant","content":[{"type":"tool_use","id":"x_2_2e896bde","name":"read","input":{}}]},` +
				`{"role":"user","content":[{"type":"tool_result","tool_use_id":"x_2_2e896bde","content":[{"type":"text","text":"2"}]}]}]`},
		{"marks: one on a batch of results, none on thinking", []*message.Message{
			wiretest.User(wiretest.Text("go")), wiretest.Assistant(wiretest.Call("x", `{}`), wiretest.Call("y", `{}`)), wiretest.Result("x", wiretest.Text("1")), wiretest.Result("y", wiretest.Text("2")), wiretest.User(wiretest.Text("on"))}, []int{0, 3},
			`[{"role":"user","content":[{"type":"text","text":"go","cache_control":{"type":"ephemeral"}}]},` +
				`{"role":"assistant","content":[{"type":"tool_use","id":"x","name":"read","input":{}},{"type":"tool_use","id":"y","name":"read","input":{}}]},` +
				`{"role":"user","content":[{"type":"tool_result","tool_use_id":"x","content":[{"type":"text","text":"1"}]},` +
				`{"type":"tool_result","tool_use_id":"y","content":[{"type":"text","text":"2"}],"cache_control":{"type":"ephemeral"}},{"type":"text","text":"on"}]}]`},
		{"server blocks go in pairs, documents as they are, the unknown as a stub", []*message.Message{
			wiretest.User(wiretest.Text("go"), opaque(`{"type":"document","source":{"type":"text"}}`), opaque(`{"type":"hologram"}`)),
			wiretest.Assistant(opaque(`{"type":"server_tool_use","id":"s1","name":"web_search","input":{}}`), opaque(`{"type":"web_search_tool_result","tool_use_id":"s1","content":[]}`),
				opaque(`{"type":"server_tool_use","id":"s2"}`), wiretest.Text("found")), wiretest.User(wiretest.Text("on"))}, nil,
			`[{"role":"user","content":[{"type":"text","text":"go"},{"type":"document","source":{"type":"text"}},{"type":"text","text":"(content of type hologram left out)"}]},` +
				`{"role":"assistant","content":[{"type":"server_tool_use","id":"s1","name":"web_search","input":{}},{"type":"web_search_tool_result","tool_use_id":"s1","content":[]},{"type":"text","text":"found"}]},` +
				`{"role":"user","content":[{"type":"text","text":"on"}]}]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			body, err := Dialect.Render(timeline.Request{Messages: tt.messages, CachePoints: tt.marks}, message.Model{}, message.CallOptions{})
			if err != nil {
				t.Fatal(err)
			}
			wiretest.Check(t, Dialect, body, message.Model{})
			if want := `{"messages":` + tt.want + `}`; string(body) != want {
				t.Errorf("got  %s\nwant %s", body, want)
			}
		})
	}
}

func opaque(raw string) message.Block {
	return message.Opaque{Type: str([]byte(raw), "type"), Raw: []byte(raw)}
}

func TestRenderWhole(t *testing.T) {
	req := timeline.Request{System: "Be brief.", Messages: []*message.Message{wiretest.User(wiretest.Text("hi"))},
		Tools: []message.Tool{{Name: "read", Description: "reads", Parameters: []byte(`{"type":"object"}`)}, {Name: "ls"}, {Name: "ls", Description: "again"}}}
	temperature := 0.2
	got, err := Dialect.Render(req, message.Model{ID: "claude", Reasoning: true, MaxOutput: 64000},
		message.CallOptions{Thinking: "low", Temperature: &temperature})
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"model":"claude","max_tokens":64000,"stream":true,"thinking":{"type":"enabled","budget_tokens":4096},` +
		`"system":[{"type":"text","text":"Be brief.","cache_control":{"type":"ephemeral"}}],` +
		`"tools":[{"name":"read","description":"reads","input_schema":{"type":"object"}},{"name":"ls","input_schema":{"type":"object","properties":{}}}],` +
		`"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}]}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestRenderOptions(t *testing.T) {
	temperature := 0.2
	signed := message.Thinking{Thinking: "hm", Signature: "EqQB"}
	open := []*message.Message{wiretest.User(wiretest.Text("go")), wiretest.Assistant(wiretest.Call("x", `{}`)), wiretest.Result("x", wiretest.Text("r"))}
	signedOpen := []*message.Message{wiretest.User(wiretest.Text("go")), wiretest.Assistant(signed, wiretest.Call("x", `{}`)), wiretest.Result("x", wiretest.Text("r"))}
	done := []*message.Message{wiretest.User(wiretest.Text("go"))}
	tests := []struct {
		name        string
		messages    []*message.Message
		model       message.Model
		opts        message.CallOptions
		limit       string
		budget      string
		temperature string
	}{
		{"nothing known", done, message.Model{}, message.CallOptions{}, "8192", "", ""},
		{"the model's limit holds", done, message.Model{MaxOutput: 1000}, message.CallOptions{MaxOutput: 5000, Temperature: &temperature}, "1000", "", "0.2"},
		{"half is left for the answer", done, message.Model{Reasoning: true}, message.CallOptions{MaxOutput: 8000, Thinking: "high"}, "8000", "1024", ""},
		{"too little for thinking", done, message.Model{Reasoning: true}, message.CallOptions{MaxOutput: 2000, Thinking: "high", Temperature: &temperature}, "2000", "", "0.2"},
		{"a model that does not think", done, message.Model{}, message.CallOptions{MaxOutput: 64000, Thinking: "high"}, "64000", "", ""},
		{"open round without its thinking", open, message.Model{Reasoning: true}, message.CallOptions{MaxOutput: 64000, Thinking: "high"}, "64000", "", ""},
		{"open round with its thinking", signedOpen, message.Model{Reasoning: true}, message.CallOptions{MaxOutput: 64000, Thinking: "high"}, "64000", "20480", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.model.ID = "claude"
			body, err := Dialect.Render(timeline.Request{Messages: tt.messages}, tt.model, tt.opts)
			if err != nil {
				t.Fatal(err)
			}
			wiretest.Check(t, Dialect, body, tt.model)
			got := []string{string(rawjson.Get(body, "max_tokens")),
				string(rawjson.Get(rawjson.Get(body, "thinking"), "budget_tokens")), string(rawjson.Get(body, "temperature"))}
			if want := []string{tt.limit, tt.budget, tt.temperature}; strings.Join(got, ",") != strings.Join(want, ",") {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

// Models with adaptive thinking get an effort, also in an open round without its
// thinking; older ones get a budget.
func TestRenderAdaptiveThinking(t *testing.T) {
	open := []*message.Message{wiretest.User(wiretest.Text("go")), wiretest.Assistant(wiretest.Call("x", `{}`)), wiretest.Result("x", wiretest.Text("r"))}
	m := message.Model{ID: "claude", Reasoning: true, AdaptiveThinking: true}
	temperature := 0.2
	for level, want := range map[string]string{"off": "", "minimal": "low", "low": "low", "medium": "medium", "high": "high", "xhigh": "max"} {
		body, err := Dialect.Render(timeline.Request{Messages: open}, m, message.CallOptions{Thinking: level, Temperature: &temperature})
		if err != nil {
			t.Fatal(err)
		}
		wiretest.Check(t, Dialect, body, m)
		thinking := string(rawjson.Get(body, "thinking"))
		if got := str(rawjson.Get(body, "output_config"), "effort"); got != want || (want != "") != (thinking == `{"type":"adaptive"}`) ||
			(want != "") == (rawjson.Get(body, "temperature") != nil) {
			t.Errorf("%s: %s", level, body)
		}
	}
}

// All marks of a request have the same lifetime.
func TestRenderCacheLifetime(t *testing.T) {
	req := timeline.Request{System: "s", CachePoints: []int{0}, Messages: []*message.Message{wiretest.User(wiretest.Text("go"))}}
	for lifetime, want := range map[time.Duration]string{0: `{"type":"ephemeral"}`, 5 * time.Minute: `{"type":"ephemeral"}`, time.Hour: `{"type":"ephemeral","ttl":"1h"}`} {
		body, err := Dialect.Render(req, message.Model{}, message.CallOptions{CacheLifetime: lifetime})
		if err != nil {
			t.Fatal(err)
		}
		wiretest.Check(t, Dialect, body, message.Model{})
		if n := strings.Count(string(body), `"cache_control":`+want); n != 2 {
			t.Errorf("%v: %s", lifetime, body)
		}
	}
}

// The system prompt has one mark, so of many cache points the last three count.
func TestRenderAtMostFourMarks(t *testing.T) {
	req := timeline.Request{System: "s", CachePoints: []int{0, 1, 2, 3, 4}}
	for range 3 {
		req.Messages = append(req.Messages, wiretest.User(wiretest.Text("a")), wiretest.Assistant(wiretest.Text("b")))
	}
	req.Messages = append(req.Messages, wiretest.User(wiretest.Text("c")))
	body, err := Dialect.Render(req, message.Model{}, message.CallOptions{})
	if err != nil {
		t.Fatal(err)
	}
	wiretest.Check(t, Dialect, body, message.Model{})
	if n := strings.Count(string(body), "cache_control"); n != 4 {
		t.Errorf("%d marks in %s", n, body)
	}
}

func TestRenderBedrockDefinesCalledTools(t *testing.T) {
	m := message.Model{Provider: "amazon-bedrock", ID: "claude"}
	body, err := Dialect.Render(timeline.Request{Messages: []*message.Message{wiretest.User(wiretest.Text("go")), wiretest.Assistant(wiretest.Call("x", `{}`)), wiretest.Result("x", wiretest.Text("r"))}}, m, message.CallOptions{NoTools: true})
	if err != nil {
		t.Fatal(err)
	}
	wiretest.Check(t, Dialect, body, m)
	if got := string(rawjson.Get(body, "tools")); got != `[{"name":"read","input_schema":{"type":"object","properties":{}}}]` {
		t.Errorf("got tools %s", got)
	}
}

func TestRenderImagesByModel(t *testing.T) {
	img := message.Image{Data: "iVBORw0KGgo=", MIMEType: "image/png"}
	for _, tt := range []struct {
		model message.Model
		image message.Image
		sent  bool
	}{
		{message.Model{}, img, true},
		{message.Model{ID: "m", Images: true}, img, true},
		{message.Model{ID: "m"}, img, false},
		{message.Model{}, message.Image{Data: "iVBORw0KGgo=", MIMEType: "image/tiff"}, true}, // no image that it takes
		{message.Model{}, message.Image{Data: "SUkqAA==", MIMEType: "image/png"}, false},
		{message.Model{}, message.Image{Data: "aGVsbG8=", MIMEType: "image/png"}, false},
		{message.Model{}, message.Image{MIMEType: "image/png"}, false},
	} {
		body, err := Dialect.Render(timeline.Request{Messages: []*message.Message{wiretest.User(tt.image)}}, tt.model, message.CallOptions{})
		if err != nil {
			t.Fatal(err)
		}
		wiretest.Check(t, Dialect, body, tt.model)
		if got := strings.Contains(string(body), `"type":"image"`); got != tt.sent {
			t.Errorf("%+v: image sent is %v", tt, got)
		}
	}
}

// Models of other vendors do not sign their thinking and still want it back.
func TestRenderUnsignedThinking(t *testing.T) {
	req := timeline.Request{Messages: []*message.Message{wiretest.User(wiretest.Text("go")),
		wiretest.Assistant(message.Thinking{Thinking: "hm"}, wiretest.Text("ok")), wiretest.User(wiretest.Text("on"))}}
	for model, want := range map[string]bool{"deepseek-v4-pro": true, "MiniMax-M3": true, "mimo-v2.5": true, "qwen3:30b": true, "glm-5.2": true,
		"claude-opus-4-5": false, "us.anthropic.claude-sonnet-5-v1:0": false, "Sonnet-latest": false, "": false} {
		m := message.Model{ID: model}
		body, err := Dialect.Render(req, m, message.CallOptions{})
		if err != nil {
			t.Fatal(err)
		}
		wiretest.Check(t, Dialect, body, m)
		if got := strings.Contains(string(body), `{"type":"thinking","thinking":"hm"}`); got != want {
			t.Errorf("%q: thinking sent: %v, want %v", model, got, want)
		}
	}
}

// A server that asks for thinking back gets what was kept. If a call lacks it, the
// model is asked not to think, which such servers accept.
func TestRenderThinkingThatIsAskedFor(t *testing.T) {
	with := []message.Block{message.Thinking{Thinking: "hm"}, wiretest.Call("a", `{}`)}
	without := []message.Block{wiretest.Call("a", `{}`)}
	for _, tt := range []struct {
		name     string
		said     []message.Block
		restore  bool
		thinking string // the parameter; "": none
		sent     bool
	}{
		{"kept", with, false, "", true},
		{"kept and asked for", with, true, "", true},
		{"not kept", without, false, "", false},
		{"not kept and asked for", without, true, `{"type":"disabled"}`, false},
		{"a plain answer without it", []message.Block{wiretest.Text("ok")}, true, "", false},
	} {
		m := message.Model{ID: "deepseek-v4-pro"}
		messages := []*message.Message{wiretest.User(wiretest.Text("go")), wiretest.Assistant(tt.said...), wiretest.User(wiretest.Text("on"))}
		if len(messages[1].ToolCalls()) > 0 {
			messages = slices.Insert(messages, 2, wiretest.Result("a"))
		}
		body, err := Dialect.Render(timeline.Request{Messages: messages}, m, message.CallOptions{RestoreThinking: tt.restore})
		if err != nil {
			t.Fatal(err)
		}
		wiretest.Check(t, Dialect, body, m)
		if got := string(rawjson.Get(body, "thinking")); got != tt.thinking {
			t.Errorf("%s: thinking %s, want %s", tt.name, got, tt.thinking)
		}
		if got := strings.Contains(string(body), `{"type":"thinking","thinking":"hm"}`); got != tt.sent {
			t.Errorf("%s: sent %v", tt.name, got)
		}
	}
}
