// Package check holds what the dialects' Validate functions share: a report
// that collects problems, and the rules that are the same for every vendor.
package check

import (
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/coppice-dev/coppice/internal/jsonw"
	"github.com/coppice-dev/coppice/internal/media"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/wire"
	"github.com/go-json-experiment/json/jsontext"
)

// Rule is a reason for a refusal: its stable name and the refusal text (the
// vendor's own words, or docs/errors.md).
type Rule struct{ Kind, Cites string }

// The rules of all vendors.
var (
	InvalidJSON   = Rule{"invalid-json", "The request body is not valid JSON"}
	BadText       = Rule{"bad-text", "The request body is not valid JSON: no low surrogate in string: line 1 column N (char M)"}
	TooLarge      = Rule{"too-large", `{"error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}`}
	TooMuchOutput = Rule{"max-output", "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]"}
	Image         = Rule{"image", "No endpoints found that support image input"}
	manyTools     = Rule{"too-many-tools", "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 150 instead."}
	manyMessages  = Rule{"too-many-messages", "Invalid 'messages': array too long. Expected an array with maximum length 2048, but got an array with length 2301 instead."}
	LastAssistant = Rule{"last-assistant", "This model does not support assistant message prefill. The conversation must end with a user message."}
	EmptyText     = Rule{"empty-text", "messages: text content blocks must be non-empty"}
)

// Report collects the problems of one body.
type Report struct {
	model    message.Model
	host     media.Host
	size     int64 // of the body, in bytes
	images   int
	tools    int
	pictures []picture
	problems []wire.Problem
	whole    bool // what is about all images has been reported
}

// Body begins a report with what can be said about any body. If it is not a
// JSON object, nothing else can be checked and ok is false.
func Body(body []byte, m message.Model) (r *Report, ok bool) {
	r = &Report{model: m, host: hostOf(m), size: int64(len(body))}
	if m.MaxBytes > 0 && int64(len(body)) > m.MaxBytes {
		r.Add(TooLarge, "", "it has %d bytes, but the limit is %d", len(body), m.MaxBytes)
	}
	if !rawjson.Valid(body) || rawjson.Kind(body) != '{' {
		r.Add(InvalidJSON, "", "the body is not a JSON object")
		return r, false
	}
	if i := jsonw.LoneSurrogate(body); i >= 0 {
		r.Add(BadText, "", "there is half a surrogate pair at byte %d", i)
	}
	if !utf8.Valid(body) {
		r.Add(BadText, "", "there are bytes that are not UTF-8")
	}
	return r, true
}

// Add reports a problem.
func (r *Report) Add(rule Rule, where, format string, args ...any) {
	r.problems = append(r.problems, wire.Problem{
		Kind: rule.Kind, Where: where, Detail: fmt.Sprintf(format, args...), Cites: rule.Cites,
	})
}

// Problems returns what was found, or nil for a clean body.
func (r *Report) Problems() []wire.Problem {
	if !r.whole {
		r.whole = true
		r.media()
		r.tooManyTools()
	}
	return r.problems
}

// MaxOutput reports an output limit in a member of obj if it is above the
// model's.
func (r *Report) MaxOutput(obj []byte, member string) {
	if n := rawjson.Int(rawjson.Get(obj, member)); r.model.MaxOutput > 0 && n > r.model.MaxOutput {
		r.Add(TooMuchOutput, member, "%d output tokens requested, but the limit is %d", n, r.model.MaxOutput)
	}
}

// Text reports text that a vendor treats as empty.
func (r *Report) Text(rule Rule, where string, text jsontext.Value) {
	if Blank(text) {
		r.Add(rule, where, "the text is empty")
	}
}

// Messages reports a list with more messages than the server takes. What it has
// said in a refusal may be of another of its hosts, so it stops no request.
func (r *Report) Messages(list string, n int) {
	if most := r.model.MaxMessages; most > 0 && int64(n) > most {
		r.Add(manyMessages, list, "it has %d, but the limit is %d", n, most)
	}
}

// Tool notes a tool that is offered.
func (r *Report) Tool() { r.tools++ }

// tooManyTools reports more tools than the host takes. Only their owner can choose
// which ones to leave out.
func (r *Report) tooManyTools() {
	switch most, learned := r.host.Tools, r.model.MaxTools; {
	case learned > 0 && int64(r.tools) > learned:
		r.refuse(true, manyTools, "tools", "it offers %d tools, but the server said that its limit is %d", r.tools, learned)
	case most > 0 && r.tools > most:
		r.refuse(r.model.Server == "", manyTools, "tools", "it offers %d tools, but the limit of the host is %d", r.tools, most)
	}
}

// Names checks the names of tools one by one.
type Names struct {
	Duplicate, Invalid Rule
	Max                int // length in bytes
	seen               map[string]bool
}

// Check reports a name that is not accepted or was used before.
func (n *Names) Check(r *Report, where, name string) {
	r.Tool()
	if !ValidName(name, n.Max) {
		r.Add(n.Invalid, where, "the name %q is not accepted", name)
	}
	if n.seen[name] {
		r.Add(n.Duplicate, where, "another tool has the name %q", name)
	}
	if n.seen == nil {
		n.seen = map[string]bool{}
	}
	n.seen[name] = true
}

// ValidName reports whether s has 1 to max letters, digits, _ and -.
func ValidName(s string, max int) bool {
	for i := range len(s) {
		c := s[i]
		if (c|0x20 < 'a' || c|0x20 > 'z') && (c < '0' || c > '9') && c != '_' && c != '-' {
			return false
		}
	}
	return s != "" && len(s) <= max
}

// Blank reports whether a value is missing, is not a string, or is only white
// space.
func Blank(v jsontext.Value) bool {
	for _, r := range rawjson.String(v) {
		switch r {
		case ' ', '\t', '\n', '\r', '\v', '\f', 0x85, 0xA0:
		default:
			return false
		}
	}
	return true
}

// Path joins the parts of a place in a body: Path("messages", 3) is "messages.3".
func Path(parent string, parts ...any) string {
	for _, p := range parts {
		switch p := p.(type) {
		case int:
			parent += "." + strconv.Itoa(p)
		case string:
			parent += "." + p
		}
	}
	return parent
}
