package provider

import (
	"bytes"
	"html"
	"strconv"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/coppice-dev/coppice/internal/lazy"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/internal/safetext"
)

const (
	maxFlat    = 16 << 10 // bytes of an answer that are looked at; longer ones lose their middle
	maxWords   = 2000     // UTF-16 units of the provider's words that are kept
	maxWrapped = 8        // how many layers are searched for the provider's words
)

// flatten makes one line of lower-case text out of an answer: escapes of JSON,
// Python and HTML are undone however often they were applied; JSON's own
// punctuation stays. A wrapped error then reads like a plain one with some noise
// around it.
func flatten(body []byte) string {
	if len(body) > maxFlat {
		body = append(append(bytes.Clone(body[:maxFlat/2]), ' '), body[len(body)-maxFlat/2:]...)
	}
	s := strings.ToValidUTF8(string(body), " ")
	for range maxWrapped {
		t := html.UnescapeString(unescape(s))
		if t == s {
			break
		}
		s = t
	}
	s = typography().Replace(strings.ToLower(s))
	return strings.Join(strings.Fields(s), " ")
}

var typography = sync.OnceValue(func() *strings.Replacer {
	return strings.NewReplacer("\u2019", "'", "\u2018", "'", "`", "'", "\u201c", `"`, "\u201d", `"`, "\u2026", "...")
})

// unescape undoes one layer of \" \n \u0022 \x22. A run of backslashes counts
// as one, so text that was quoted many times is read in one go.
func unescape(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); {
		if s[i] != '\\' {
			out = append(out, s[i])
			i++
			continue
		}
		for i < len(s) && s[i] == '\\' {
			i++
		}
		if i == len(s) {
			break
		}
		switch c := s[i]; c {
		case 'n', 'N', 'r', 'R', 't', 'T':
			out = append(out, ' ')
			i++
		case 'u', 'U':
			out, i = appendHex(out, s, i, 4)
		case 'x', 'X':
			out, i = appendHex(out, s, i, 2)
		default:
			out = append(out, c)
			i++
		}
	}
	return string(out)
}

// appendHex decodes the hexadecimal digits after s[i]; if there are none the
// letter itself is kept.
func appendHex(out []byte, s string, i, digits int) ([]byte, int) {
	r, ok := hexAt(s, i+1, digits)
	if !ok {
		return append(out, s[i]), i + 1
	}
	i += 1 + digits
	if utf16.IsSurrogate(r) {
		if j := i + 2; j <= len(s) && s[i] == '\\' {
			if low, ok := hexAt(s, j, digits); ok && utf16.DecodeRune(r, low) != utf8.RuneError {
				return utf8.AppendRune(out, utf16.DecodeRune(r, low)), j + digits
			}
		}
	}
	return utf8.AppendRune(out, r), i
}

func hexAt(s string, i, digits int) (rune, bool) {
	if i+digits > len(s) {
		return 0, false
	}
	n, err := strconv.ParseUint(s[i:i+digits], 16, 32)
	return rune(n), err == nil
}

var codeField = lazy.Regexp(`["']?\b(?:code|type|__type|status|reason|error_code|errorcode|error|finish_reason|stop_reason)["']?\s*[:=]\s*["']([a-z0-9_.-]{2,64})["']`)

// codeFields collects the values of fields that hold an error's type or code.
func codeFields(text string) map[string]bool {
	codes := map[string]bool{}
	for _, m := range codeField().FindAllStringSubmatch(text, -1) {
		codes[m[1]] = true
	}
	return codes
}

var (
	statusStart = lazy.Regexp(`^\W*(?:(?:message|api|http|server|client|apierror|error|exception|failed|response|unexpected)\b\W*)*(?:(?:status|error) ?(?:code)?\W*)?([45]\d\d)\b`)
	statusWords = lazy.Regexp(`(?:\bhttp(?:/\d(?:\.\d)?)?\W{0,2}|\bstatus\W{0,4}|\bstatus[ _]?code\W{0,5}|\berror code\W{0,3}|api error \(|["']code["']:\s?)([45]\d\d)\b|\b([45]\d\d) status code`)
)

// statusInText finds an HTTP status that a text names, or 0.
func statusInText(text string) int {
	m := statusStart().FindStringSubmatch(text)
	if m == nil {
		m = statusWords().FindStringSubmatch(text)
	}
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(strings.Join(m[1:], "")) // three digits, in one of the groups
	return n
}

// words finds the provider's message for people, inside however many layers of
// JSON, for Fault.Message.
func words(body []byte) string {
	s := dig(body, maxWrapped)
	if isPage(s) {
		return pageWords(s)
	}
	s = strings.Join(strings.Fields(safetext.Sanitize(s)), " ")
	return safetext.CutHead(s, maxWords)
}

func dig(b []byte, depth int) string {
	b = bytes.TrimSpace(b)
	if depth == 0 || len(b) == 0 {
		return string(b)
	}
	if rawjson.Valid(b) {
		switch rawjson.Kind(b) {
		case '{':
			return digObject(b, depth)
		case '[':
			for e := range rawjson.Elements(b) {
				if w := dig(e, depth-1); w != "" {
					return w
				}
			}
			return ""
		case '"':
			return dig([]byte(rawjson.String(b)), depth-1)
		}
		return string(b)
	}
	start, end := bytes.IndexByte(b, '{'), bytes.LastIndexByte(b, '}')
	if start >= 0 && end > start && rawjson.Valid(b[start:end+1]) {
		if w := digObject(b[start:end+1], depth); w != "" {
			return w
		}
	}
	return string(b)
}

// digObject tries the fields in which vendors put their message. A gateway's
// "raw" is the vendor's own error, so it comes first.
func digObject(obj []byte, depth int) string {
	for _, name := range []string{"metadata", "raw", "error", "message", "detail", "errorMessage", "error_message", "msg", "response", "errors"} {
		v := rawjson.Get(obj, name)
		switch rawjson.Kind(v) {
		case '{', '[', '"':
			if w := dig(v, depth-1); w != "" && (name != "metadata" || rawjson.Get(v, "raw") != nil) {
				return w
			}
		}
	}
	if depth < maxWrapped {
		return "" // a part that says nothing to people
	}
	return string(obj)
}
