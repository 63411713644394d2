package settings

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// Schema returns the JSON Schema (draft 2020-12) of a settings file with the
// keys of parts. The error names the keys without a place in the parts, and the
// places without a key: a face hands in all types, so it has none.
func Schema(parts ...Part) ([]byte, error) {
	places := complete(parts...)
	all := slots(parts)
	root := objectSchema()
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = "Coppice settings"
	properties(root)["$schema"] = map[string]any{"type": "string"}
	for _, k := range table {
		slot, ok := all[k.name]
		if !ok {
			continue
		}
		group := root
		parts := strings.Split(k.name, ".")
		for _, p := range parts[:len(parts)-1] {
			next, ok := properties(group)[p].(map[string]any)
			if !ok {
				next = objectSchema()
				properties(group)[p] = next
			}
			group = next
		}
		s := fieldSchema(slot.def.Type(), slot.tag)
		s["description"] = k.help
		if def := show(k.name, slot.def, slot.def); string(def) != "null" {
			s["default"] = json.RawMessage(def)
		}
		properties(group)[parts[len(parts)-1]] = s
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(root); err != nil {
		panic(fmt.Sprintf("settings: %v", err)) // maps and texts only
	}
	return b.Bytes(), places
}

func objectSchema() map[string]any {
	return map[string]any{"type": "object", "additionalProperties": false, "properties": map[string]any{}}
}

func properties(s map[string]any) map[string]any { return s["properties"].(map[string]any) }

// fieldSchema returns the schema of a field, whose tag may name the greatest
// number.
func fieldSchema(t reflect.Type, tag reflect.StructTag) map[string]any {
	s := typeSchema(t)
	if most, err := strconv.ParseFloat(tag.Get("max"), 64); err == nil {
		s["maximum"] = most
	}
	return s
}

func typeSchema(t reflect.Type) map[string]any {
	if w := words(t); w != nil {
		return map[string]any{"type": "string", "enum": w}
	}
	if t == durationType {
		return map[string]any{"type": "number", "minimum": 0}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return typeSchema(t.Elem())
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return map[string]any{"type": "integer", "minimum": 0}
	case reflect.Float64:
		return map[string]any{"type": "number", "minimum": 0}
	case reflect.Slice:
		return map[string]any{"type": "array", "items": typeSchema(t.Elem())}
	case reflect.Map:
		s := map[string]any{"type": "object", "additionalProperties": typeSchema(t.Elem())}
		if w := words(t.Key()); w != nil {
			s["propertyNames"] = map[string]any{"enum": w}
		}
		return s
	case reflect.Struct:
		s := objectSchema()
		for i, n := range fieldNames(t) {
			if n == "" {
				continue
			}
			properties(s)[n] = fieldSchema(t.Field(i).Type, t.Field(i).Tag)
		}
		return s
	}
	return map[string]any{"type": "string"}
}
