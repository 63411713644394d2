package scribe

import (
	"strings"

	"github.com/coppice-dev/coppice/internal/jsonw"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
)

// Arguments returns the arguments of a call as a session stores them: raw if
// it is an object, or the text that the model sent instead of JSON.
func Arguments(raw []byte) []byte {
	switch {
	case len(raw) == 0:
		return []byte("{}")
	case !rawjson.Valid(raw):
		return rawjson.Quote(string(raw))
	}
	return jsonw.Clean(rawjson.JS(raw))
}

// Opaque is a block that a session stores unchanged.
func Opaque(raw []byte) message.Block {
	return message.Opaque{Type: rawjson.String(rawjson.Get(raw, "type")), Raw: jsonw.Clean(rawjson.JS(raw))}
}

// DataURL returns the image in a data URL.
func DataURL(url string) (message.Image, bool) {
	head, data, ok := strings.Cut(url, ",")
	mime, isData := strings.CutPrefix(head, "data:")
	mime, isBase64 := strings.CutSuffix(mime, ";base64")
	return message.Image{Data: data, MIMEType: mime}, ok && isData && isBase64
}
