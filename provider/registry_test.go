package provider_test

import (
	"context"
	"iter"
	"net/http"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/internal/kinds"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/provider"
	"github.com/coppice-dev/coppice/timeline"
)

func TestRegistry(t *testing.T) {
	env := func(vars map[string]string) func(string) string {
		return func(name string) string { return vars[name] }
	}
	own := provider.Config{Providers: map[string]provider.ProviderConfig{
		"local": {Type: "openai", BaseURL: "http://box:1/v1", Models: []provider.ModelConfig{{ID: "foo/bar", ContextWindow: 32_768}}},
		"gate":  {Type: "gemini", BaseURL: "http://gate", APIKeyEnv: "GATE_KEY"},
		"odd":   {Type: "smoke-signals", BaseURL: "http://x"},
	}}
	for _, c := range []struct {
		cfg       provider.Config
		vars      map[string]string
		name      string
		api, fail string
	}{
		{provider.Config{}, map[string]string{"ANTHROPIC_API_KEY": "k"}, "anthropic/claude-opus-4-5", "anthropic", ""},
		{provider.Config{}, map[string]string{"OPENAI_API_KEY": "k"}, "openai/gpt-5.1", "openai-responses", ""},
		{provider.Config{}, map[string]string{"GOOGLE_API_KEY": "k"}, "gemini/gemini-2.5-pro", "gemini", ""},
		{provider.Config{}, map[string]string{"GEMINI_API_KEY": "k"}, "google/gemini-2.5-pro", "gemini", ""},
		{provider.Config{}, map[string]string{"OPENROUTER_API_KEY": "k"}, "openrouter/z-ai/glm-5", "openai-chat", ""},
		{provider.Config{}, map[string]string{"DEEPSEEK_API_KEY": "k"}, "deepseek/deepseek-v4-flash", "openai-chat", ""},
		{provider.Config{}, nil, "ollama/qwen3", "openai-chat", ""},
		{provider.Config{}, nil, "anthropic/claude-opus-4-5", "", "set ANTHROPIC_API_KEY or providers.anthropic.apiKey"},
		{provider.Config{}, nil, "gemini/x", "", "set GEMINI_API_KEY or GOOGLE_API_KEY or providers.gemini.apiKey"},
		{provider.Config{}, nil, "claude", "", "has the form provider/id"},
		{provider.Config{}, map[string]string{"AZURE_OPENAI_API_KEY": "k"}, "azure/gpt-5", "", "set providers.azure.baseUrl"},
		{own, nil, "local/foo/bar", "openai-chat", ""},
		{own, map[string]string{"GATE_KEY": "k"}, "gate/x", "gemini", ""},
		{own, nil, "gate/x", "", "set GATE_KEY"},
		{own, nil, "odd/x", "", `unknown type "smoke-signals"`},
	} {
		b, err := provider.NewRegistry(c.cfg, env(c.vars)).Bind(c.name)
		switch {
		case c.fail != "" && (err == nil || !strings.Contains(err.Error(), c.fail)):
			t.Errorf("%s: got %v, want %q", c.name, err, c.fail)
		case c.fail == "" && (err != nil || b.Facts().API != c.api || b.Facts().Key() != c.name):
			t.Errorf("%s: got %+v, %v", c.name, b, err)
		}
		if err != nil && strings.HasPrefix(c.fail, "set ") && !strings.Contains(c.fail, "baseUrl") {
			if f, ok := message.AsFault(err); !ok || f.Class != message.ClassAuth {
				t.Errorf("%s: %v is not an auth fault", c.name, err)
			}
		}
	}
}

func TestRegistryDefault(t *testing.T) {
	local := provider.Config{Providers: map[string]provider.ProviderConfig{
		"anthropic": {}, // settings without a key
		"local":     {Type: "openai", BaseURL: "http://box:1/v1", Models: []provider.ModelConfig{{ID: "foo"}}},
	}}
	for _, c := range []struct {
		cfg    provider.Config
		vars   map[string]string
		prefix string
		chosen bool
	}{
		{provider.Config{}, nil, "", false},
		{provider.Config{}, map[string]string{"OPENROUTER_API_KEY": "k", "OPENAI_API_KEY": "k"}, "openai/", false},
		{provider.Config{}, map[string]string{"GROQ_API_KEY": "k"}, "groq/", false},
		{local, map[string]string{"OPENAI_API_KEY": "k"}, "local/foo", true},
		{local, map[string]string{"ANTHROPIC_API_KEY": "k"}, "anthropic/claude", true},
	} {
		name, ok := provider.NewRegistry(c.cfg, func(n string) string { return c.vars[n] }).Default()
		if ok != c.chosen || !strings.HasPrefix(name, c.prefix) || c.prefix == "" && name != "" {
			t.Errorf("%v: got %q, %v", c.vars, name, ok)
		}
	}
}

// The interface that the summarizer needs.
var _ interface {
	Facts() message.Model
	Complete(ctx context.Context, req timeline.Request, opts message.CallOptions) (*message.Message, error)
	Stream(ctx context.Context, req timeline.Request, opts message.CallOptions) iter.Seq2[message.Event, error]
} = (*provider.Bound)(nil)

// A bound model remembers the window that a refusal named.
func TestBoundLearns(t *testing.T) {
	r := provider.NewRegistry(provider.Config{Providers: map[string]provider.ProviderConfig{
		"local": {Type: "openai", BaseURL: "http://box:1/v1", Models: []provider.ModelConfig{{ID: "foo", ContextWindow: 65_536}}},
	}}, nil)
	serve, _ := script(reply(400, "Input length (50000) exceeds model's maximum context length (32768)."))
	r.HTTP = &http.Client{Transport: serve}
	b, err := r.Bind("local/foo")
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range b.Stream(t.Context(), request, message.CallOptions{}) {
		if err == nil {
			t.Error("no error")
		}
	}
	if m := b.Facts(); m.Window != 32_768 || m.WindowSource != kinds.WindowLearned {
		t.Errorf("got %+v", m)
	}
	if got := r.Catalog.Limits.Of(b.Model); len(got) != 1 || got[0].Number != 32_768 || got[0].Text == "" {
		t.Errorf("kept %+v", got)
	}
}
