package settings

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// splitKey splits a name that valid.Member has put together.
func splitKey(name string) ([]string, error) {
	var parts []string
	for rest := name; rest != ""; {
		if rest[0] == '[' {
			quoted, err := strconv.QuotedPrefix(rest[1:])
			if err != nil || !strings.HasPrefix(rest[1+len(quoted):], "]") {
				return nil, fmt.Errorf(`%s: write a part with a dot or slash as ["part"]`, name)
			}
			part, err := strconv.Unquote(quoted)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			parts = append(parts, part)
			rest = strings.TrimPrefix(rest[len(quoted)+2:], ".")
			continue
		}
		end := strings.IndexAny(rest, ".[")
		if end < 0 {
			end = len(rest)
		}
		if end == 0 {
			return nil, fmt.Errorf("%s: a part of the key is empty", name)
		}
		parts = append(parts, rest[:end])
		rest = strings.TrimPrefix(rest[end:], ".")
	}
	return parts, nil
}

// target finds the key that a name belongs to, and the type of what it names:
// the key itself or something inside it.
func target(all map[string]*slot, parts []string) (*slot, reflect.Type, bool) {
	for n := 1; n <= len(parts); n++ {
		s, ok := all[strings.Join(parts[:n], ".")]
		if !ok {
			continue
		}
		t, ok := within(s.def.Type(), parts[n:])
		return s, t, ok
	}
	return nil, nil, false
}

// within follows parts into a type: through maps by any name, through
// structs by the names of their fields.
func within(t reflect.Type, parts []string) (reflect.Type, bool) {
	for _, p := range parts {
		for t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		switch t.Kind() {
		case reflect.Map:
			if w := words(t.Key()); w != nil && !slices.Contains(w, p) {
				return nil, false
			}
			t = t.Elem()
		case reflect.Struct:
			f, ok := field(reflect.New(t).Elem(), p)
			if !ok {
				return nil, false
			}
			t = f.Type()
		default:
			return nil, false
		}
	}
	return t, true
}
