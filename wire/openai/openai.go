// Package openai speaks OpenAI's Chat Completions API, which is also the
// dialect of most other vendors, gateways and local servers.
package openai

import (
	"strings"

	"github.com/coppice-dev/coppice/internal/lazy"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/wire"
	"github.com/coppice-dev/coppice/wire/internal/prepare"
)

// Dialect is the Chat Completions API.
var Dialect wire.Dialect = dialect{}

type dialect struct{}

// api is the name in stored messages.
const api = "openai-completions"

// API implements wire.Dialect.
func (dialect) API() string { return api }

// Name implements wire.Dialect.
func (dialect) Name() string { return "openai-chat" }

// Path implements wire.Dialect. It is the same for every model; base URLs end
// with the version ("https://api.openai.com/v1").
func (dialect) Path(message.Model) string { return "/chat/completions" }

// Limits of the vendor, in bytes.
const (
	maxName = 64
	maxID   = 40
)

// reasoningField matches the fields in which servers return thinking and
// expect it back; the block's signature names the one it came in.
var reasoningField = lazy.Regexp(`^reasoning(_[a-z]+)?$`)

// usualField is the field that most servers use.
const usualField = "reasoning_content"

func rules(c contract) prepare.Rules {
	return prepare.Rules{
		ID:           callID,
		Name:         toolName,
		MaxArguments: prepare.MaxArguments,
		Thinking: func(t message.Thinking) bool {
			chunk := t.Signature == chunkOfThinking
			return c.back != never && (isSealed(t) || !prepare.Blank(t.Thinking) && (chunk || reasoningField().MatchString(t.Signature)))
		},
	}
}

func toolName(name string) string { return prepare.Fit(name, maxName) }

// callID keeps unusual ids ("functions.read:0") if they fit, because some
// models read them. Sessions of the Responses API have an item id after a bar.
func callID(stored string) string {
	id, _, _ := strings.Cut(stored, "|")
	if validID(id) {
		return id
	}
	return prepare.Fit(id, maxID)
}

func validID(id string) bool {
	for i := range len(id) {
		if id[i] <= ' ' || id[i] > '~' {
			return false
		}
	}
	return id != "" && len(id) <= maxID
}

// vendor reports whether OpenAI itself answers. It renamed the output limit
// and accepts consecutive messages of one role; servers that copy its API know
// only the old name.
func vendor(m message.Model) bool {
	return m.Provider == "openai" || strings.HasPrefix(m.Provider, "azure")
}

// bedrock reports whether the model is served by AWS, which refuses tool
// calls in the history of a request without tools.
func bedrock(m message.Model) bool { return strings.Contains(m.Provider, "bedrock") }

func str(obj []byte, name string) string { return rawjson.String(rawjson.Get(obj, name)) }
