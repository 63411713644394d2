package prepare

import (
	"time"

	"github.com/coppice-dev/coppice/internal/jsonw"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/timeline"
)

// Tools returns the tools to offer: names fitted, schemas in place, the first
// of those that share a name.
func Tools(req timeline.Request, opts message.CallOptions, name func(string) string) []message.Tool {
	if opts.NoTools {
		return nil
	}
	var out []message.Tool
	seen := map[string]bool{}
	for _, t := range req.Tools {
		t.Name = name(t.Name)
		if seen[t.Name] {
			continue
		}
		seen[t.Name] = true
		t.Parameters = schema(t.Parameters)
		out = append(out, t)
	}
	return out
}

// CalledTools returns bare definitions of the tools that the messages call,
// for vendors that refuse tool blocks without definitions.
func CalledTools(messages []Message) []message.Tool {
	var out []message.Tool
	for _, name := range callTools(messages) {
		out = append(out, message.Tool{Name: name, Parameters: schema(nil)})
	}
	return out
}

func schema(raw []byte) []byte {
	if rawjson.Kind(raw) != '{' || !rawjson.Valid(raw) {
		return []byte(`{"type":"object","properties":{}}`)
	}
	return jsonw.Clean(raw)
}

// MaxOutput returns the output limit that the caller asked for, not above
// the model's. 0: none asked for; the model's own limit holds.
func MaxOutput(m message.Model, opts message.CallOptions) int64 {
	if m.MaxOutput > 0 && opts.MaxOutput > m.MaxOutput {
		return m.MaxOutput
	}
	return max(0, opts.MaxOutput)
}

// Effort returns the thinking level to ask for, or "" for none: the model
// does not think, the level is off or is not one of ours.
func Effort(m message.Model, opts message.CallOptions) string {
	if !m.Reasoning || levelBudget(opts.Thinking) == 0 {
		return ""
	}
	return opts.Thinking
}

// MinBudget is the smallest thinking budget that vendors take, in tokens.
const MinBudget = 1024

// levelBudget is the thinking tokens of a level, 0 for off and unknown ones.
func levelBudget(level string) int64 {
	switch level {
	case "minimal":
		return MinBudget
	case "low":
		return 4096
	case "medium":
		return 10240
	case "high":
		return 20480
	case "xhigh":
		return 32768
	}
	return 0
}

// Budget returns the thinking tokens of a level, 0 for none. Of a known
// output limit at least half stays for the answer: a level that takes more
// falls to a lower one. There are few steps, because a provider's cache does
// not hold the messages of a request with another budget, and the room for
// output shrinks with every request near the end of the window.
func Budget(level string, maxOutput int64) int64 {
	b := levelBudget(level)
	if maxOutput <= 0 || b <= maxOutput/2 {
		return b
	}
	for _, lower := range []string{"high", "medium", "low", "minimal"} {
		if n := levelBudget(lower); n < b && n <= maxOutput/2 {
			return n
		}
	}
	return 0
}

// Anthropic's cache marks for the usual five minutes and for an hour, the two
// lifetimes on offer. All marks of a request have the same: a longer one must not come
// after a shorter one.
var (
	ephemeral = []byte(`{"type":"ephemeral"}`)
	forAnHour = []byte(`{"type":"ephemeral","ttl":"1h"}`)
)

// usualLifetime is how long a mark lasts that names no lifetime.
const usualLifetime = 5 * time.Minute

// CacheControl is the value of a cache mark of Anthropic for a wanted lifetime.
// Servers that pass requests on to the vendor take it too.
func CacheControl(lifetime time.Duration) []byte {
	if lifetime > usualLifetime {
		return forAnHour
	}
	return ephemeral
}
