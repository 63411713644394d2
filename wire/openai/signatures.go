package openai

import (
	"encoding/base64"
	"strings"

	"github.com/coppice-dev/coppice/internal/jsonw"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/wire/internal/prepare"
	"github.com/go-json-experiment/json/jsontext"
)

// Signatures that Google and OpenRouter add to calls go back with them
// (docs/limits.md, What vendors want back).

// signatureOf reads the signature that Google adds to a call.
func signatureOf(call jsontext.Value) string {
	return str(rawjson.Get(rawjson.Get(call, "extra_content"), "google"), "thought_signature")
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
