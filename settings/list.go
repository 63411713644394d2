package settings

import (
	"encoding"
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/coppice-dev/coppice/internal/jsonw"
	"github.com/coppice-dev/coppice/internal/rawjson"

	"github.com/coppice-dev/coppice/internal/valid"
)

// Resolved is one line of the listing (docs/cli.md). Secrets are masked.
type Resolved struct {
	Key     string         `json:"key"`
	Value   jsontext.Value `json:"value"`   // null: unset
	Default jsontext.Value `json:"default"` // null: unset
	Source  Source         `json:"source"`
	Help    string         `json:"help"`
}

// list returns the listing: one line for each key, and one for each member of
// a key that maps names to values.
func (r *resolver) list() []Resolved {
	var out []Resolved
	add := func(name string, v, def jsontext.Value, help string) {
		source, ok := r.sources[name]
		if !ok {
			source = Source{Layer: layerDefault}
		}
		out = append(out, Resolved{Key: name, Value: v, Default: def, Source: source, Help: help})
	}
	for _, k := range table {
		s, ok := r.slots[k.name]
		if !ok {
			continue
		}
		if s.v.Kind() != reflect.Map || s.v.Len() == 0 {
			add(k.name, show(k.name, s.v, s.def), show(k.name, s.def, s.def), k.help)
			continue
		}
		byName := map[string]reflect.Value{}
		for name, elem := range s.v.Seq2() {
			byName[name.String()] = elem
		}
		for _, name := range slices.Sorted(maps.Keys(byName)) {
			add(valid.Member(k.name, name), encode("", byName[name]), jsontext.Value("null"), k.help)
		}
	}
	return out
}

// show encodes a value. A zero text or number counts as unset if its default
// is zero.
func show(name string, v, def reflect.Value) jsontext.Value {
	switch {
	case v.Kind() == reflect.Slice && v.Len() == 0:
		return jsontext.Value("[]")
	case v.Kind() == reflect.Map && v.Len() == 0:
		return jsontext.Value("{}")
	case v.Kind() != reflect.Bool && v.IsZero() && def.IsZero():
		return jsontext.Value("null")
	}
	return encode(name, v)
}

// encode writes a value as a settings file would have it, without unset fields
// and without secrets. name is its key, which gives the unit of a duration.
func encode(name string, v reflect.Value) jsontext.Value {
	if text, ok := v.Interface().(encoding.TextMarshaler); ok {
		if b, err := text.MarshalText(); err == nil {
			return rawjson.Quote(string(b))
		}
		return jsontext.Value("null")
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return jsontext.Value("null")
		}
		return encode(name, v.Elem())
	case reflect.Slice:
		var a jsonw.Array
		for i := range v.Len() {
			a.Add(encode("", v.Index(i)))
		}
		return a.Bytes()
	case reflect.Map:
		var o jsonw.Object
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		for _, k := range keys {
			o.Raw(k.String(), encode("", v.MapIndex(k)))
		}
		return o.Bytes()
	case reflect.Struct:
		var o jsonw.Object
		for i, n := range fieldNames(v.Type()) {
			if f := v.Field(i); n != "" && !f.IsZero() {
				o.Raw(n, encode(n, f))
			}
		}
		return o.Bytes()
	case reflect.String:
		return rawjson.Quote(withoutPassword(v.String()))
	}
	value := v.Interface()
	if v.Type() == durationType {
		value = float64(v.Int()) / float64(unitOf(name))
	}
	out, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("settings: %v", err)) // numbers and booleans
	}
	return out
}

// withoutPassword hides the password in an address.
func withoutPassword(s string) string {
	if u, err := url.Parse(s); err == nil && u.User != nil && u.Host != "" {
		return u.Redacted()
	}
	return s
}
