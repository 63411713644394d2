// Package jsonw writes JSON objects and arrays in the order of its calls. Each
// request body begins like the one before, and prompt caches compare bytes, so
// maps and reflection are not used.
package jsonw

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/go-json-experiment/json/jsontext"
)

// Object builds an object. The zero value is the empty object. Its methods
// return it, so that calls can be chained. Values must not change before
// Bytes.
type Object struct {
	parts [][]byte // what comes before buf
	buf   []byte
}

// large is the size in bytes from which a value is not copied until the whole
// is put together: otherwise a history would be copied each time the buffer
// grows.
const large = 16 << 10

// Raw adds a member whose value is JSON already.
func (o *Object) Raw(name string, value []byte) *Object {
	if len(value) < large {
		o.member(name, len(value))
		o.buf = append(o.buf, value...)
		return o
	}
	o.member(name, 0)
	o.parts = append(o.parts, o.buf, value)
	o.buf = nil
	return o
}

// member begins a member whose value has about so many bytes.
func (o *Object) member(name string, size int) {
	next := byte(',')
	if o.empty() {
		next = '{'
	}
	o.buf = slices.Grow(o.buf, len(name)+size+len(`{"":}`))
	o.buf = append(quote(append(o.buf, next), name), ':')
}

// quote appends s as rawjson.Quote writes it.
func quote(buf []byte, s string) []byte {
	buf, _ = jsontext.AppendQuote(buf, s) // invalid UTF-8 became U+FFFD
	return buf
}

func (o *Object) empty() bool { return len(o.buf) == 0 && len(o.parts) == 0 }

// OptRaw adds a member unless its value is nil.
func (o *Object) OptRaw(name string, value []byte) *Object {
	if value == nil {
		return o
	}
	return o.Raw(name, value)
}

// Str adds a string. Invalid UTF-8 becomes U+FFFD.
func (o *Object) Str(name, s string) *Object {
	if len(s) >= large {
		return o.Raw(name, rawjson.Quote(s))
	}
	o.member(name, len(s)+len(s)/16+len(`""`)) // some characters are escaped
	o.buf = quote(o.buf, s)
	return o
}

// OptStr adds a string unless it is empty.
func (o *Object) OptStr(name, s string) *Object {
	if s == "" {
		return o
	}
	return o.Str(name, s)
}

// Int adds a whole number.
func (o *Object) Int(name string, n int64) *Object {
	return o.Raw(name, strconv.AppendInt(nil, n, 10))
}

// Float adds a number in JavaScript's shortest form.
func (o *Object) Float(name string, f float64) *Object {
	return o.Raw(name, rawjson.JS(strconv.AppendFloat(nil, f, 'g', -1, 64)))
}

// Bool adds true or false.
func (o *Object) Bool(name string, b bool) *Object {
	return o.Raw(name, strconv.AppendBool(nil, b))
}

// Bytes returns the object. The builder must not be used afterwards.
func (o *Object) Bytes() []byte {
	if o.empty() {
		return []byte("{}")
	}
	o.buf = append(o.buf, '}')
	if o.parts == nil {
		return o.buf
	}
	return bytes.Join(append(o.parts, o.buf), nil)
}

// Array builds an array. The zero value is the empty array. Values must not
// change before Bytes.
type Array struct{ values [][]byte }

// Add adds an element that is JSON already.
func (a *Array) Add(value []byte) { a.values = append(a.values, value) }

// Len returns the number of elements.
func (a *Array) Len() int { return len(a.values) }

// Bytes returns the array. The builder must not be used afterwards.
func (a *Array) Bytes() []byte {
	size := len("[]") + len(a.values)
	for _, v := range a.values {
		size += len(v)
	}
	out := append(make([]byte, 0, size), '[')
	for i, v := range a.values {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, v...)
	}
	return append(out, ']')
}
