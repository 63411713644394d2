package provider

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/coppice-dev/coppice/internal/valid"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/provider/internal/catalogue"
)

// Config is what the user says about models and providers (docs/settings.md).
type Config struct {
	Model     string                    `json:"model"`     // "provider/id" to work with; "": not set
	Providers map[string]ProviderConfig `json:"providers"` // by the part before the slash in "provider/id"
	Retry     Retry                     `json:"retry"`
	Errors    struct {
		Patterns []Pattern `json:"patterns"` // of refusals, added to those that are known
	} `json:"errors"`
	Windows struct {
		// TrustSettings keeps a window that the settings name, whatever a
		// refusal says.
		TrustSettings bool `json:"trustSettings"`
	} `json:"windows"`
}

// EnsureDefaults gives every field that is not set its default.
func (c *Config) EnsureDefaults() { c.Retry.EnsureDefaults() }

// Validate names the fields that are wrong.
func (c Config) Validate() error {
	errs := []error{valid.Model("model", c.Model), valid.Below("retry", c.Retry.Validate())}
	for _, name := range slices.Sorted(maps.Keys(c.Providers)) {
		p, key := c.Providers[name], valid.Member("providers", name)
		if name == "" || strings.Contains(name, "/") {
			errs = append(errs, valid.Wrong(key, "must have a name without slashes"))
		}
		if p.Type == "" && !known(name) {
			errs = append(errs, valid.Wrong(key, "must have a type: %s", strings.Join(p.Type.Values(), ", ")))
		}
		if p.APIKey != "" && p.APIKeyEnv != "" {
			errs = append(errs, valid.Wrong(key, "has both apiKey and apiKeyEnv; apiKey is used"))
		}
		errs = append(errs, valid.Below(key, p.Validate()))
		for _, m := range p.Models {
			if m.ID == "" {
				errs = append(errs, valid.Wrong(key, "has a model without an id"))
			}
		}
	}
	return errors.Join(errs...)
}

// ProviderConfig says where models are called. The zero value means the vendor's
// own server and its usual key variable.
type ProviderConfig struct {
	Type      Type              `json:"type"`      // "": the vendor's usual one, and openai for a provider that no one knows
	BaseURL   string            `json:"baseUrl"`   // "": the vendor's
	APIKey    Secret            `json:"apiKey"`    // the key itself, or
	APIKeyEnv string            `json:"apiKeyEnv"` // the name of the variable that holds it; "": the vendor's
	Headers   map[string]Secret `json:"headers"`   // sent with every call; they win over our own
	Models    []ModelConfig     `json:"models"`
}

// Validate names the fields that are wrong.
func (c ProviderConfig) Validate() error {
	return errors.Join(valid.OneOf("type", c.Type, c.Type.Values()), valid.Address("baseUrl", c.BaseURL))
}

// ModelConfig says what the catalogue does not know about a model, or has wrong.
// Zero or nil: not set.
type ModelConfig struct {
	ID              string         `json:"id"`
	ContextWindow   int64          `json:"contextWindow"`   // tokens
	MaxOutputTokens int64          `json:"maxOutputTokens"` // tokens
	Images          *bool          `json:"images"`
	Reasoning       *bool          `json:"reasoning"`
	Price           *message.Price `json:"price"`
}

// Type is the dialect that a provider speaks.
type Type string

// The types.
const (
	typeAnthropic Type = "anthropic"
	typeOpenAI    Type = "openai" // chat completions
	typeResponses Type = "openai-responses"
	typeGemini    Type = "gemini"
)

// Values are the words that a setting may have.
func (Type) Values() []string {
	return []string{string(typeAnthropic), string(typeOpenAI), string(typeResponses), string(typeGemini)}
}

// Secret is text that is never shown: when printed, formatted or marshalled it is
// a row of stars. Convert it to string to use it.
type Secret string

// String returns stars, or "" if there is no secret.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return "********"
}

// GoString is String, for %#v.
func (s Secret) GoString() string { return s.String() }

