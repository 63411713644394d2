package settings

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/coppice-dev/coppice/internal/valid"
)

// Part is a value that settings are resolved into.
type Part struct {
	Key string // name of its group, such as "compaction"; "": the keys of the top level
	// Into points to a struct that holds the defaults. Its fields with a json
	// tag are keys, or groups of keys. It may have a method Validate.
	Into any
}

// validator is a value that can say what is wrong with it.
type validator interface{ Validate() error }

// slot is where the value of a key goes.
type slot struct {
	row
	v    reflect.Value // settable
	def  reflect.Value // the original value of v
	part Part
	path string // the key, relative to the part
	tag  reflect.StructTag
}

// complete returns an error that names the keys of the table without a place
// in the parts, and the places without a key.
func complete(parts ...Part) error {
	var errs []error
	have := slots(parts)
	for _, k := range table {
		if have[k.name] == nil {
			errs = append(errs, fmt.Errorf("no part has a place for %s", k.name))
		}
	}
	for _, p := range parts {
		walk(p.Key, reflect.ValueOf(p.Into).Elem(), func(name string, _ reflect.Value, _ reflect.StructTag) bool {
			if have[name] == nil && !isGroup(name) {
				errs = append(errs, fmt.Errorf("%s is not in the table", name))
			}
			return have[name] != nil
		})
	}
	return errors.Join(errs...)
}

// slots finds the places of the keys that are in the table.
func slots(parts []Part) map[string]*slot {
	out := map[string]*slot{}
	for _, p := range parts {
		into := reflect.ValueOf(p.Into)
		if into.Kind() != reflect.Pointer || into.Elem().Kind() != reflect.Struct {
			panic(fmt.Sprintf("settings: part %q is not a pointer to a struct", p.Key)) // a programming error
		}
		walk(p.Key, into.Elem(), func(name string, v reflect.Value, tag reflect.StructTag) bool {
			r, ok := find(name)
			if !ok {
				return !isGroup(name)
			}
			path := strings.TrimPrefix(strings.TrimPrefix(name, p.Key), ".")
			out[name] = &slot{row: r, v: v, def: reflect.ValueOf(v.Interface()), part: p, path: path, tag: tag}
			return true
		})
	}
	return out
}

// walk visits the fields of a struct by their keys. If visit returns false for
// a struct, its fields are visited too.
func walk(prefix string, v reflect.Value, visit func(name string, v reflect.Value, tag reflect.StructTag) (done bool)) {
	for i, n := range fieldNames(v.Type()) {
		f := v.Field(i)
		switch {
		case n == "" && v.Type().Field(i).Anonymous && f.Kind() == reflect.Struct:
			walk(prefix, f, visit)
		case n == "":
		default:
			name := valid.Member(prefix, n)
			if !visit(name, f, v.Type().Field(i).Tag) && f.Kind() == reflect.Struct {
				walk(name, f, visit)
			}
		}
	}
}

// field returns the field of a struct by its name in JSON.
func field(v reflect.Value, name string) (reflect.Value, bool) {
	for i, n := range fieldNames(v.Type()) {
		if n == name && n != "" {
			return v.Field(i), true
		}
	}
	return reflect.Value{}, false
}

// fieldNames returns the JSON names of the fields of a struct. A field without
// a tag is not part of the setting; its name is "".
func fieldNames(t reflect.Type) []string {
	out := make([]string, t.NumField())
	for i := range out {
		out[i], _, _ = strings.Cut(t.Field(i).Tag.Get("json"), ",")
	}
	return out
}

var durationType = reflect.TypeFor[time.Duration]()

// unitOf returns the unit of a duration, which is at the end of its key.
func unitOf(name string) time.Duration {
	if strings.HasSuffix(name, "Ms") {
		return time.Millisecond
	}
	return time.Second
}

// words returns the words that a value of a type may have; nil: any.
func words(t reflect.Type) []string {
	if w, ok := reflect.Zero(t).Interface().(interface{ Values() []string }); ok {
		return w.Values()
	}
	return nil
}
