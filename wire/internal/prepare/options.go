package prepare

import (
	"time"

	"github.com/coppice-dev/coppice/internal/jsonw"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/timeline"
)

// Tools returns the tools to offer, with fitted names and with a schema. Of
// tools that share a name only the first is kept.
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
	if !Sendable(raw) {
		return []byte(`{"type":"object","properties":{}}`)
	}
	return jsonw.Clean(raw)
}

// MaxOutput returns the output limit that the caller asked for, at most the
// model's. 0 means that the caller did not ask for one and the model's own
// limit applies.
func MaxOutput(m message.Model, opts message.CallOptions) int64 {
	if m.MaxOutput > 0 && opts.MaxOutput > m.MaxOutput {
		return m.MaxOutput
	}
	return max(0, opts.MaxOutput)
}

// Effort returns the thinking level to ask for, or "" if the model does not
// think or the level is off or unknown.
func Effort(m message.Model, opts message.CallOptions) string {
	switch {
	case !m.Reasoning || levelBudget(opts.Thinking) == 0:
		return ""
	case opts.Thinking == "max": // a word of session files
		return "xhigh"
	}
	return opts.Thinking
}

// MinBudget is the smallest thinking budget that vendors accept, in tokens.
const MinBudget = 1024

// levelBudget returns the thinking tokens of a level, 0 for off and unknown
// ones.
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
	case "xhigh", "max":
		return 32768
	}
	return 0
}

// Budget returns the thinking tokens of a level, 0 for none. If the output
// limit is known, at least half of it stays for the answer: a level that takes
// more falls to a lower one. There are only a few steps, because a provider's
// cache misses the messages of a request with another budget, and near the end
// of the window the space for output shrinks with every request.
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

// Anthropic's cache marks have two lifetimes, the usual five minutes and an
// hour. All marks of a request have the same one, because a longer one must
// not come after a shorter one.
var (
	ephemeral = []byte(`{"type":"ephemeral"}`)
	forAnHour = []byte(`{"type":"ephemeral","ttl":"1h"}`)
)

// usualLifetime is how long a mark lasts if it does not name a lifetime.
const usualLifetime = 5 * time.Minute

// CacheControl returns the value of Anthropic's cache mark for a wanted
// lifetime. Servers that pass requests on to Anthropic accept it too.
func CacheControl(lifetime time.Duration) []byte {
	if lifetime > usualLifetime {
		return forAnHour
	}
	return ephemeral
}
