package message

import "time"

// Model is what has to be known about a model to build a request for it.
type Model struct {
	Provider string // key in the catalogue, e.g. "anthropic"
	ID       string // the provider's name for it, e.g. "claude-opus-4-5"
	API      string // dialect: "anthropic", "openai-chat", "openai-responses", "gemini"
	// Server is the host that is called, with its port; "": the vendor's own. What
	// refusals teach is kept for one model at one server.
	Server string

	Window       int64  // context window in tokens; 0: unknown
	WindowSource string // setting, server, learned, catalogue, default
	MaxInput     int64  // input limit in tokens, if it is below the window; 0: the window
	MaxOutput    int64  // output limit in tokens; 0: unknown
	MaxBytes     int64  // request size that the provider refuses above; 0: unknown
	// Limits on images that are not in the vendor's table: their number in a
	// request, a side in pixels, characters of base64. 0: unknown.
	MaxImages, MaxImageSide, MaxImageSize int64
	// Limits on how many messages (items, contents) and tools a request may have.
	// 0: unknown.
	MaxMessages, MaxTools int64

	Images    bool // reads images
	Reasoning bool // thinks

	// UnboundThinking says that a signed thinking block stays valid when what came
	// before it changes. The zero value is the safe one.
	UnboundThinking bool
	// AdaptiveThinking says that the model decides by itself how long it
	// thinks: it is asked with an effort instead of a budget.
	AdaptiveThinking bool

	Price *Price // nil: unknown
}

// Price is in US dollars for one million tokens.
type Price struct {
	Input      float64 `json:"input"`
	Output     float64 `json:"output"`
	CacheRead  float64 `json:"cacheRead"`
	CacheWrite float64 `json:"cacheWrite"`
}

// Key is "provider/id", the name used in settings.
func (m Model) Key() string { return m.Provider + "/" + m.ID }

// InputLimit returns the most that a prompt may have, in tokens; 0: not known.
func (m Model) InputLimit() int64 {
	if m.MaxInput > 0 && (m.Window <= 0 || m.MaxInput < m.Window) {
		return m.MaxInput
	}
	return m.Window
}

// Cost returns the cost of usage, or nil if the price is not known.
func (m Model) Cost(u Usage) *Cost {
	if m.Price == nil {
		return nil
	}
	const million = 1e6
	c := Cost{
		Input:      float64(u.Input) * m.Price.Input / million,
		Output:     float64(u.Output) * m.Price.Output / million,
		CacheRead:  float64(u.CacheRead) * m.Price.CacheRead / million,
		CacheWrite: float64(u.CacheWrite) * m.Price.CacheWrite / million,
	}
	c.Total = c.Input + c.Output + c.CacheRead + c.CacheWrite
	return &c
}

// CallOptions are the parameters of one call, apart from the messages.
type CallOptions struct {
	MaxOutput   int64    // tokens; 0: the model's limit
	Temperature *float64 // nil: the provider's default
	Thinking    string   // off, minimal, low, medium, high, xhigh, max; "": no level is asked for
	NoTools     bool     // offer no tools, even if the request has some
	// RestoreThinking says that the provider refused a request for lack of
	// reasoning: each message that could have some gets the field.
	RestoreThinking bool
	// ContentOnly leaves out the model's name and all parameters: the body has
	// only the content, in the form that this model needs.
	ContentOnly bool
	SessionID   string // routing key for prompt caches; "": none

	// CacheLifetime is how long the provider should keep what is marked for its
	// cache; 0: its usual time. It has an effect only if the vendor offers a
	// choice.
	CacheLifetime time.Duration
}

// Event is one step of a streamed answer: a delta, a call that failed and is
// made again, or the finished message.
type Event struct {
	TextDelta     string
	ThinkingDelta string
	Retry         *Retry   // only before the first delta
	Message       *Message // set on the last event only
}

// Retry says that a call failed for a reason that may pass, and is made again.
type Retry struct {
	Try   int           // from 1
	Wait  time.Duration // before it
	Fault *Fault
}
