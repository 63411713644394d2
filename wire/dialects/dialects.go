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
	return []wire.Dialect{anthropic.Dialect, openai.Dialect, responses.Dialect, gemini.Dialect}
}

// ByName finds a dialect by its name, or by the name that stored messages
// give it ("anthropic-messages").
func ByName(name string) (wire.Dialect, bool) {
	if name == "openai-codex-responses" { // the same, for subscribers
		return responses.Dialect, true
	}
	for _, d := range All() {
		if name == d.Name() || name == d.API() {
			return d, true
		}
	}
	return nil, false
}
