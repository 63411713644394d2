package openai

import (
	"strings"

	"github.com/coppice-dev/coppice/internal/jsonw"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/wire/internal/prepare"
)

// cacheControl returns the value of the cache marks of a request, or nil.
// OpenRouter passes the marks on to Anthropic's models, which cache nothing
// without them; other models cache automatically or refuse the field.
func cacheControl(m message.Model, opts message.CallOptions) []byte {
	if m.Provider != "openrouter" || !strings.HasPrefix(m.ID, "anthropic/") {
		return nil
	}
	return prepare.CacheControl(opts.CacheLifetime)
}

// textPart is text as a part of a message, with a cache mark if control is not
// nil.
func textPart(text string, control []byte) []byte {
	b := new(jsonw.Object).Str("type", "text").Str("text", text).Bytes()
	if control != nil {
		b = rawjson.Set(b, "cache_control", control)
	}
	return b
}

// textContent is text as the content of a message: a string, or a single part
// if it carries a mark.
func textContent(o *jsonw.Object, text string, control []byte) {
	if control == nil {
		o.Str("content", text)
		return
	}
	var parts jsonw.Array
	parts.Add(textPart(text, control))
	o.Raw("content", parts.Bytes())
}
