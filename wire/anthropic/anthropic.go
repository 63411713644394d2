// Package anthropic speaks Anthropic's Messages API.
package anthropic

import (
	"slices"
	"strings"

	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/wire"
	"github.com/coppice-dev/coppice/wire/internal/prepare"
)

// Dialect is the Messages API.
var Dialect wire.Dialect = dialect{}

type dialect struct{}

// api is the name in stored messages.
const api = "anthropic-messages"

// API implements wire.Dialect.
func (dialect) API() string { return api }

// Name implements wire.Dialect.
func (dialect) Name() string { return "anthropic" }

// Path implements wire.Dialect. It is the same for every model; base URLs end
// before the version ("https://api.anthropic.com").
func (dialect) Path(message.Model) string { return "/v1/messages" }

// Limits of the vendor.
const (
	maxName   = 128 // bytes of a tool's name
	maxID     = 64  // bytes of a tool call id
	maxMarks  = 4   // cache marks in one request
	minBudget = prepare.MinBudget
)

// bedrock reports whether the model is served by AWS, whose checks are
// stricter than the vendor's own.
func bedrock(m message.Model) bool { return strings.Contains(m.Provider, "bedrock") }

func rules(m message.Model) prepare.Rules {
	return prepare.Rules{
		ID:   func(id string) string { return prepare.Fit(id, maxID) },
		Name: toolName,
		Thinking: func(t message.Thinking) bool {
			return t.Signature != "" || takesUnsigned(m) && !t.Redacted && !prepare.Blank(t.Thinking)
		},
		Opaque: sendable,
	}
}

// signingFamilies are parts of the ids of models that sign their thinking and
// refuse it unsigned. All others that answer over this API do not sign it, and some
// refuse a history that lacks it (docs/limits.md, What vendors want back).
var signingFamilies = []string{"claude", "opus", "sonnet", "haiku", "fable", "mythos"}

func takesUnsigned(m message.Model) bool {
	id := strings.ToLower(m.ID)
	return id != "" && !slices.ContainsFunc(signingFamilies, func(f string) bool { return strings.Contains(id, f) })
}

func toolName(name string) string { return prepare.Fit(name, maxName) }

// sendable accepts two kinds of blocks besides the common ones: the user's
// documents, and server-side tool calls with their results, which are refused
// without each other.
func sendable(b message.Opaque, role message.Role, content []message.Block) bool {
	if role != message.RoleAssistant {
		return b.Type == "document" && rawjson.Kind(rawjson.Get(b.Raw, "source")) == '{'
	}
	switch {
	case serverCall(b.Type):
		return hasServerBlock(content, serverResult, "tool_use_id", str(b.Raw, "id"))
	case serverResult(b.Type):
		return hasServerBlock(content, serverCall, "id", str(b.Raw, "tool_use_id"))
	}
	return false
}

func serverCall(typ string) bool { return typ == "server_tool_use" || typ == "mcp_tool_use" }

func serverResult(typ string) bool { return strings.HasSuffix(typ, "_tool_result") }

func hasServerBlock(content []message.Block, is func(string) bool, member, id string) bool {
	for _, b := range content {
		if o, ok := b.(message.Opaque); ok && is(o.Type) && id != "" && str(o.Raw, member) == id {
			return true
		}
	}
	return false
}

func str(obj []byte, name string) string { return rawjson.String(rawjson.Get(obj, name)) }
