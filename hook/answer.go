package hook

import (
	"bytes"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/coppice-dev/coppice/internal/jsonw"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/go-json-experiment/json/jsontext"
)

// answer reads a program's answer. Its methods take members out; the first
// member of a wrong type becomes the error.
type answer struct {
	fields map[string]jsontext.Value
	names  []string // of all members, in order
	prefix string   // prefix of the names, if this is a member of the answer
	said   Ruling   // once they were read
	err    error
	inner  []*answer
}

// parseAnswer reads a JSON object. No output, white space and null are the
// empty answer.
func parseAnswer(out []byte) (*answer, error) {
	out = bytes.TrimSpace(out)
	if len(out) == 0 {
		return &answer{}, nil
	}
	if !utf8.Valid(out) || !rawjson.Valid(out) {
		return nil, fmt.Errorf("the answer is not JSON: %s", excerpt(out))
	}
	switch rawjson.Kind(out) {
	case 'n':
		return &answer{}, nil
	case '{':
		return readObject(jsonw.Clean(out), ""), nil
	}
	return nil, fmt.Errorf("the answer is not a JSON object: %s", excerpt(out))
}

func readObject(raw []byte, prefix string) *answer {
	a := &answer{fields: map[string]jsontext.Value{}, prefix: prefix}
	for name, v := range rawjson.Members(raw) {
		a.fields[name] = v
		a.names = append(a.names, name)
	}
	return a
}

// take returns a member of one of the kinds, or nil if it is absent or null.
func (a *answer) take(name, want string, kinds ...byte) jsontext.Value {
	v, ok := a.fields[name]
	delete(a.fields, name)
	if !ok || rawjson.Kind(v) == 'n' {
		return nil
	}
	if !slices.Contains(kinds, rawjson.Kind(v)) {
		a.fail(fmt.Errorf("%s%s is not %s: %s", a.prefix, name, want, excerpt(v)))
		return nil
	}
	return v
}

func (a *answer) fail(err error) {
	if a.err == nil {
		a.err = err
	}
}

func (a *answer) bool(name string) bool { return rawjson.Bool(a.take(name, "a boolean", 't', 'f')) }

// optBool distinguishes false from absent.
func (a *answer) optBool(name string) *bool {
	v := a.take(name, "a boolean", 't', 'f')
	if v == nil {
		return nil
	}
	b := rawjson.Bool(v)
	return &b
}

func (a *answer) str(name string) string {
	s := a.optStr(name)
	if s == nil {
		return ""
	}
	return *s
}

// optStr distinguishes an empty string from absent.
func (a *answer) optStr(name string) *string {
	v := a.take(name, "a string", '"')
	if v == nil {
		return nil
	}
	s := rawjson.String(v)
	return &s
}

// count returns a number that is not negative; nil: absent.
func (a *answer) count(name string) *int64 {
	v := a.take(name, "a number", '0')
	if v == nil {
		return nil
	}
	n := rawjson.Int(v)
	if n < 0 {
		a.fail(fmt.Errorf("%s%s must be 0 or more, not %s", a.prefix, name, excerpt(v)))
	}
	return &n
}

// any returns the bytes of a value of any kind.
func (a *answer) any(name string) []byte {
	return a.take(name, "JSON", '{', '[', '"', '0', 't', 'f')
}

// object returns an object's bytes.
func (a *answer) object(name string) []byte { return a.take(name, "an object", '{') }

// sub reads an object's members. It returns nil if the object is absent.
func (a *answer) sub(name string) *answer {
	v := a.object(name)
	if v == nil {
		return nil
	}
	in := readObject(v, a.prefix+name+".")
	a.inner = append(a.inner, in)
	return in
}

// lines returns an array of strings, or one string as its only element.
func (a *answer) lines(name string) []string {
	v := a.take(name, "an array of strings", '[', '"')
	if rawjson.Kind(v) == '"' {
		return []string{rawjson.String(v)}
	}
	var out []string
	for e := range rawjson.Elements(v) {
		if rawjson.Kind(e) != '"' {
			a.fail(fmt.Errorf("%s%s has an element that is not a string: %s", a.prefix, name, excerpt(e)))
			return nil
		}
		out = append(out, rawjson.String(e))
	}
	return out
}

// ruling takes the members that every answer may have.
func (a *answer) ruling() Ruling { return Ruling{Cancel: a.bool("cancel"), Why: a.str("reason")} }

// join adopts the error of an inner object.
func (a *answer) join() {
	for _, in := range a.inner {
		in.join()
		if in.err != nil {
			a.fail(in.err)
		}
	}
}

// unknown returns the names of the members that were not taken, inner ones
// too.
func (a *answer) unknown() []string {
	var out []string
	for _, name := range a.names {
		if _, left := a.fields[name]; left {
			out = append(out, a.prefix+name)
		}
	}
	for _, in := range a.inner {
		out = append(out, in.unknown()...)
	}
	return out
}

// excerpt returns the beginning of what a program wrote, on one line.
func excerpt(b []byte) string {
	const limit = 200
	s := string(bytes.ToValidUTF8(bytes.Join(bytes.Fields(b[:min(len(b), 4*limit)]), []byte(" ")), []byte("\uFFFD")))
	if r := []rune(s); len(r) > limit {
		return string(r[:limit]) + "…"
	}
	return s
}
