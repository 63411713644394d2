package pi

import (
	"bytes"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"

	"github.com/coppice-dev/coppice/internal/codec"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
)

// translate turns what pi's relatives write differently, and what the model
// has to see, into entries of version 3. Everything else stays as it is.
func (r *reader) translate(raw []byte) []byte {
	switch session.Type(str(raw, "type")) {
	case session.TypeMessage:
		if m := rawjson.Get(raw, "message"); rawjson.Kind(m) == '{' {
			if n := r.message(m); !bytes.Equal(m, n) {
				return rawjson.Set(raw, "message", n)
			}
		}
	case session.TypeCustomMessage:
		return r.images(raw)
	case "reset_boundary":
		// oh-my-pi's /clear: nothing from before is shown, not even a summary.
		raw = rawjson.Set(raw, "type", rawjson.Quote(string(session.TypeCompaction)))
		raw = rawjson.Set(raw, "summary", []byte(`""`))
		raw = rawjson.Set(raw, "firstKeptEntryId", rawjson.Get(raw, "id"))
		return rawjson.Set(raw, "tokensBefore", []byte("0"))
	}
	return raw
}

func (r *reader) message(m []byte) []byte {
	switch role := str(m, "role"); message.Role(role) {
	case message.RoleUser, message.RoleAssistant, message.RoleToolResult, message.RoleBashExecution, message.RoleCustom,
		message.RoleSystem, message.RoleCompactionSummary, message.RoleBranchSummary:
	case "hookMessage": // the name of custom before version 3
		m = rawjson.Set(m, "role", rawjson.Quote(string(message.RoleCustom)))
	case "developer": // what oh-my-pi itself says to the model
		m = rawjson.Set(m, "role", rawjson.Quote(string(message.RoleCustom)))
		m = rawjson.Set(m, "customType", []byte(`"developer"`))
		m = rawjson.Set(m, "display", []byte("false"))
	default:
		r.sink.Skip("message of role " + role + " (kept, not shown to the model)")
	}
	return r.images(m)
}

// blobPrefix is what oh-my-pi writes instead of the data of an image that it
// keeps in a separate file, named by the hash after the prefix.
const blobPrefix = "blob:sha256:"

// images puts images that are kept in other files into the content of a
// message.
func (r *reader) images(m []byte) []byte {
	content := rawjson.Get(m, "content")
	if rawjson.Kind(content) != '[' || !bytes.Contains(content, []byte(blobPrefix)) {
		return m
	}
	list := []byte{'['}
	for b := range rawjson.Elements(content) {
		if len(list) > 1 {
			list = append(list, ',')
		}
		list = append(list, r.image(b)...)
	}
	return rawjson.Set(m, "content", append(list, ']'))
}

func (r *reader) image(b []byte) []byte {
	hash, ok := strings.CutPrefix(str(b, "data"), blobPrefix)
	if !ok || str(b, "type") != "image" {
		return b
	}
	data, ok := r.blobs.read(hash)
	if !ok {
		r.sink.Skip("image whose file is missing")
		missing := []message.Block{message.Text{Text: "(image left out: its file " + hash + " is missing)"}}
		return bytes.Trim(codec.EncodeContent(missing), "[]")
	}
	return rawjson.Set(b, "data", rawjson.Quote(data))
}

// blobs is oh-my-pi's folder of images, or "".
type blobs string

// newBlobs finds the folder for a session file: it is next to the folder of
// all sessions.
func newBlobs(path string) blobs {
	const levels = 4
	dir := filepath.Dir(path)
	for range levels {
		p := filepath.Join(dir, "blobs")
		if info, err := os.Stat(p); err == nil && info.IsDir() {
			return blobs(p)
		}
		dir = filepath.Dir(dir)
	}
	return ""
}

// read returns an image as base64. Only a hash can name one, so that a session
// cannot make us read other files.
func (b blobs) read(hash string) (string, bool) {
	const digits = 64
	if b == "" || len(hash) != digits || strings.Trim(hash, "0123456789abcdef") != "" {
		return "", false
	}
	data, err := os.ReadFile(filepath.Join(string(b), hash))
	if err != nil {
		return "", false
	}
	if _, err := base64.StdEncoding.DecodeString(string(data)); err == nil {
		return string(data), true // kept in the form in which it is sent
	}
	return base64.StdEncoding.EncodeToString(data), true
}
