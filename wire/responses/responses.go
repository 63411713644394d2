// Package responses speaks OpenAI's Responses API without server-side state:
// every request carries the whole conversation, and reasoning is sent back
// encrypted.
package responses

import (
	"strings"

	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/wire"
	"github.com/coppice-dev/coppice/wire/internal/prepare"
)

// Dialect is the Responses API.
var Dialect wire.Dialect = dialect{}

type dialect struct{}

// api is the name in stored messages.
const api = "openai-responses"

// API implements wire.Dialect.
func (dialect) API() string { return api }

// Name implements wire.Dialect.
func (dialect) Name() string { return "openai-responses" }

// Path implements wire.Dialect. It is the same for every model; base URLs end
// with the version ("https://api.openai.com/v1").
func (dialect) Path(message.Model) string { return "/responses" }

const maxName = 64 // bytes of tool names and of ids

func rules() prepare.Rules {
	return prepare.Rules{
		ID: func(stored string) string {
			id, _ := splitID(stored)
			return prepare.Fit(id, maxName)
		},
		Name:         toolName,
		MaxArguments: prepare.MaxArguments,
		Thinking:     func(t message.Thinking) bool { return reasoningItem(t.Signature) != nil },
	}
}

func toolName(name string) string { return prepare.Fit(name, maxName) }

// splitID splits a stored id, "call_…|fc_…", into the call's id and the
// item's. Calls from other dialects do not have an item id.
func splitID(stored string) (callID, itemID string) {
	callID, itemID, _ = strings.Cut(stored, "|")
	if !strings.HasPrefix(itemID, "fc_") || len(itemID) > maxName {
		itemID = ""
	}
	return callID, itemID
}

// reasoningItem returns the item in a thinking block's signature, or nil. The
// vendor has stored nothing, so an item without its content cannot be found there
// (docs/context.md, Repair).
func reasoningItem(signature string) []byte {
	raw := []byte(signature)
	if !prepare.Sendable(raw) || str(raw, "type") != "reasoning" {
		return nil
	}
	if !whole(raw) {
		return nil
	}
	if rawjson.Kind(rawjson.Get(raw, "summary")) != '[' { // required, but may be empty
		raw = rawjson.Set(raw, "summary", []byte("[]"))
	}
	return raw
}

// textSignature is what pi keeps of a text item: its id and its phase as JSON,
// or only the id in old sessions.
type textSignature struct{ id, phase string }

func readTextSignature(s string) textSignature {
	raw := []byte(s)
	if !rawjson.Valid(raw) || rawjson.Kind(raw) != '{' {
		return textSignature{id: s}
	}
	return textSignature{id: str(raw, "id"), phase: str(raw, "phase")}
}

func str(obj []byte, name string) string { return rawjson.String(rawjson.Get(obj, name)) }

// whole reports whether a reasoning item has its content, encrypted or, from an
// open model, as text.
func whole(item []byte) bool {
	for range rawjson.Elements(rawjson.Get(item, "content")) {
		return true
	}
	return str(item, "encrypted_content") != ""
}
