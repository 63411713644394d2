package message

import (
	"errors"
	"fmt"
	"time"
)

// Model is what has to be known of a model to build a request for it.
type Model struct {
	Provider string // key in the catalogue, e.g. "anthropic"
	ID       string // the provider's name for it, e.g. "claude-opus-4-5"
	API      string // dialect: "anthropic", "openai-chat", "openai-responses", "gemini"

	Window       int64  // context window in tokens; 0: unknown
	WindowSource string // setting, server, learned, catalogue, default
	MaxOutput    int64  // output limit in tokens; 0: unknown
	MaxBytes     int64  // request size that the provider refuses above; 0: unknown

	Images    bool // reads images
	Reasoning bool // thinks

	// UnboundThinking says that a signed thinking block stays valid when
	// what stood before it changes. The zero value is the careful one.
	UnboundThinking bool
	// AdaptiveThinking says that the model decides by itself how long it
	// thinks: it is asked with an effort instead of a budget.
	AdaptiveThinking bool

	Price *Price // nil: unknown
}

// Price is in US dollars for one million tokens.
type Price struct {
	Input, Output, CacheRead, CacheWrite float64
}

// Key is "provider/id", the name used in settings.
func (m Model) Key() string { return m.Provider + "/" + m.ID }

// Cost prices usage. It returns nil where the price is not known: unknown is
// not zero.
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

// CallOptions are the parameters of one call besides what is said.
type CallOptions struct {
	MaxOutput   int64    // tokens; 0: the model's limit
	Temperature *float64 // nil: the provider's default
	Thinking    string   // off, minimal, low, medium, high, xhigh; "": off
	NoTools     bool     // offer no tools, even if the request has some
	SessionID   string   // routing key for prompt caches; "": none

	// CacheLifetime is how long the provider should keep what cache marks
	// name; 0: its usual time. It counts where the vendor offers a choice.
	CacheLifetime time.Duration
}

// Class is the kind of a provider's refusal (spec/provider-errors.md).
type Class string

// The classes. What to do about each: Fault.Action.
const (
	ClassOverflow       Class = "overflow"
	ClassOverflowOutput Class = "overflow-output"
	ClassBytes          Class = "bytes"
	ClassRateLimit      Class = "rate-limit"
	ClassQuota          Class = "quota"
	ClassAuth           Class = "auth"
	ClassBadRequest     Class = "bad-request"
	ClassPairing        Class = "pairing"
	ClassThinking       Class = "thinking"
	ClassTransient      Class = "transient"
	ClassUnknown        Class = "unknown"
)

// Fault is a model call that failed, with the numbers its text named.
// A number that was not named is 0.
type Fault struct {
	Class      Class
	Limit      int64
	Used       int64
	Requested  int64
	RetryAfter time.Duration

	Status  int    // HTTP status; 0: none
	Message string // the provider's words
	Err     error  // cause, e.g. a network error; may be nil
}

func (f *Fault) Error() string {
	msg := f.Message
	if msg == "" && f.Err != nil {
		msg = f.Err.Error()
	}
	if f.Status != 0 {
		return fmt.Sprintf("%s (HTTP %d): %s", f.Class, f.Status, msg)
	}
	return fmt.Sprintf("%s: %s", f.Class, msg)
}

// Unwrap returns the cause.
func (f *Fault) Unwrap() error { return f.Err }

// MinOutput is the room in tokens below which asking for less output is not
// worth a call (spec/provider-errors.md); half of a window that is smaller than
// twice as much.
const MinOutput = 4096

// Action names what to do about the fault, in the words of spec/cli.md. An
// overflow of the output beside an input that leaves hardly any room is
// treated as an overflow.
func (f *Fault) Action() string {
	switch f.Class {
	case ClassOverflow:
		return "compact"
	case ClassOverflowOutput:
		if f.Used > 0 && f.Limit-f.Used < min(MinOutput, f.Limit/2) {
			return "compact"
		}
		return "reduce-output"
	case ClassBytes:
		return "drop-media"
	case ClassRateLimit:
		return "wait"
	case ClassQuota:
		return "stop"
	case ClassAuth:
		return "authenticate"
	case ClassBadRequest:
		return "repair-request"
	case ClassPairing:
		return "repair-pairs"
	case ClassThinking:
		return "drop-thinking"
	case ClassTransient:
		return "retry"
	}
	return "none"
}

// AsFault finds a Fault in err's chain.
func AsFault(err error) (*Fault, bool) {
	var f *Fault
	ok := errors.As(err, &f)
	return f, ok
}

// Event is one step of a streamed answer: a delta, or the finished message.
type Event struct {
	TextDelta     string
	ThinkingDelta string
	Message       *Message // set on the last event only
}
