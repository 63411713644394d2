package provider

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coppice-dev/coppice/internal/kinds"
	"github.com/coppice-dev/coppice/message"
)

// answering is a server with fixed answers by method and path, which records what
// it was asked.
func answering(t *testing.T, answers map[string]string) (*httptest.Server, *[]string) {
	t.Helper()
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		at := r.Method + " " + r.URL.RequestURI()
		asked = append(asked, at)
		if answer, ok := answers[at]; ok {
			_, _ = io.WriteString(w, answer)
			return
		}
		w.WriteHeader(http.StatusNotFound)
	}))
	t.Cleanup(server.Close)
	return server, &asked
}

// What servers say about their windows, each in its own way, and numbers that
// must not be mistaken for a window.
func TestAskWindow(t *testing.T) {
	const models = "GET /v1/models"
	tests := []struct {
		name, provider, id string
		answers            map[string]string
		window             int64 // 0: unknown
		input, output      int64
	}{
		{"vLLM", "local", "m", map[string]string{models: `{"object":"list","data":[{"id":"other","max_model_len":1},{"id":"m","owned_by":"vllm","max_model_len":32768}]}`}, 32768, 0, 0},
		{"vLLM, an adapter", "local", "m", map[string]string{models: `{"data":[{"id":"base","max_model_len":8192},{"id":"m","parent":"base"}]}`}, 8192, 0, 0},
		{"vLLM, an adapter of itself", "local", "m", map[string]string{models: `{"data":[{"id":"m","parent":"m"}]}`}, 0, 0, 0},
		{"LM Studio, old, in its list", "local", "m", map[string]string{models: `{"data":[{"id":"m","max_context_length":131072,"loaded_context_length":8192}]}`}, 8192, 0, 0},
		{"LM Studio, old", "lmstudio", "m", map[string]string{"GET /api/v0/models": `{"data":[{"id":"m","max_context_length":131072,"loaded_context_length":8192}]}`}, 8192, 0, 0},
		{"LM Studio, not loaded", "lmstudio", "m", map[string]string{"GET /api/v0/models": `{"data":[{"id":"m","max_context_length":131072}]}`}, 0, 0, 0},
		{"LM Studio", "lmstudio", "m", map[string]string{"GET /api/v1/models": `{"models":[{"key":"m","max_context_length":131072,"loaded_instances":[{"id":"m:2","config":{"context_length":4096}}]}]}`}, 4096, 0, 0},
		{"LM Studio under another name", "local", "m", map[string]string{models: `{"data":[{"id":"m"}]}`,
			"GET /api/v1/models": `{"models":[{"key":"x","loaded_instances":[{"id":"m","config":{"context_length":4096}}]}]}`}, 4096, 0, 0},
		{"OpenRouter's like", "local", "m", map[string]string{models: `{"data":[{"id":"m","context_length":200000}]}`}, 200000, 0, 0},
		{"Groq's like", "local", "m", map[string]string{models: `{"data":[{"id":"m","context_window":131072,"max_completion_tokens":16384}]}`}, 131072, 0, 16384},
		{"llama.cpp, in its list", "local", "m", map[string]string{models: `{"data":[{"id":"m","meta":{"n_ctx":4096,"n_ctx_train":131072}}]}`}, 4096, 0, 0},
		{"llama.cpp, of a slot", "local", "m", map[string]string{models: `{"data":[{"id":"m","owned_by":"llamacpp","meta":{"n_ctx_train":131072}}]}`,
			"GET /props": `{"default_generation_settings":{"n_ctx":16384},"total_slots":2}`}, 16384, 0, 0},
		{"llama.cpp, what it was trained with", "local", "m", map[string]string{models: `{"data":[{"id":"m","owned_by":"llamacpp","meta":{"n_ctx_train":131072}}]}`}, 0, 0, 0},
		{"llama.cpp's router", "llama.cpp", "m", map[string]string{"GET /props": `{}`, "GET /props?autoload=false&model=m": `{"default_generation_settings":{"n_ctx":12288}}`}, 12288, 0, 0},
		{"Ollama, loaded", "ollama", "qwen3", map[string]string{"GET /api/ps": `{"models":[{"name":"other","context_length":1},{"name":"qwen3:latest","context_length":8192}]}`,
			"POST /api/show": `{"parameters":"num_ctx 32768","model_info":{"qwen3.context_length":262144}}`}, 8192, 0, 0},
		{"Ollama, its Modelfile", "ollama", "qwen3", map[string]string{"GET /api/ps": `{"models":[]}`,
			"POST /api/show": `{"parameters":"temperature 0.6\nnum_ctx                        32768\nstop x","model_info":{"qwen3.context_length":262144}}`}, 32768, 0, 0},
		{"Ollama, loaded by an older version", "ollama", "qwen3", map[string]string{"GET /api/ps": `{"models":[{"name":"qwen3:latest"}]}`, "POST /api/show": `{"parameters":"num_ctx 16384"}`}, 16384, 0, 0},
		{"Ollama, what it was trained with", "ollama", "qwen3", map[string]string{"POST /api/show": `{"model_info":{"qwen3.context_length":262144}}`}, 0, 0, 0},
		{"Ollama under another name", "local", "m:1b", map[string]string{models: `{"data":[{"id":"m:1b","owned_by":"library"}]}`, "GET /api/ps": `{"models":[{"model":"m:1b","context_length":8192}]}`}, 8192, 0, 0},
		{"SGLang, less than its model has", "local", "m", map[string]string{models: `{"data":[{"id":"m","owned_by":"sglang","max_model_len":131072}]}`,
			"GET /get_server_info": `{"max_req_input_len":98298,"context_length":131072,"max_total_num_tokens":414382}`}, 131072, 98298, 0},
		{"SGLang, without its model's", "local", "m", map[string]string{"GET /server_info": `{"max_req_input_len":98298,"context_length":null}`}, 98298, 98298, 0},
		{"TGI", "local", "m", map[string]string{"GET /info": `{"model_id":"x","max_input_length":3072,"max_total_tokens":4096}`}, 4096, 3072, 0},
		{"TGI, newer", "local", "m", map[string]string{"GET /info": `{"max_input_tokens":3072,"max_total_tokens":4096}`}, 4096, 3072, 0},
		{"Anthropic's like", "local", "m", map[string]string{"GET /v1/models/m": `{"id":"m","max_input_tokens":200000,"max_tokens":64000}`}, 200000, 0, 64000},
		{"a catalogue, not a server", "local", "m", map[string]string{models: `{"data":[{"id":"m"}]}`, "GET /model/info": `{"data":[{"model_name":"m","model_info":{"max_input_tokens":1000000}}]}`}, 0, 0, 0},
		{"says nothing", "local", "m", map[string]string{models: `{"data":[{"id":"m"}]}`}, 0, 0, 0},
		{"another model", "local", "m", map[string]string{models: `{"data":[{"id":"x","max_model_len":32768}]}`}, 0, 0, 0},
		{"nonsense", "local", "m", map[string]string{models: `<html>`, "GET /props": `[]`}, 0, 0, 0},
		{"a number too small", "local", "m", map[string]string{models: `{"data":[{"id":"m","max_model_len":12}]}`}, 0, 0, 0},
		{"not a number", "local", "m", map[string]string{models: `{"data":[{"id":"m","max_model_len":"many"}]}`}, 0, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			server, _ := answering(t, tt.answers)
			cfg := ProviderConfig{Type: typeOpenAI, BaseURL: server.URL + "/v1"}
			b, err := NewRegistry(Config{Providers: map[string]ProviderConfig{tt.provider: cfg}}, nil).Bind(tt.provider + "/" + tt.id)
			if err != nil {
				t.Fatal(err)
			}
			b.AskWindow(t.Context())
			want := message.Model{Window: tt.window, WindowSource: kinds.WindowServer, MaxInput: tt.input, MaxOutput: tt.output}
			if tt.window == 0 {
				want.Window, want.WindowSource = defaultWindow, WindowDefault
			}
			f := b.Facts()
			if f.Window != want.Window || f.WindowSource != want.WindowSource || f.MaxInput != want.MaxInput || f.MaxOutput != want.MaxOutput {
				t.Errorf("%d from %s, input %d, output %d; want %+v", f.Window, f.WindowSource, f.MaxInput, f.MaxOutput, want)
			}
		})
	}
}

