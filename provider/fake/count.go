package fake

import (
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/tokens"
)

// count counts the tokens of a text.
func (s *Server) count(text string) int64 {
	if s.Count != nil {
		return s.Count(text)
	}
	return tokens.Default{}.Text(text)
}

// cut returns the longest prefix of text of at most limit tokens. Tokens grow
// with the text, near enough for a search.
func (s *Server) cut(text string, limit int64) string {
	n := sort.Search(len(text), func(n int) bool { return s.count(text[:n]) > limit })
	for n--; n > 0 && !utf8.RuneStart(text[n]); n-- {
	}
	return text[:max(n, 0)]
}

// spoken are the fields of a body whose text the model reads.
var spoken = []string{"system", "systemInstruction", "system_instruction", "instructions", "tools", "messages", "input", "contents"}

// said returns every text that a model would read in a request: all strings below
// the spoken fields except media and signatures.
func said(body []byte) []string {
	var out []string
	for _, name := range spoken {
		out = collect(out, name, rawjson.Get(body, name))
	}
	return out
}

// silent are fields whose strings are not read as text.
var silent = map[string]bool{"data": true, "image_url": true, "signature": true, "thoughtSignature": true,
	"encrypted_content": true, "id": true, "tool_use_id": true, "tool_call_id": true, "call_id": true,
	"type": true, "role": true, "media_type": true, "mimeType": true}

func collect(out []string, name string, v []byte) []string {
	if silent[name] {
		return out
	}
	switch rawjson.Kind(v) {
	case '"':
		return append(out, rawjson.String(v))
	case '[':
		for e := range rawjson.Elements(v) {
			out = collect(out, "", e)
		}
	case '{':
		for k, m := range rawjson.Members(v) {
			out = collect(out, k, m)
		}
	}
	return out
}

// modelOf finds the requested model, in the body or in the path.
func modelOf(path string, body []byte) string {
	if m := rawjson.String(rawjson.Get(body, "model")); m != "" {
		return m
	}
	_, rest, _ := strings.Cut(path, "/models/")
	name, _, _ := strings.Cut(rest, ":")
	return name
}

// maxOutput finds the requested output limit.
func maxOutput(body []byte) int64 {
	for _, name := range []string{"max_tokens", "max_completion_tokens", "max_output_tokens"} {
		if n := rawjson.Int(rawjson.Get(body, name)); n > 0 {
			return n
		}
	}
	return rawjson.Int(rawjson.Get(rawjson.Get(body, "generationConfig"), "maxOutputTokens"))
}
