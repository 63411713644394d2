package openai

import (
	"encoding/base64"
	"slices"
	"strings"

	"github.com/coppice-dev/coppice/internal/jsonw"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/wire/internal/prepare"
	"github.com/go-json-experiment/json/jsontext"
)

// Reasoning that no one can read comes with calls in two forms, and goes back with
// them (docs/limits.md, What vendors want back): as a signature, from Google, or as
// an encrypted item of the list reasoning_details, from OpenRouter. In a session
// the item is the signature of its call, as pi keeps it.

// signatureOf reads the signature that Google adds to a call.
func signatureOf(call jsontext.Value) string {
	return str(rawjson.Get(rawjson.Get(call, "extra_content"), "google"), "thought_signature")
}

// sign gives each encrypted item to the call with its id, else to the first one
// that has nothing yet.
func (d *decoder) sign() {
	for _, item := range d.sealed {
		free := func(c *call) bool { return c.signature == "" }
		i := slices.IndexFunc(d.calls, func(c *call) bool { return free(c) && c.id != "" && c.id == str(item, "id") })
		if i < 0 {
			i = slices.IndexFunc(d.calls, free)
		}
		if i >= 0 {
			d.calls[i].signature = string(rawjson.JS(item))
		}
	}
}

// sealedItem returns the item in a call's signature, or nil.
func sealedItem(signature string) []byte {
	raw := []byte(signature)
	if !prepare.Sendable(raw) || !strings.HasPrefix(str(raw, "type"), "reasoning.") {
		return nil
	}
	return jsonw.Clean(raw)
}

// extraContent returns what carries a signature to Google, or nil if there is none
// of Google's.
func extraContent(signature string) []byte {
	if signature != prepare.UnsignedCall {
		if _, err := base64.StdEncoding.DecodeString(signature); err != nil || signature == "" {
			return nil
		}
	}
	var google, extra jsonw.Object
	google.Str("thought_signature", signature)
	extra.Raw("google", google.Bytes())
	return extra.Bytes()
}

// signs reports whether the server refuses calls of Gemini without a signature:
// Google itself, or one that has said so.
func signs(m message.Model, opts message.CallOptions) bool {
	google := strings.Contains(m.Provider, "gemini") || strings.Contains(m.Provider, "google") || strings.Contains(m.Provider, "vertex")
	return prepare.SignsCalls(m) && google || opts.RestoreThinking && strings.Contains(strings.ToLower(m.ID), "gemini")
}