// Vendors' servers, at their own paths. The client's transport redirects the
// hosts to the test's server.
func TestAskVendors(t *testing.T) {
	tests := []struct {
		name, base, id string
		kind           Type
		answers        map[string]string
		want           claims
	}{
		{"Anthropic", "https://api.anthropic.com", "claude-x", typeAnthropic, map[string]string{"GET /v1/models/claude-x": `{"max_input_tokens":1000000,"max_tokens":128000}`}, claims{window: 1_000_000, output: 128_000}},
		{"Anthropic, null", "https://api.anthropic.com", "claude-x", typeAnthropic, map[string]string{"GET /v1/models/claude-x": `{"max_input_tokens":null,"max_tokens":null}`}, claims{}},
		{"Gemini", "https://generativelanguage.googleapis.com/v1beta", "gemini-x", typeGemini, map[string]string{"GET /v1beta/models/gemini-x": `{"inputTokenLimit":1048576,"outputTokenLimit":65536}`}, claims{window: 1_048_576, output: 65_536}},
		{"Mistral", "https://api.mistral.ai/v1", "m", typeOpenAI, map[string]string{"GET /v1/models": `{"data":[{"id":"m","max_context_length":131072}]}`}, claims{window: 131_072}},
		{"Mistral, a filler", "https://api.mistral.ai/v1", "m", typeOpenAI, map[string]string{"GET /v1/models": `{"data":[{"id":"m","max_context_length":32768}]}`}, claims{}},
		{"Groq", "https://api.groq.com/openai/v1", "m", typeOpenAI, map[string]string{"GET /openai/v1/models": `{"data":[{"id":"m","context_window":131072,"max_completion_tokens":8192}]}`}, claims{window: 131_072, output: 8192}},
		{"OpenRouter, the smallest", "https://openrouter.ai/api/v1", "a/m:nitro", typeOpenAI, map[string]string{"GET /api/v1/models/a/m/endpoints": `{"data":{"endpoints":[{"context_length":262144,"max_prompt_tokens":null,"max_completion_tokens":65536},{"context_length":131072,"max_prompt_tokens":120000,"max_completion_tokens":null}]}}`},
			claims{window: 131_072, input: 120_000, output: 65_536}},
		{"OpenRouter, a free model", "https://openrouter.ai/api/v1", "a/m:free", typeOpenAI, map[string]string{"GET /api/v1/models/a/m:free/endpoints": `{"data":{"endpoints":[{"context_length":32000}]}}`}, claims{window: 32_000}},
		{"Copilot", "https://api.githubcopilot.com", "gpt-x", typeOpenAI, map[string]string{"GET /models": `{"data":[{"id":"gpt-x","capabilities":{"limits":{"max_context_window_tokens":1050000,"max_prompt_tokens":922000,"max_output_tokens":128000}}}]}`},
			claims{window: 1_050_000, input: 922_000, output: 128_000}},
		{"OpenAI says nothing", "https://api.openai.com/v1", "gpt-x", typeOpenAI, map[string]string{"GET /v1/models": `{"data":[{"id":"gpt-x","context_length":7777}]}`}, claims{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			server, _ := answering(t, tt.answers)
			r := NewRegistry(Config{Providers: map[string]ProviderConfig{"p": {Type: tt.kind, BaseURL: tt.base, APIKey: "k"}}}, nil)
			r.HTTP = &http.Client{Transport: detour{strings.TrimPrefix(server.URL, "http://")}}
			b, err := r.Bind("p/" + tt.id)
			if err != nil {
				t.Fatal(err)
			}
			b.AskWindow(t.Context())
			got := b.Catalog.Limits.reported(b.Model)
			got.from = ""
			if got != tt.want {
				t.Errorf("%+v, want %+v", got, tt.want)
			}
		})
	}
}

