package settings

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"
)

// decoder puts JSON into Go values and notes what does not fit. A value that
// does not fit leaves the target as it was; its neighbours still count.
type decoder struct {
	source   Source
	data     []byte // the file, to count lines; nil outside of files
	problems []Problem
}

func (d *decoder) problem(name string, node *hujson.Value, detail, hint string) {
	p := Problem{Source: d.source, Key: name, Detail: detail, Hint: hint}
	if d.data != nil && node != nil {
		p.Line = 1 + bytes.Count(d.data[:node.StartOffset], []byte("\n"))
	}
	d.problems = append(d.problems, p)
}

// value decodes node into v, which is addressable. Objects merge into what v
// holds. It reports whether v took something.
func (d *decoder) value(name string, node *hujson.Value, v reflect.Value) bool {
	if node.Value.Kind() == 'n' {
		v.SetZero()
		return true
	}
	switch v.Kind() {
	case reflect.Pointer:
		elem := reflect.New(v.Type().Elem())
		if !v.IsNil() {
			elem.Elem().Set(v.Elem())
		}
		if !d.value(name, node, elem.Elem()) {
			return false
		}
		v.Set(elem)
		return true
	case reflect.Slice:
		return d.list(name, node, v)
	case reflect.Map:
		return d.dictionary(name, node, v)
	case reflect.Struct:
		return d.object(name, node, v)
	}
	return d.scalar(name, node, v)
}

func (d *decoder) list(name string, node *hujson.Value, v reflect.Value) bool {
	arr, ok := node.Value.(*hujson.Array)
	if !ok {
		return d.mismatch(name, node, v.Type())
	}
	out := reflect.MakeSlice(v.Type(), 0, len(arr.Elements))
	for i := range arr.Elements {
		elem := reflect.New(v.Type().Elem()).Elem()
		if d.value(fmt.Sprintf("%s[%d]", name, i), &arr.Elements[i], elem) {
			out = reflect.Append(out, elem)
		}
	}
	v.Set(out)
	return true
}

func (d *decoder) dictionary(name string, node *hujson.Value, v reflect.Value) bool {
	obj, ok := node.Value.(*hujson.Object)
	if !ok {
		return d.mismatch(name, node, v.Type())
	}
	out := reflect.MakeMap(v.Type())
	for _, k := range v.MapKeys() {
		out.SetMapIndex(k, v.MapIndex(k))
	}
	for i := range obj.Members {
		m := &obj.Members[i]
		k := reflect.New(v.Type().Key()).Elem()
		k.SetString(m.Name.Value.(hujson.Literal).String())
		if words, ok := wordOf(k.Interface(), k.String()); !ok {
			hint := nearest(k.String(), words)
			if hint != "" {
				hint = member(name, hint)
			}
			d.problem(member(name, k.String()), &m.Name, "is not a known key", hint)
			continue
		}
		elem := reflect.New(v.Type().Elem()).Elem()
		if old := out.MapIndex(k); old.IsValid() {
			elem.Set(old)
		}
		if d.value(member(name, k.String()), &m.Value, elem) {
			out.SetMapIndex(k, elem)
		}
	}
	v.Set(out)
	return true
}

func (d *decoder) object(name string, node *hujson.Value, v reflect.Value) bool {
	obj, ok := node.Value.(*hujson.Object)
	if !ok {
		return d.mismatch(name, node, v.Type())
	}
	for i := range obj.Members {
		m := &obj.Members[i]
		n := m.Name.Value.(hujson.Literal).String()
		if f, ok := field(v, n); ok {
			d.value(name+"."+n, &m.Value, f)
			continue
		}
		hint := nearest(n, fieldNames(v.Type()))
		if hint != "" {
			hint = name + "." + hint
		}
		d.problem(member(name, n), &m.Name, "is not a known key", hint)
	}
	if s, ok := v.Addr().Interface().(sourced); ok {
		s.setSource(d.source)
	}
	if err := checkValue(v.Interface()); err != nil {
		d.problem(name, node, err.Error(), "")
		return false
	}
	return true
}

// A sourced value remembers where it came from.
type sourced interface{ setSource(Source) }

func (d *decoder) scalar(name string, node *hujson.Value, v reflect.Value) bool {
	lit, ok := node.Value.(hujson.Literal)
	if !ok {
		return d.mismatch(name, node, v.Type())
	}
	next := reflect.New(v.Type()).Elem()
	switch {
	case v.Kind() == reflect.Bool && (lit.Kind() == 't' || lit.Kind() == 'f'):
		next.SetBool(lit.Bool())
	case v.Kind() == reflect.String && lit.Kind() == '"':
		next.SetString(lit.String())
	case (v.Kind() == reflect.Int64 || v.Kind() == reflect.Float64) && lit.Kind() == '0':
		return d.number(name, node, v)
	default:
		return d.mismatch(name, node, v.Type())
	}
	if err := checkValue(next.Interface()); err != nil {
		d.problem(name, node, err.Error(), "")
		return false
	}
	v.Set(next)
	return true
}

func (d *decoder) number(name string, node *hujson.Value, v reflect.Value) bool {
	f, err := strconv.ParseFloat(string(node.Value.(hujson.Literal)), 64)
	limit := math.Inf(1)
	if b, ok := v.Interface().(bounded); ok {
		limit = b.greatest()
	}
	switch {
	case err != nil || f < 0:
		d.problem(name, node, "must be 0 or more, and not too large", "")
		return false
	case f > limit:
		d.problem(name, node, fmt.Sprintf("must be at most %g", limit), "")
		return false
	case v.Kind() == reflect.Float64:
		v.SetFloat(f)
		return true
	case f != math.Trunc(f) || f > 1<<53:
		// Above 2^53 not every whole number is exact in JSON.
		return d.mismatch(name, node, v.Type())
	}
	v.SetInt(int64(f))
	return true
}

func (d *decoder) mismatch(name string, node *hujson.Value, want reflect.Type) bool {
	d.problem(name, node, fmt.Sprintf("must be %s, not %s", typeWord(want), kindWord(node.Value.Kind())), "")
	return false
}

func typeWord(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Int64:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.String:
		return "a text"
	case reflect.Slice:
		return "a list"
	case reflect.Pointer:
		return typeWord(t.Elem())
	}
	return "an object"
}

func kindWord(k hujson.Kind) string {
	switch k {
	case 't', 'f':
		return "true or false"
	case '0':
		return "this number"
	case '"':
		return "a text"
	case '[':
		return "a list"
	case 'n':
		return "null"
	}
	return "an object"
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

// fieldNames lists the names that the fields of a struct have in JSON. What
// has no tag is not part of the setting; its name is "".
func fieldNames(t reflect.Type) []string {
	out := make([]string, t.NumField())
	for i := range out {
		out[i], _, _ = strings.Cut(t.Field(i).Tag.Get("json"), ",")
	}
	return out
}
