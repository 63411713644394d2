// Package jsonw writes JSON objects and arrays in the order of its calls.
// Request bodies are prefixes of each other from call to call, and prompt
// caches compare bytes, so maps and reflection have no place in them.
package jsonw

import (
	"strconv"

	"github.com/coppice-dev/coppice/internal/rawjson"
)

// Object builds an object. The zero value is the empty object. Its methods
// return it, so that calls can be chained.
type Object struct{ buf []byte }

// Raw adds a member whose value is JSON already.
func (o *Object) Raw(name string, value []byte) *Object {
	if len(o.buf) == 0 {
		o.buf = append(o.buf, '{')
	} else {
		o.buf = append(o.buf, ',')
	}
	o.buf = append(o.buf, rawjson.Quote(name)...)
	o.buf = append(o.buf, ':')
	o.buf = append(o.buf, value...)
	return o
}

// OptRaw adds a member unless its value is nil.
func (o *Object) OptRaw(name string, value []byte) *Object {
	if value == nil {
		return o
	}
	return o.Raw(name, value)
}

// Str adds a string. Invalid UTF-8 becomes U+FFFD.
func (o *Object) Str(name, s string) *Object { return o.Raw(name, rawjson.Quote(s)) }

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
	if len(o.buf) == 0 {
		return []byte("{}")
	}
	return append(o.buf, '}')
}

// Array builds an array. The zero value is the empty array.
type Array struct {
	buf []byte
	n   int
}

// Add adds an element that is JSON already.
func (a *Array) Add(value []byte) {
	if a.n == 0 {
		a.buf = append(a.buf, '[')
	} else {
		a.buf = append(a.buf, ',')
	}
	a.buf = append(a.buf, value...)
	a.n++
}

// Len returns the number of elements.
func (a *Array) Len() int { return a.n }

// Bytes returns the array. The builder must not be used afterwards.
func (a *Array) Bytes() []byte {
	if a.n == 0 {
		return []byte("[]")
	}
	return append(a.buf, ']')
}
