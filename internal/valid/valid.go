// Package valid says what is wrong with the fields of a setting type, in a
// form that a reader of settings files can put next to the line.
package valid

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Field is what is wrong with one field. It completes the sentence "key …".
type Field struct {
	Name string // as in a settings file, below the type's own key; "": the whole value
	Why  string
}

func (f *Field) Error() string {
	if f.Name == "" {
		return f.Why
	}
	return f.Name + " " + f.Why
}

// Member returns the name of a member of a key: a.b, or a["b/c"] if the member
// is not a plain word.
func Member(name, part string) string {
	if part == "" || strings.ContainsAny(part, "./[]\"\\ \t\r\n") {
		return name + "[" + strconv.Quote(part) + "]"
	}
	if name == "" {
		return part
	}
	return name + "." + part
}

// Wrong is an error about a field.
func Wrong(name, format string, args ...any) error {
	return &Field{Name: name, Why: fmt.Sprintf(format, args...)}
}

// Fields returns all fields that an error names, in order.
func Fields(err error) []*Field {
	if f, ok := err.(*Field); ok { //nolint:errorlint // the tree is walked here
		return []*Field{f}
	}
	var out []*Field
	switch e := err.(type) { //nolint:errorlint // likewise
	case interface{ Unwrap() []error }:
		for _, inner := range e.Unwrap() {
			out = append(out, Fields(inner)...)
		}
	case interface{ Unwrap() error }:
		out = Fields(e.Unwrap())
	}
	return out
}

// Below puts the fields of an inner value below its key.
func Below(name string, err error) error {
	var out []error
	for _, f := range Fields(err) {
		inner := name
		if f.Name != "" {
			inner += "." + f.Name
		}
		out = append(out, &Field{Name: inner, Why: f.Why})
	}
	return errors.Join(out...)
}

// Between checks a number; nil is not set.
func Between[T cmp.Ordered](name string, v *T, least, most T) error {
	switch {
	case v == nil:
		return nil
	case *v != *v: //nolint:staticcheck // not a number
		return Wrong(name, "must be a number")
	case *v < least:
		return Wrong(name, "must be at least %v", least)
	case *v > most:
		return Wrong(name, "must be at most %v", most)
	}
	return nil
}

// NotNegative checks a number; nil is not set.
func NotNegative[T ~int | ~int64 | ~float64](name string, v *T) error {
	if v != nil && *v < 0 {
		return Wrong(name, "must be 0 or more, not %v", *v)
	}
	return nil
}

// Seconds checks a time limit.
func Seconds(name string, d time.Duration) error {
	seconds := d.Seconds()
	return Between(name, &seconds, 0, (24 * time.Hour).Seconds())
}

// OneOf checks a word; "" is not set.
func OneOf[T ~string](name string, v T, words []string) error {
	if v != "" && !slices.Contains(words, string(v)) {
		return Wrong(name, "must be one of %s, not %q", strings.Join(words, ", "), string(v))
	}
	return nil
}

// Address checks a web address; "" is not set.
func Address(name, v string) error {
	if v == "" {
		return nil
	}
	p, err := url.Parse(v)
	if err != nil || p.Host == "" || p.Scheme != "http" && p.Scheme != "https" {
		return Wrong(name, "must be an address that begins with http:// or https://")
	}
	return nil
}

// Model checks the name of a model; "" is not set.
func Model(name, v string) error {
	if provider, id, _ := strings.Cut(v, "/"); v != "" && (provider == "" || id == "") {
		return Wrong(name, `must have the form "provider/model"`)
	}
	return nil
}
