package openai

import (
	"slices"
	"strings"

	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/wire/internal/prepare"
)

// place says which assistant messages must carry their reasoning.
type place int

const (
	asItCame   place = iota // nothing is required; what was kept is sent
	never                   // reasoning in the history is refused
	withCalls               // every message that calls tools
	everywhere              // every message, once a tool was called
)

// contract says which of its reasoning a family of models wants back. If it is
// required and nothing was kept (another model's history, a view that was
// cut), the field is sent with blank in it: a missing field is refused, and
// removing more messages would be refused too.
type contract struct {
	family string // part of the model's id, in lower case
	back   place
	blank  string
}

// contracts are tried in this order. The blank is a space for models that
// refuse an empty string.
var contracts = []contract{
	{"deepseek-r1", never, ""},
	{"deepseek-v3.2", withCalls, ""},
	{"deepseek-v3.1", asItCame, ""},
	{"deepseek-v3-", never, ""},
	{"deepseek-chat-v3", never, ""},
	{"deepseek", everywhere, " "},
	{"kimi", withCalls, " "},
	{"moonshot", withCalls, " "},
	{"mimo", withCalls, " "},
}

// asked is the contract of an unknown server that has refused a request
// because reasoning was missing.
var asked = contract{back: everywhere, blank: " "}

func contractOf(m message.Model, opts message.CallOptions) contract {
	id := strings.ToLower(m.ID)
	i := slices.IndexFunc(contracts, func(c contract) bool {
		return strings.Contains(id, c.family) && (c.wants() || !opts.RestoreThinking)
	})
	switch {
	case i < 0 && opts.RestoreThinking:
		return asked
	case i < 0:
		return contract{}
	case toggleOf(m).switchedOff(m, opts) && contracts[i].wants() && !opts.RestoreThinking:
		return contract{back: never}
	}
	return contracts[i]
}

// wants reports whether some messages are refused without reasoning.
func (c contract) wants() bool { return c.back == withCalls || c.back == everywhere }

// requires reports for each message whether it must have reasoning.
func (c contract) requires(messages []prepare.Message) []bool {
	out := make([]bool, len(messages))
	called := false
	for i, m := range messages {
		calls := callsTools(m)
		called = called || calls
		out[i] = m.Role == message.RoleAssistant && (c.back == withCalls && calls || c.back == everywhere)
	}
	if !called {
		clear(out)
	}
	return out
}

func callsTools(m prepare.Message) bool {
	for _, b := range m.Content {
		if _, ok := b.(prepare.Call); ok {
			return true
		}
	}
	return false
}
