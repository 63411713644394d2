package provider

import "github.com/coppice-dev/coppice/message"

// Config is what the user says about providers (setting providers.*).
type Config struct {
	Providers map[string]ProviderConfig // by the name that stands before the slash in "provider/id"
}

// ProviderConfig is a place to call models at. The zero value stands for the
// vendor's own server and its usual key variable.
type ProviderConfig struct {
	// Type is the dialect: anthropic, openai (chat completions),
	// openai-responses or gemini. "": the vendor's usual one, and
	// openai for a provider that nobody knows.
	Type      string
	BaseURL   string            // "": the vendor's
	APIKey    string            // the key itself, or
	APIKeyEnv string            // the name of the variable that holds it; "": the vendor's
	Headers   map[string]string // sent with every call; they win over our own
	Models    []ModelConfig
}

// ModelConfig says what the catalogue does not know of a model, or knows
// wrongly. What is zero or nil is not said.
type ModelConfig struct {
	ID              string
	ContextWindow   int64 // tokens
	MaxOutputTokens int64 // tokens
	Images          *bool
	Reasoning       *bool
	Price           *message.Price
}

// Names of the dialects, as package wire has them.
const (
	apiAnthropic = "anthropic"
	apiChat      = "openai-chat"
	apiResponses = "openai-responses"
	apiGemini    = "gemini"
)

// api is the dialect's name for a type of the settings; "" where none is set.
func (c ProviderConfig) api() string {
	if c.Type == "openai" {
		return apiChat
	}
	return c.Type
}

// vendor is what is known of a provider without asking anybody.
type vendor struct {
	catalogue string   // its name in the catalogue; "": it has no models there
	api       string   // dialect; "": as the catalogue says
	baseURL   string   // "": as the catalogue says
	keys      []string // variables that hold a key, most usual first
	keyless   bool     // a server that asks for no key
	maxBytes  int64    // request size that it refuses above; 0: not known
}

// vendors knows what the catalogue leaves out, and the names under which
// other programs know a provider. Request sizes are the vendors' published
// limits, the smaller reading where "MB" may be either.
var vendors = map[string]vendor{
	"anthropic":  {catalogue: "anthropic", baseURL: "https://api.anthropic.com", maxBytes: 32_000_000},
	"openai":     {catalogue: "openai", api: apiResponses, baseURL: "https://api.openai.com/v1"},
	"gemini":     {catalogue: "gemini", baseURL: "https://generativelanguage.googleapis.com/v1beta", keys: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"}, maxBytes: 20_000_000},
	"mistral":    {baseURL: "https://api.mistral.ai/v1", keys: []string{"MISTRAL_API_KEY"}},
	"moonshot":   {catalogue: "moonshot", maxBytes: 2_097_152},
	"copilot":    {catalogue: "copilot", maxBytes: 5_000_000},
	"bedrock":    {catalogue: "bedrock", maxBytes: 20_000_000},
	"vertexai":   {catalogue: "vertexai", maxBytes: 20_000_000},
	"azure":      {catalogue: "azure", api: apiResponses},
	"ollama":     {baseURL: "http://localhost:11434/v1", keyless: true},
	"lmstudio":   {baseURL: "http://localhost:1234/v1", keyless: true},
	"llama.cpp":  {baseURL: "http://localhost:8080/v1", keyless: true},
	"vllm":       {baseURL: "http://localhost:8000/v1", keyless: true},
	"openrouter": {catalogue: "openrouter"},
}

// aliases are other programs' names for a vendor; session files have them.
var aliases = map[string]string{
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

// lookupVendor finds a provider under any of its names. One that is not
// known here is taken for the catalogue's.
func lookupVendor(name string) vendor {
	if a, ok := aliases[name]; ok {
		name = a
	}
	if v, ok := vendors[name]; ok {
		return v
	}
	return vendor{catalogue: name}
}
