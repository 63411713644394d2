package settings

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// Resolved is one line of the listing (spec/cli.md). Secrets are masked.
type Resolved struct {
	Key     string         `json:"key"`
	Value   jsontext.Value `json:"value"`   // null: unset
	Default jsontext.Value `json:"default"` // null: unset
	Source  Source         `json:"source"`
	Help    string         `json:"help"`
}

// list makes the listing: one line for each key, and one for each member of
// a key that maps names to values.
func list(s *Settings, sources map[string]Source) []Resolved {
	var out []Resolved
	add := func(name string, v, def jsontext.Value, help string) {
		source, ok := sources[name]
		if !ok {
			source = Source{Layer: LayerDefault}
		}
		out = append(out, Resolved{Key: name, Value: v, Default: def, Source: source, Help: help})
	}
	for _, k := range table {
		v := k.at(s)
		if v.Kind() != reflect.Map || v.Len() == 0 {
			add(k.name, show(v, k.def), show(k.def, k.def), k.help)
			continue
		}
		byName := map[string]reflect.Value{}
		for name, elem := range v.Seq2() {
			byName[name.String()] = elem
		}
		for _, name := range slices.Sorted(maps.Keys(byName)) {
			add(member(k.name, name), encode(byName[name].Interface()), jsontext.Value("null"), k.help)
		}
	}
	return out
}

// show encodes a value. A text or number that is zero by default is unset
// when it is zero.
func show(v, def reflect.Value) jsontext.Value {
	switch {
	case v.Kind() == reflect.Slice && v.Len() == 0:
		return jsontext.Value("[]")
	case v.Kind() == reflect.Map && v.Len() == 0:
		return jsontext.Value("{}")
	case v.Kind() != reflect.Bool && v.IsZero() && def.IsZero():
		return jsontext.Value("null")
	}
	return encode(v.Interface())
}

func encode(v any) jsontext.Value {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		// Settings hold texts, numbers, lists and maps by text only.
		panic(fmt.Sprintf("settings: %v", err))
	}
	return bytes.TrimSpace(b.Bytes())
}
