package settings

import "strings"

// Settings are the values in force, and where each came from.
type Settings struct {
	Compaction    Compaction
	BranchSummary BranchSummary
	Prune         Prune
	Session       Session
	Secrets       Secrets
	Permissions   Permissions
	Hooks         map[HookEvent][]Hook // of all layers, the user's first
	MCPServers    map[string]MCPServer
	Errors        Errors
	Retry         Retry
	Model         ModelName // "": the first provider that has a key
	Providers     map[string]Provider

	// Resolved lists every key in the order of the table, secrets masked.
	Resolved []Resolved
	// Project is the project's file, or nil where there is none.
	Project *ProjectFile
}

// ProjectFile is the settings file that came with the project.
type ProjectFile struct {
	Path    string
	Hash    string // what the user trusts, as given to Trust
	Trusted bool
	Ignored []string // keys that do not count until the user trusts Hash
}

// Compaction says when and how the context is compacted (spec/compaction.md).
// Sizes are in tokens.
type Compaction struct {
	Enabled          bool    // automatic compaction; by hand it always works
	ReserveTokens    int64   // kept free below the model's window
	KeepRecentTokens int64   // recent part that stays word for word
	ThresholdTokens  int64   // 0: unset; beats ThresholdPercent
	ThresholdPercent Percent // of the window; 0: unset
	AutoContinue     bool
	ContinueText     string
	RemoteEndpoint   URL       // "": none
	Model            ModelName // "": the session's model
	Request          RequestForm
	Background       bool
	MinGain          Share // least share by which a compaction makes the view smaller
	ResidueTokens    int64
	ConstraintTokens int64
	ModelOverrides   map[string]ModelOverride // by "provider/model"
}

// ModelOverride replaces numbers of Compaction for one model. What is nil
// stays as it is.
type ModelOverride struct {
	ReserveTokens    *int64   `json:"reserveTokens,omitempty"`
	KeepRecentTokens *int64   `json:"keepRecentTokens,omitempty"`
	ThresholdTokens  *int64   `json:"thresholdTokens,omitempty"`
	ThresholdPercent *Percent `json:"thresholdPercent,omitempty"`
}

// For returns the settings that hold for one model.
func (c Compaction) For(provider, model string) Compaction {
	o, ok := c.ModelOverrides[provider+"/"+model]
	if !ok {
		return c
	}
	if o.ReserveTokens != nil {
		c.ReserveTokens = *o.ReserveTokens
	}
	if o.KeepRecentTokens != nil {
		c.KeepRecentTokens = *o.KeepRecentTokens
	}
	if o.ThresholdPercent != nil {
		// The general token threshold would beat the percentage that was
		// asked for this very model.
		c.ThresholdPercent, c.ThresholdTokens = *o.ThresholdPercent, 0
	}
	if o.ThresholdTokens != nil {
		c.ThresholdTokens = *o.ThresholdTokens
	}
	return c
}

// BranchSummary says what happens to a branch that is left (spec/branches.md).
type BranchSummary struct {
	Enabled       bool
	ReserveTokens int64
	SkipPrompt    bool
}

// Prune says what is shown less of without a model (spec/pruning.md).
type Prune struct {
	ToolOutput   ToolOutput
	Superseded   bool  // reads that a later read repeats
	Empty        bool  // results in which nothing was found
	Media        bool  // old images, when the provider's caps near
	HorizonTurns int64 // calls within which an edit below the threshold has to pay
}

// ToolOutput says when old tool output is pruned. Sizes are in tokens.
type ToolOutput struct {
	Enabled        bool
	ProtectTokens  int64 // newest results that stay
	MinSavings     int64 // less than this in all is not worth it
	ProtectedTools []string
}

// Session says where sessions are kept and how safely.
type Session struct {
	Dir  string // "": the default place (SessionDir)
	Sync Sync
}

// Secrets adds to the shapes that are masked.
type Secrets struct {
	Patterns []Pattern
}

// Errors adds to the provider errors that are recognized.
type Errors struct {
	Patterns []ErrorPattern
}

// ErrorPattern gives a class to error texts (spec/provider-errors.md).
type ErrorPattern struct {
	Pattern Pattern    `json:"pattern"`
	Class   ErrorClass `json:"class"`
}

// Retry says how often a call that failed for a passing reason is repeated.
type Retry struct {
	Enabled     bool
	MaxRetries  int64
	BaseDelayMs int64 // milliseconds before the first retry; doubles each time
}

// Provider is a place to call models at.
type Provider struct {
	Type      ProviderType      `json:"type,omitempty"`
	BaseURL   URL               `json:"baseUrl,omitempty"`   // "": the vendor's own
	APIKey    Secret            `json:"apiKey,omitempty"`    // or APIKeyEnv
	APIKeyEnv string            `json:"apiKeyEnv,omitempty"` // name of the variable that holds the key
	Headers   map[string]Secret `json:"headers,omitempty"`
	Models    []ProviderModel   `json:"models,omitempty"`
}

// ProviderModel says what the catalogue does not know of a model, or knows
// wrongly. What is zero or nil is not said.
type ProviderModel struct {
	ID              string `json:"id"`
	ContextWindow   int64  `json:"contextWindow,omitempty"`   // tokens
	MaxOutputTokens int64  `json:"maxOutputTokens,omitempty"` // tokens
	Images          *bool  `json:"images,omitempty"`
	Reasoning       *bool  `json:"reasoning,omitempty"`
	Price           *Price `json:"price,omitempty"`
}

// Price is in US dollars for one million tokens.
type Price struct {
	Input      float64 `json:"input"`
	Output     float64 `json:"output"`
	CacheRead  float64 `json:"cacheRead,omitempty"`
	CacheWrite float64 `json:"cacheWrite,omitempty"`
}

// Split returns the two parts of a model name. The id may hold slashes.
func (m ModelName) Split() (provider, id string) {
	provider, id, _ = strings.Cut(string(m), "/")
	return provider, id
}
