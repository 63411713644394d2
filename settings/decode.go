package settings

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/coppice-dev/coppice/internal/valid"
)

// decoder decodes JSON into Go values and notes what does not fit. A value
// that does not fit leaves its target unchanged; the values next to it still
// apply.
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

// value decodes node into v, which is addressable. Objects merge into the
// value of v. It reports whether anything was set.
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
		if words := words(k.Type()); words != nil && !slices.Contains(words, k.String()) {
			hint := nearest(k.String(), words)
			if hint != "" {
				hint = valid.Member(name, hint)
			}
			d.problem(valid.Member(name, k.String()), &m.Name, "is not a known key", hint)
			continue
		}
		elem := reflect.New(v.Type().Elem()).Elem()
		if old := out.MapIndex(k); old.IsValid() {
			elem.Set(old)
		}
		if d.value(valid.Member(name, k.String()), &m.Value, elem) {
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
	old := reflect.ValueOf(v.Interface()) // a copy, because v changes below
	said := map[string]*hujson.Value{}
	for i := range obj.Members {
		m := &obj.Members[i]
		n := m.Name.Value.(hujson.Literal).String()
		if f, ok := field(v, n); ok {
			said[n] = &m.Value
			d.value(name+"."+n, &m.Value, f)
			continue
		}
		hint := nearest(n, fieldNames(v.Type()))
		if hint != "" {
			hint = name + "." + hint
		}
		d.problem(valid.Member(name, n), &m.Name, "is not a known key", hint)
	}
	if s, ok := v.Addr().Interface().(interface{ SetProject(bool) }); ok {
		s.SetProject(d.source.Layer == layerProject)
	}
	return d.valid(name, node, v, old, said)
}

// valid validates a struct. A wrong field that this object set gets its old
// value back; any other error is an error of the whole object.
func (d *decoder) valid(name string, node *hujson.Value, v, old reflect.Value, said map[string]*hujson.Value) bool {
	checked, ok := v.Interface().(validator)
	if !ok {
		return true
	}
	for _, f := range valid.Fields(checked.Validate()) {
		if at := said[f.Name]; at != nil {
			d.problem(name+"."+f.Name, at, f.Why, "")
			now, _ := field(v, f.Name)
			before, _ := field(old, f.Name)
			now.Set(before)
			continue
		}
		d.problem(name, node, f.Error(), "")
		v.Set(old)
		return false
	}
	return true
}

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
	case isNumber(v.Type()) && lit.Kind() == '0':
		return d.number(name, node, v)
	default:
		return d.mismatch(name, node, v.Type())
	}
	if why := invalidReason(next); why != "" {
		d.problem(name, node, why, "")
		return false
	}
	v.Set(next)
	return true
}

// invalidReason says what is wrong with a single value.
func invalidReason(v reflect.Value) string {
	var err error
	if all := words(v.Type()); all != nil && !slices.Contains(all, v.String()) {
		err = valid.Wrong("", "must be one of %s, not %q", strings.Join(all, ", "), v.String())
	}
	if checked, ok := v.Interface().(validator); ok {
		err = errors.Join(err, checked.Validate())
	}
	for _, f := range valid.Fields(err) {
		return f.Why
	}
	return ""
}

func isNumber(t reflect.Type) bool {
	return t.Kind() == reflect.Int || t.Kind() == reflect.Int64 || t.Kind() == reflect.Float64
}

func (d *decoder) number(name string, node *hujson.Value, v reflect.Value) bool {
	f, err := strconv.ParseFloat(string(node.Value.(hujson.Literal)), 64)
	isSpan := v.Type() == durationType
	if isSpan {
		f *= float64(unitOf(name))
	}
	switch {
	case err != nil:
		d.problem(name, node, "is too large", "")
		return false
	case f < 0:
		d.problem(name, node, "must be 0 or more, not "+string(node.Value.(hujson.Literal)), "")
		return false
	case v.Kind() == reflect.Float64:
		v.SetFloat(f)
		return true
	case isSpan && f >= 1<<62:
		d.problem(name, node, "is too large", "")
		return false
	case !isSpan && (f != math.Trunc(f) || f > 1<<53):
		// Above 2^53 not every integer is exact in JSON.
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
	case reflect.Int, reflect.Int64:
		if t == durationType {
			return "a number"
		}
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
