// Package oracle is a second opinion on request bytes. It says what a vendor
// would refuse, and was written only from the vendors' descriptions: it shares no
// code with package wire, whose Validate it checks, and reads bodies with the
// standard library's decoder. Only tests use it.
package oracle

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Check returns what is wrong with a request body in a dialect (anthropic,
// openai-chat, openai-responses, gemini), one sentence each.
func Check(dialect string, body []byte) []string {
	c := &checker{}
	if !utf8.Valid(body) {
		c.say("the body is not UTF-8")
	}
	if s := lone(body); s != nil {
		c.say("a lone surrogate: %s", s)
	}
	var b object
	if err := json.Unmarshal(body, &b); err != nil {
		c.say("the body is not a JSON object: %v", err)
		return c.found
	}
	switch dialect {
	case "anthropic":
		c.anthropic(b)
	case "openai-chat":
		c.chat(b)
	case "openai-responses":
		c.responses(b)
	case "gemini":
		c.gemini(b)
	default:
		c.say("unknown dialect %q", dialect)
	}
	return c.found
}

type object = map[string]any

type checker struct{ found []string }

func (c *checker) say(format string, args ...any) {
	c.found = append(c.found, fmt.Sprintf(format, args...))
}

var (
	plainID    = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)
	toolName   = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	geminiName = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$`)
	imageTypes = map[string]bool{"image/png": true, "image/jpeg": true, "image/gif": true, "image/webp": true}
)

// lone finds an escaped surrogate that is not half of a pair; nil if there is
// none.
func lone(body []byte) []byte {
	for {
		i := bytes.IndexByte(body, '\\')
		if i < 0 || i+1 == len(body) {
			return nil
		}
		body = body[i:]
		unit, ok := surrogate(body)
		if !ok {
			body = body[2:]
			continue
		}
		second, ok := surrogate(body[6:])
		if unit >= 0xDC00 || !ok || second < 0xDC00 {
			return body[:6]
		}
		body = body[12:]
	}
}

// surrogate reads an escaped surrogate at the beginning of b.
func surrogate(b []byte) (unit uint64, ok bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	unit, err := strconv.ParseUint(string(b[2:6]), 16, 16)
	return unit, err == nil && unit >= 0xD800 && unit < 0xE000
}

func text(v any) string   { s, _ := v.(string); return s }
func list(v any) []any    { l, _ := v.([]any); return l }
func obj(v any) object    { o, _ := v.(object); return o }
func blank(s string) bool { return strings.TrimSpace(s) == "" }
func isObject(v any) bool { _, ok := v.(object); return ok }
func has(o object, k string) bool {
	_, ok := o[k]
	return ok
}

// base64Data checks the data of an image.
func (c *checker) base64Data(where, mime, data string) {
	if !imageTypes[mime] {
		c.say("%s: an image of type %q", where, mime)
	}
	if data == "" {
		c.say("%s: an image without data", where)
	} else if _, err := base64.StdEncoding.DecodeString(data); err != nil {
		c.say("%s: image data is not base64: %v", where, err)
	}
}

// dataURL checks an image given as a data: URL.
func (c *checker) dataURL(where, url string) {
	if strings.HasPrefix(url, "https://") {
		return
	}
	rest, ok := strings.CutPrefix(url, "data:")
	mime, data, cut := strings.Cut(rest, ";base64,")
	if !ok || !cut {
		c.say("%s: not an image URL", where)
		return
	}
	c.base64Data(where, mime, data)
}

// tools checks the names of tool definitions.
func (c *checker) names(where string, names []string, form *regexp.Regexp, most int) {
	seen := map[string]bool{}
	for _, n := range names {
		if !form.MatchString(n) {
			c.say("%s: tool name %q", where, n)
		}
		if seen[n] {
			c.say("%s: two tools named %q", where, n)
		}
		seen[n] = true
	}
	if len(names) > most {
		c.say("%s: %d tools", where, len(names))
	}
}
