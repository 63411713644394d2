// Package gemini speaks Google's Generative Language API.
package gemini

import (
	"encoding/base64"
	"net/url"
	"strings"

	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/wire"
	"github.com/coppice-dev/coppice/wire/internal/check"
	"github.com/coppice-dev/coppice/wire/internal/prepare"
)

// Dialect is the Generative Language API.
var Dialect wire.Dialect = dialect{}

type dialect struct{}

// api is the name in stored messages.
const api = "google-generative-ai"

// API implements wire.Dialect.
func (dialect) API() string { return api }

// Name implements wire.Dialect.
func (dialect) Name() string { return "gemini" }

// Path implements wire.Dialect. It names the model, because the body does not;
// base URLs end with the version
// ("https://generativelanguage.googleapis.com/v1beta").
func (dialect) Path(m message.Model) string {
	id := url.PathEscape(strings.TrimPrefix(m.ID, "models/"))
	return "/models/" + id + ":streamGenerateContent?alt=sse"
}

const maxName = 64 // bytes of a function's name

func rules() prepare.Rules {
	return prepare.Rules{
		// Calls and responses are matched by position; ids are not sent.
		ID:       func(stored string) string { return stored },
		Name:     toolName,
		Thinking: func(t message.Thinking) bool { return !prepare.Blank(t.Thinking) && signature(t.Signature) },
	}
}

// toolName also fixes the first character, which must not be a digit or -.
func toolName(name string) string {
	if validName(name) {
		return name
	}
	return "_" + prepare.Fit(name, maxName-1)
}

func validName(name string) bool {
	return check.ValidName(name, maxName) && name[0] != '-' && (name[0] < '0' || name[0] > '9')
}

// signature reports whether s can be a thought signature: bytes as base64.
// Messages from other vendors have other things there.
func signature(s string) bool {
	if s == "" {
		return false
	}
	s = strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(s, "="))
	_, err := base64.RawStdEncoding.DecodeString(s)
	return err == nil
}

func str(obj []byte, name string) string { return rawjson.String(rawjson.Get(obj, name)) }

// get reads a member that the vendor accepts in two spellings.
func get(obj []byte, camel, snake string) []byte {
	if v := rawjson.Get(obj, camel); v != nil {
		return v
	}
	return rawjson.Get(obj, snake)
}
