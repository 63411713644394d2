// Package dialects lists the dialects by name.
package dialects

import (
	"github.com/coppice-dev/coppice/wire"
	"github.com/coppice-dev/coppice/wire/anthropic"
	"github.com/coppice-dev/coppice/wire/gemini"
	"github.com/coppice-dev/coppice/wire/openai"
	"github.com/coppice-dev/coppice/wire/responses"
)

// All returns every dialect, in a fixed order.
func All() []wire.Dialect {
	return []wire.Dialect{anthropic.Dialect{}, openai.Dialect{}, responses.Dialect{}, gemini.Dialect{}}
}

// ByName finds a dialect by its name, or by the name that stored messages
// give it ("anthropic-messages").
func ByName(name string) (wire.Dialect, bool) {
	switch name {
	case "anthropic", anthropic.API:
		return anthropic.Dialect{}, true
	case "openai-chat", openai.API:
		return openai.Dialect{}, true
	case "openai-responses", "openai-codex-responses": // stored under the same name
		return responses.Dialect{}, true
	case "gemini", gemini.API:
		return gemini.Dialect{}, true
	}
	return nil, false
}
