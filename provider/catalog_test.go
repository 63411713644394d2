package provider

import (
	"slices"
	"testing"

	"github.com/coppice-dev/coppice/internal/kinds"
	"github.com/coppice-dev/coppice/message"
)

// Names as session files of several programs write them.
func TestLookupNames(t *testing.T) {
	c := NewCatalog(Config{}, nil)
	for _, r := range []struct {
		provider, id, api string
		window            int64
		source            string
		priced            bool
	}{
		{"anthropic", "claude-opus-4-5", "anthropic", 200000, kinds.WindowCatalogue, true},
		{"anthropic", "claude-opus-4-5-20251101", "anthropic", 200000, kinds.WindowCatalogue, true},
		{"anthropic", "claude-sonnet-4-5", "anthropic", 200000, kinds.WindowCatalogue, true},
		{"anthropic", "claude-opus-5", "anthropic", 1000000, kinds.WindowCatalogue, true},
		{"openai-codex", "gpt-5.6-sol", "openai-responses", 1050000, kinds.WindowCatalogue, true},
		{"openai", "gpt-5.1-codex", "openai-responses", 400000, kinds.WindowCatalogue, true},
		{"openai", "z-ai/glm-5", "openai-responses", 204800, kinds.WindowCatalogue, false},
		{"opencode-go", "deepseek-v4-flash", "openai-chat", 1000000, kinds.WindowCatalogue, true},
		{"google", "gemini-2.5-pro", "gemini", 1048576, kinds.WindowCatalogue, true},
		{"openrouter", "anthropic/claude-opus-4.5", "openai-chat", 200000, kinds.WindowCatalogue, true},
		{"amazon-bedrock", "us.anthropic.claude-opus-4-5-20251101-v1:0", "anthropic", 200000, kinds.WindowCatalogue, true},
		{"somewhere", "claude-opus-4-5@20251101", "openai-chat", 200000, kinds.WindowCatalogue, false},
		{"somewhere", "foo-27b", "openai-chat", 128000, WindowDefault, false},
		{"", "", "openai-chat", 128000, WindowDefault, false},
	} {
		m := c.Lookup(r.provider, r.id)
		if m.Provider != r.provider || m.ID != r.id {
			t.Errorf("%s/%s: renamed to %s", r.provider, r.id, m.Key())
		}
		if m.API != r.api || m.Window != r.window || m.WindowSource != r.source || (m.Price != nil) != r.priced {
			t.Errorf("%s: got %s %d %s, price %v; want %s %d %s", m.Key(), m.API, m.Window, m.WindowSource, m.Price, r.api, r.window, r.source)
		}
	}
}

// The catalogue's names of the cache prices mislead.
func TestLookupPrice(t *testing.T) {
	c := NewCatalog(Config{}, nil)
	for _, r := range []struct {
		provider, id string
		want         message.Price
	}{
		{"anthropic", "claude-opus-4-5", message.Price{Input: 5, Output: 25, CacheRead: 0.5, CacheWrite: 6.25}},
		{"openai", "gpt-5.6-sol", message.Price{Input: 5, Output: 30, CacheRead: 0.5, CacheWrite: 6.25}},
		{"xai", "grok-4.3", message.Price{Input: 1.25, Output: 2.5, CacheRead: 0.2, CacheWrite: 1.25}},
		{"deepseek", "deepseek-v4-flash", message.Price{Input: 0.14, Output: 0.28, CacheRead: 0.0028, CacheWrite: 0.14}},
	} {
		if m := c.Lookup(r.provider, r.id); m.Price == nil || *m.Price != r.want {
			t.Errorf("%s: got %+v, want %+v", m.Key(), m.Price, r.want)
		}
	}
}

func TestLookupFacts(t *testing.T) {
	m := NewCatalog(Config{}, nil).Lookup("anthropic", "claude-opus-4-5")
	if m.MaxOutput != 64000 || m.MaxBytes != 32_000_000 || !m.Images || !m.Reasoning || !m.UnboundThinking {
		t.Errorf("got %+v", m)
	}
	if m := NewCatalog(Config{}, nil).Lookup("anthropic", "claude-fable-5"); m.UnboundThinking {
		t.Errorf("%s binds its thinking", m.ID)
	}
}

// Part of a window may be for the output alone. What settings and servers say goes
// before the catalogue.
func TestInputLimit(t *testing.T) {
	asked := &Limits{}
	asked.addReported(message.Model{Provider: "copilot", ID: "gpt-5.5"}, claims{window: 400_000, input: 128_000, from: "models"})
	set := Config{Providers: map[string]ProviderConfig{"openai": {Models: []ModelConfig{{ID: "gpt-5.1", ContextWindow: 400_000}}}}}
	for _, tt := range []struct {
		cfg          Config
		limits       *Limits
		provider, id string
		want         int64
	}{
		{Config{}, nil, "openai", "gpt-5.1", 272_000},
		{Config{}, nil, "openai", "gpt-5-mini-2025-08-07", 272_000},
		{Config{}, nil, "azure", "gpt-5", 272_000},
		{Config{}, nil, "openai", "gpt-5.6-sol", 922_000},
		{Config{}, nil, "openai-codex", "gpt-5.6-sol", 272_000},
		{Config{}, asked, "copilot", "gpt-5.5", 128_000},
		{set, nil, "openai", "gpt-5.1", 400_000},
		{Config{}, nil, "openai", "gpt-4.1", 1_047_576},
		{Config{}, nil, "anthropic", "claude-opus-4-5", 200_000},
		{Config{}, learned("openai", "gpt-5.1", 200_000), "openai", "gpt-5.1", 200_000},
	} {
		if got := NewCatalog(tt.cfg, tt.limits).Lookup(tt.provider, tt.id).InputLimit(); got != tt.want {
			t.Errorf("%s/%s: %d, want %d", tt.provider, tt.id, got, tt.want)
		}
	}
}