// detour sends every request to one host.
type detour struct{ host string }

func (d detour) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL.Scheme, r.URL.Host = "http", d.host
	return http.DefaultTransport.RoundTrip(r)
}

// An answer is kept for a while, also in later runs; a server that does not
// answer is asked again. Another server of the same name has its own number.
func TestAskedWindowsHold(t *testing.T) {
	now := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	path := filepath.Join(t.TempDir(), "limits.json")
	limits := func() *Limits {
		l, err := OpenLimits(path)
		if err != nil {
			t.Fatal(err)
		}
		l.Now = func() time.Time { return now }
		return l
	}
	bind := func(l *Limits, url string, setting int64) *Bound {
		cfg := Config{Providers: map[string]ProviderConfig{"local": {Type: typeOpenAI, BaseURL: url + "/v1"}}}
		if setting > 0 {
			p := cfg.Providers["local"]
			p.Models = []ModelConfig{{ID: "m", ContextWindow: setting}}
			cfg.Providers["local"] = p
		}
		r := NewRegistry(cfg, nil)
		r.Catalog = NewCatalog(cfg, l)
		b, err := r.Bind("local/m")
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	answers := map[string]string{"GET /v1/models": `{"data":[{"id":"m","max_model_len":32768}]}`}
	server, asked := answering(t, answers)
	other, _ := answering(t, map[string]string{"GET /v1/models": `{"data":[{"id":"m","max_model_len":8192}]}`})

	l := limits()
	bind(l, server.URL, 0).AskWindow(t.Context())
	bind(l, server.URL, 0).AskWindow(t.Context())
	if err := l.Save(); err != nil || len(*asked) != 1 {
		t.Fatalf("asked %d times, %v", len(*asked), err)
	}
	l = limits()
	now = now.Add(ownHolds - time.Second)
	b := bind(l, server.URL, 0)
	if b.AskWindow(t.Context()); len(*asked) != 1 || b.Facts().Window != 32_768 {
		t.Errorf("asked %d times, window %d", len(*asked), b.Facts().Window)
	}
	b = bind(l, other.URL, 0)
	if b.AskWindow(t.Context()); b.Facts().Window != 8192 {
		t.Errorf("the other server's window is %d", b.Facts().Window)
	}
	now = now.Add(2 * time.Second)
	answers["GET /v1/models"] = `{"data":[{"id":"m","max_model_len":16384}]}`
	b = bind(l, server.URL, 64_000)
	if below := b.AskWindow(t.Context()); below != 16_384 || b.Facts().Window != 64_000 || b.Facts().WindowSource != WindowSetting {
		t.Errorf("below %d, in force %d from %s", below, b.Facts().Window, b.Facts().WindowSource)
	}
	now = now.Add(2 * ownHolds)
	if below := bind(l, server.URL, 64_000).AskWindow(t.Context()); below != 0 {
		t.Errorf("told again: %d", below)
	}
	if n := len(*asked); n != 3 {
		t.Errorf("asked %d times", n)
	}
	for _, tt := range []struct{ setting, below int64 }{{48_000, 16_384}, {48_000, 0}, {16_384, 0}, {8000, 0}, {64_000, 16_384}} { // a setting that came later
		if below := bind(l, server.URL, tt.setting).AskWindow(t.Context()); below != tt.below || len(*asked) != 3 {
			t.Errorf("a setting of %d: told %d, want %d; asked %d times", tt.setting, below, tt.below, len(*asked))
		}
	}
	if !l.Forget("local/m") || len(l.Models()) > 0 {
		t.Errorf("not forgotten: %v", l.Models())
	}
}

// What was learned from one server does not apply to another of the same name.
func TestLearnedWindowsAreOfAServer(t *testing.T) {
	l := &Limits{}
	here := message.Model{Provider: "own", ID: "m", Server: "localhost:1", Window: 128_000, WindowSource: WindowDefault}
	there := here
	there.Server = "localhost:2"
	f := &message.Fault{Class: message.ClassOverflow, Status: 400, Message: "max 8192", Limit: message.Limit{Unit: kinds.UnitContext, Max: 8192, Used: 9000}}
	if !l.Learn(here, f) {
		t.Fatal("nothing learned")
	}
	for m, want := range map[*message.Model]int64{&here: 8192, &there: 128_000} {
		if got := l.InForce(*m).Window; got != want {
			t.Errorf("%s: %d, want %d", m.Server, got, want)
		}
	}
	if got := fmt.Sprint(l.Models()); got != "[own/m]" {
		t.Error(got)
	}
}
