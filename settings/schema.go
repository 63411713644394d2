package settings

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// Schema returns the JSON Schema (draft 2020-12) of a settings file, made
// from the table.
func Schema() []byte {
	root := objectSchema()
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = "Coppice settings"
	properties(root)["$schema"] = map[string]any{"type": "string"}
	for _, k := range table {
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
		s := typeSchema(k.def.Type())
		s["description"] = k.help
		if def := show(k.def, k.def); string(def) != "null" {
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
	return b.Bytes()
}

func objectSchema() map[string]any {
	return map[string]any{"type": "object", "additionalProperties": false, "properties": map[string]any{}}
}

func properties(s map[string]any) map[string]any { return s["properties"].(map[string]any) }

func typeSchema(t reflect.Type) map[string]any {
	zero := reflect.Zero(t).Interface()
	if w, ok := zero.(worded); ok {
		return map[string]any{"type": "string", "enum": w.words()}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return typeSchema(t.Elem())
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Int64:
		return map[string]any{"type": "integer", "minimum": 0}
	case reflect.Float64:
		s := map[string]any{"type": "number", "minimum": 0}
		if b, ok := zero.(bounded); ok {
			s["maximum"] = b.greatest()
		}
		return s
	case reflect.Slice:
		return map[string]any{"type": "array", "items": typeSchema(t.Elem())}
	case reflect.Map:
		s := map[string]any{"type": "object", "additionalProperties": typeSchema(t.Elem())}
		if w, ok := reflect.Zero(t.Key()).Interface().(worded); ok {
			s["propertyNames"] = map[string]any{"enum": w.words()}
		}
		return s
	case reflect.Struct:
		s := objectSchema()
		for i, n := range fieldNames(t) {
			if n == "" {
				continue
			}
			properties(s)[n] = typeSchema(t.Field(i).Type)
		}
		return s
	}
	return map[string]any{"type": "string"}
}