// MarshalText is String, for JSON.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Names of the dialects, as package wire has them.
const (
	apiAnthropic = "anthropic"
	apiChat      = "openai-chat"
	apiResponses = "openai-responses"
	apiGemini    = "gemini"
)

// api is the dialect's name for a type of the settings; "" where none is set.
func (c ProviderConfig) api() string {
	if c.Type == typeOpenAI {
		return apiChat
	}
	return string(c.Type)
}

// vendor is what is known about a provider without asking anyone.
type vendor struct {
	catalogue string   // its name in the catalogue; "": it has no models there
	api       string   // dialect; "": as the catalogue says
	baseURL   string   // "": as the catalogue says
	keys      []string // variables that hold a key, most usual first
	keyless   bool     // a server that needs no key
	maxBytes  int64    // request size that it refuses above; 0: not known
	maxChat   int64    // messages in a request of chat completions; 0: not known
}

// vendors knows what the catalogue leaves out, and the names under which
// other programs know a provider. Request sizes are the vendors' published
// limits, the smaller reading where "MB" may be either.
var vendors = sync.OnceValue(func() map[string]vendor {
	return map[string]vendor{
		"anthropic":  {catalogue: "anthropic", baseURL: "https://api.anthropic.com", maxBytes: 32_000_000},
		"openai":     {catalogue: "openai", api: apiResponses, baseURL: "https://api.openai.com/v1"},
		"gemini":     {catalogue: "gemini", baseURL: "https://generativelanguage.googleapis.com/v1beta", keys: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"}, maxBytes: 20_000_000},
		"mistral":    {baseURL: "https://api.mistral.ai/v1", keys: []string{"MISTRAL_API_KEY"}},
		"moonshot":   {catalogue: "moonshot", maxBytes: 2_097_152},
		"copilot":    {catalogue: "copilot", maxBytes: 5_000_000},
		"bedrock":    {catalogue: "bedrock", maxBytes: 20_000_000},
		"vertexai":   {catalogue: "vertexai", maxBytes: 20_000_000},
		"azure":      {catalogue: "azure", api: apiResponses, maxChat: 2048}, // its page of quotas
		"ollama":     {baseURL: "http://localhost:11434/v1", keyless: true},
		"lmstudio":   {baseURL: "http://localhost:1234/v1", keyless: true},
		"llama.cpp":  {baseURL: "http://localhost:8080/v1", keyless: true},
		"vllm":       {baseURL: "http://localhost:8000/v1", keyless: true},
		"openrouter": {catalogue: "openrouter"},
	}
})

// aliases are other programs' names for a vendor; session files have them.
var aliases = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"openai-codex":           "openai",
		"google":                 "gemini",
		"google-gemini-cli":      "gemini",
		"google-antigravity":     "gemini",
		"google-vertex":          "vertexai",
		"github-copilot":         "copilot",
		"amazon-bedrock":         "bedrock",
		"azure-openai":           "azure",
		"azure-openai-responses": "azure",
		"opencode":               "opencode-zen",
		"vercel-ai-gateway":      "vercel",
		"minimax-cn":             "minimax-china",
		"moonshotai":             "moonshot",
		"z.ai":                   "zai",
		"llamacpp":               "llama.cpp",
		"lm-studio":              "lmstudio",
	}
})

// known reports whether a provider's dialect is known without a setting.
func known(name string) bool {
	v := lookupVendor(name)
	return v.api != "" || v.baseURL != "" || catalogue.Lookup(v.catalogue).API != ""
}

// canonical is our name for a provider that other programs call something else.
func canonical(name string) string {
	if a, ok := aliases()[name]; ok {
		return a
	}
	return name
}

// lookupVendor finds a provider under any of its names. If it is not known here,
// the catalogue's entry is used.
func lookupVendor(name string) vendor {
	name = canonical(name)
	if v, ok := vendors()[name]; ok {
		return v
	}
	return vendor{catalogue: name}
}
