package export

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/session"
	"github.com/go-json-experiment/json/jsontext"
)

// Masked returns log with the secrets masked in every text of its entries. It
// is read-only. Ids, signatures and images stay as they are.
func Masked(log session.Log, mask func(string) string) session.Log {
	return &maskedLog{Log: log, mask: mask}
}

type maskedLog struct {
	session.Log
	mask func(string) string
}

func (l *maskedLog) Header() session.Header {
	h := l.Log.Header()
	h.Cwd, h.ParentSession = l.mask(h.Cwd), l.mask(h.ParentSession)
	h.Raw = nil // has the texts without masking
	return h
}

func (l *maskedLog) Leaf(ctx context.Context) (*session.Entry, error) {
	return l.masked(l.Log.Leaf(ctx))
}

func (l *maskedLog) Parent(ctx context.Context, e *session.Entry) (*session.Entry, error) {
	return l.masked(l.Log.Parent(ctx, e))
}

func (l *maskedLog) Find(ctx context.Context, id string, at int64) (*session.Entry, error) {
	return l.masked(l.Log.Find(ctx, id, at))
}

func (l *maskedLog) All(ctx context.Context) iter.Seq2[*session.Entry, error] {
	return func(yield func(*session.Entry, error) bool) {
		for e, err := range l.Log.All(ctx) {
			if !yield(l.masked(e, err)) || err != nil {
				return
			}
		}
	}
}

// Append refuses, because what was read here differs from the log.
func (l *maskedLog) Append(context.Context, []*session.Entry) ([]*session.Entry, error) {
	return nil, fmt.Errorf("masked view of %s: %w", l.Ref(), session.ErrReadOnly)
}

func (l *maskedLog) masked(e *session.Entry, err error) (*session.Entry, error) {
	if e == nil || err != nil {
		return e, err
	}
	raw, err := e.Raw()
	if err != nil {
		return nil, err
	}
	masked := maskJSON(raw, l.mask)
	if bytes.Equal(raw, masked) {
		return e, nil
	}
	out, _ := session.ParseEntry(masked)
	out.ID, out.ParentID, out.At = e.ID, e.ParentID, e.At // reading may have derived the ids
	return out, nil
}

// unmasked are the members whose texts are for programs: references, names of
// types, and what only a vendor can read. In the arguments of a call they are
// texts like any other.
var unmasked = map[string]bool{"id": true, "parentId": true, "type": true, "role": true, "timestamp": true, "targetId": true,
	"firstKeptEntryId": true, "fromId": true, "compactionId": true, "toolCallId": true, "toolName": true, "customType": true,
	"mimeType": true, "textSignature": true, "thinkingSignature": true, "thoughtSignature": true, "stopReason": true}

// level is where in a value a text is.
type level struct {
	name      string // of the member that it belongs to
	arguments bool   // it is in the arguments of a call
}

// maskJSON masks the texts in a JSON value, at any depth. A text whose name
// marks it as a secret ("password": "…") is masked too. All else stays as it is
// written.
func maskJSON(raw []byte, mask func(string) string) []byte {
	var out []byte
	var outer []level
	var at level
	done := 0
	for m := range rawjson.Marks(raw) {
		switch {
		case m.Open:
			outer = append(outer, at)
			at.arguments = at.arguments || at.name == "arguments" && raw[m.From] == '{'
		case m.Close:
			at, outer = outer[len(outer)-1], outer[:len(outer)-1]
		case m.Name:
			at.name = rawjson.String(raw[m.From:m.To])
		default:
			text := rawjson.String(raw[m.From:m.To])
			if unmasked[at.name] && !at.arguments || at.name == "data" && isBase64(text) {
				continue
			}
			if masked := maskNamed(at.name, text, mask); masked != text {
				out = append(append(out, raw[done:m.From]...), rawjson.Quote(masked)...)
				done = m.To
			}
		}
	}
	if done == 0 {
		return raw
	}
	return append(out, raw[done:]...)
}

// isBase64 distinguishes an image from a text.
func isBase64(s string) bool {
	const least = 200 // longer than any key that is written like this
	if len(s) < least {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && c != '+' && c != '/' && c != '=' {
			return false
		}
	}
	return true
}

// maxNamed is the greatest length of a text that is masked because of its name
// alone.
const maxNamed = 1 << 10

func maskNamed(name, text string, mask func(string) string) string {
	masked := mask(text)
	if masked != text || len(text) > maxNamed {
		return masked
	}
	const sign = `": "`
	probe := `"` + name + sign + text + `"`
	got := mask(probe)
	if got == probe {
		return text
	}
	if i := strings.Index(got, sign); i >= 0 && got[:i] == `"`+name {
		return strings.TrimSuffix(got[i+len(sign):], `"`)
	}
	return got // the name was matched as a part of it
}

// compactJSON returns raw without white space, or raw itself if that fails.
func compactJSON(raw []byte) string {
	v := jsontext.Value(bytes.Clone(raw))
	if rawjson.Kind(raw) == 'n' || v.Compact(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) != nil {
		return string(raw)
	}
	return string(v)
}