// Models that decide themselves how long to think refuse a budget.
func TestAdaptiveThinking(t *testing.T) {
	for id, want := range map[string]bool{
		"claude-3-7-sonnet-20250219": false, "claude-opus-4-20250514": false, "claude-opus-4-1": false, "claude-opus-4-5-20251101": false,
		"claude-sonnet-4-5": false, "claude-haiku-4-5": false, "claude-opus-4-6": true, "anthropic/claude-sonnet-4.6": true, "claude-opus-4-8": true,
		"us.anthropic.claude-opus-4-7-v1:0": true, "claude-sonnet-5": true, "claude-fable-5": true, "gpt-5.2": false, "claude-": false,
	} {
		if got := NewCatalog(Config{}, nil).Lookup("anthropic", id).AdaptiveThinking; got != want {
			t.Errorf("%s: %v", id, got)
		}
	}
}

func TestLookupConfig(t *testing.T) {
	no := false
	cfg := Config{Providers: map[string]ProviderConfig{
		"anthropic": {BaseURL: "http://localhost:1", Models: []ModelConfig{{ID: "claude-opus-4-5", ContextWindow: 100_000, Images: &no, Price: &message.Price{Input: 1}}}},
		"local":     {Type: "openai", Models: []ModelConfig{{ID: "foo-27b", ContextWindow: 32_768, MaxOutputTokens: 4096}}},
		"typed":     {Type: "openai-responses"},
	}}
	c := NewCatalog(cfg, learned("local", "foo-27b", 40_000))
	m := c.Lookup("anthropic", "claude-opus-4-5")
	if m.Window != 100_000 || m.WindowSource != WindowSetting || m.Images || !m.Reasoning || m.Price.Input != 1 || m.MaxBytes != 0 || m.MaxOutput != 64000 {
		t.Errorf("got %+v", m)
	}
	m = c.Lookup("local", "foo-27b")
	if m.Window != 32_768 || m.WindowSource != WindowSetting || m.API != "openai-chat" || m.MaxOutput != 4096 {
		t.Errorf("a larger learned window wins over the setting: %+v", m)
	}
	if m := c.Lookup("typed", "x"); m.API != "openai-responses" {
		t.Errorf("got %+v", m)
	}
	if !slices.ContainsFunc(c.List(), func(m message.Model) bool { return m.Key() == "local/foo-27b" && m.Window == 32_768 }) {
		t.Error("the user's model is not listed")
	}
}

// A model that no one has configured is listed when its window was learned.
func TestLearnedModelsAreListed(t *testing.T) {
	c := NewCatalog(Config{}, learned("local", "some/model", 8192))
	if !slices.ContainsFunc(c.List(), func(m message.Model) bool {
		return m.Provider == "local" && m.ID == "some/model" && m.Window == 8192 && m.WindowSource == kinds.WindowLearned
	}) {
		t.Error("it is not listed")
	}
}

// The order of docs/limits.md, one source after the other.
func TestWindowOrder(t *testing.T) {
	expect := func(c *Catalog, want int64, source string) {
		t.Helper()
		if m := c.Lookup("anthropic", "claude-opus-4-5"); m.Window != want || m.WindowSource != source {
			t.Errorf("got %d %s, want %d %s", m.Window, m.WindowSource, want, source)
		}
	}
	set := func(window int64) Config {
		return Config{Providers: map[string]ProviderConfig{"anthropic": {Models: []ModelConfig{{ID: "claude-opus-4-5", ContextWindow: window}}}}}
	}
	c := NewCatalog(Config{}, nil)
	expect(c, 200_000, kinds.WindowCatalogue)
	c.Limits.addReported(c.Lookup("anthropic", "claude-opus-4-5"), claims{window: 190_000})
	expect(c, 190_000, kinds.WindowServer)
	c.Limits.Learn(c.Lookup("anthropic", "claude-opus-4-5"), tooLong(180_000))
	expect(c, 180_000, kinds.WindowLearned) // a refusal lowers what the server says
	expect(NewCatalog(set(150_000), c.Limits), 150_000, WindowSetting)
	expect(NewCatalog(set(1_000_000), c.Limits), 180_000, kinds.WindowLearned)
	c.Limits.TrustSettings = true
	expect(NewCatalog(set(1_000_000), c.Limits), 1_000_000, WindowSetting)
}

func TestListIsSortedAndComplete(t *testing.T) {
	list := NewCatalog(Config{}, nil).List()
	if len(list) < 1000 {
		t.Fatalf("only %d models", len(list))
	}
	for i, m := range list {
		if m.Window <= 0 || m.MaxOutput >= m.Window {
			t.Errorf("%s: window %d, output %d", m.Key(), m.Window, m.MaxOutput)
		}
		if i > 0 && list[i-1].Key() == m.Key() {
			t.Errorf("%s twice", m.Key())
		}
	}
}
