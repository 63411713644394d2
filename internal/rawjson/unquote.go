package rawjson

import (
	"bytes"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// String decodes a JSON string. Lone surrogates and bytes that are not UTF-8
// become U+FFFD. A value that is not a string gives "".
func String(v []byte) string {
	v = bytes.TrimSpace(v)
	if len(v) < 2 || v[0] != '"' {
		return ""
	}
	body := v[1 : len(v)-1]
	if !utf8.Valid(body) {
		out, _ := jsontext.AppendUnquote(nil, v) // the error only tells of U+FFFD
		return string(out)
	}
	slash := bytes.IndexByte(body, '\\')
	if slash < 0 {
		return string(body)
	}
	var s strings.Builder
	s.Grow(len(body)) // no escape is shorter than what it stands for
	for ; slash >= 0; slash = bytes.IndexByte(body, '\\') {
		s.Write(body[:slash])
		body = body[slash:]
		body = body[unescape(&s, body):]
	}
	s.Write(body)
	return s.String()
}

// escapes are the characters for one letter after a backslash.
var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// unescape writes what the escape at the start of b stands for and returns
// its length.
func unescape(s *strings.Builder, b []byte) int {
	if len(b) < 2 {
		return len(b)
	}
	if c := escapes[b[1]]; c != 0 {
		s.WriteByte(c)
		return 2
	}
	r, ok := hex4(b)
	if !ok {
		return 2
	}
	if !utf16.IsSurrogate(r) {
		s.WriteRune(r)
		return 6
	}
	if low, ok := hex4(b[6:]); ok {
		if whole := utf16.DecodeRune(r, low); whole != utf8.RuneError {
			s.WriteRune(whole)
			return 12
		}
	}
	s.WriteRune(utf8.RuneError)
	return 6
}
