package openai

import (
	"strings"

	"github.com/coppice-dev/coppice/internal/jsonw"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/wire/internal/prepare"
)

// cacheControl is the value of the cache marks of a request; nil: none. Other
// models cache by themselves, or refuse the field; OpenRouter passes it on to
// Anthropic's, which cache nothing without.
func cacheControl(m message.Model, opts message.CallOptions) []byte {
	if m.Provider != "openrouter" || !strings.HasPrefix(m.ID, "anthropic/") {
		return nil
	}
	return prepare.CacheControl(opts.CacheLifetime)
}

// textPart is text as a part of a message, with a cache mark where control is
// one.
func textPart(text string, control []byte) []byte {
	b := new(jsonw.Object).Str("type", "text").Str("text", text).Bytes()
	if control != nil {
		b = rawjson.Set(b, "cache_control", control)
	}
	return b
}

// textContent is text as the content of a message: a string, or the one part
// that can carry a mark.
func textContent(o *jsonw.Object, text string, control []byte) {
	if control == nil {
		o.Str("content", text)
		return
	}
	var parts jsonw.Array
	parts.Add(textPart(text, control))
	o.Raw("content", parts.Bytes())
}
