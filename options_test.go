package coppice_test

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/prune"
)

// leaves visits the settable fields of a struct that are not structs themselves.
func leaves(v reflect.Value, path string, visit func(path string, v reflect.Value)) {
	for i := range v.NumField() {
		f, name := v.Field(i), path+"."+v.Type().Field(i).Name
		switch f.Kind() {
		case reflect.Struct:
			leaves(f, name, visit)
		case reflect.Map:
		default:
			visit(name, f)
		}
	}
}

// printed is the value of each leaf.
func printed(o coppice.Options) map[string]string {
	out := map[string]string{}
	for name, part := range map[string]any{"Compaction": &o.Compaction, "Branches": &o.Branches, "Prune": &o.Prune, "Call": &o.Call} {
		leaves(reflect.ValueOf(part).Elem(), name, func(path string, v reflect.Value) {
			if v.Kind() == reflect.Pointer && !v.IsNil() {
				v = v.Elem()
			}
			out[path] = fmt.Sprint(v)
		})
	}
	return out
}

// other gives a leaf a value that is not the default.
func other(v reflect.Value) {
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	switch {
	case v.CanInt():
		v.SetInt(7)
	case v.CanFloat():
		v.SetFloat(0.7)
	case v.Kind() == reflect.String:
		v.SetString("seven")
	case v.Kind() == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
	case v.Kind() == reflect.Bool && v.CanSet():
		// the value that is not the default: false under a pointer, true without
		// one
		v.SetBool(false)
	}
}

// Setting one field changes one thing: the others have their defaults.
func TestOptionsDefaultFieldByField(t *testing.T) {
	base := coppice.Options{}
	base.EnsureDefaults()
	want := printed(base)
	for _, part := range []string{"Compaction", "Branches", "Prune", "Call"} {
		var paths []string
		leaves(reflect.ValueOf(&coppice.Options{}).Elem().FieldByName(part), part, func(path string, _ reflect.Value) { paths = append(paths, path) })
		for _, path := range paths {
			var o coppice.Options
			leaves(reflect.ValueOf(&o).Elem().FieldByName(part), part, func(p string, v reflect.Value) {
				if p == path {
					other(v)
				}
			})
			set := printed(o)[path]
			o.EnsureDefaults()
			for p, got := range printed(o) {
				switch {
				case p == path && got != set:
					t.Errorf("%s: set to %s, is %s", path, set, got)
				case p != path && got != want[p]:
					t.Errorf("%s set: %s is %s, its default is %s", path, p, got, want[p])
				}
			}
		}
	}
}

// Validate names what is wrong, and nothing is opened.
func TestOptionsValidate(t *testing.T) {
	for want, o := range map[string]coppice.Options{
		"Compaction: minGain":                                       {Compaction: compaction.Settings{MinGain: new(1.5)}},
		"Branches: reserveTokens":                                   {Branches: compaction.BranchSettings{ReserveTokens: new(int64(-1))}},
		"Prune: horizonTurns":                                       {Prune: prune.Settings{HorizonTurns: new(int64(-1))}},
		"Facts: Window must be 0 or more, not -1":                   {Facts: message.Model{Window: -1}},
		"Facts: MaxInput must be 0 or more, not -2":                 {Facts: message.Model{MaxInput: -2}},
		"Facts: MaxOutput must be 0 or more, not -1":                {Facts: message.Model{MaxOutput: -1}},
		"Facts: MaxBytes must be 0 or more, not -1":                 {Facts: message.Model{MaxBytes: -1}},
		"Facts: MaxImages must be 0 or more, not -1":                {Facts: message.Model{MaxImages: -1}},
		"Facts: MaxMessages must be 0 or more, not -1":              {Facts: message.Model{MaxMessages: -1}},
		"Facts: MaxTools must be 0 or more, not -1":                 {Facts: message.Model{MaxTools: -1}},
		"Facts: MaxImageSide must be 0 or more, not -1":             {Facts: message.Model{MaxImageSide: -1}},
		"Facts: MaxImageSize must be 0 or more, not -1":             {Facts: message.Model{MaxImageSize: -1}},
		"Call: CacheLifetime must be 0 or more, not -1":             {Call: message.CallOptions{CacheLifetime: -1}},
		"Call: Temperature must be a number of 0 or more, not NaN":  {Call: message.CallOptions{Temperature: new(math.NaN())}},
		"Call: Temperature must be a number of 0 or more, not +Inf": {Call: message.CallOptions{Temperature: new(math.Inf(1))}},
		"Call: Temperature must be a number of 0 or more, not -Inf": {Call: message.CallOptions{Temperature: new(math.Inf(-1))}},
		"Call: Temperature must be a number of 0 or more, not -0.1": {Call: message.CallOptions{Temperature: new(-0.1)}},
		`Facts: API "smoke signal"`:                                 {Facts: message.Model{API: "smoke signal"}},
		"Call: MaxOutput":                                           {Call: message.CallOptions{MaxOutput: -1}},
	} {
		s, err := coppice.InMemory(t.Context(), o)
		if s != nil || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	for _, o := range []coppice.Options{{}, {Call: message.CallOptions{Temperature: new(0.0)}}, {Call: message.CallOptions{Temperature: new(1.5)}}} {
		if err := o.Validate(); err != nil {
			t.Error(err)
		}
	}
}

// All that is wrong is named at once.
func TestEveryWrongFieldIsNamed(t *testing.T) {
	cold := -1.0
	err := coppice.Options{
		Facts: message.Model{Window: -1, MaxOutput: -2, API: "morse"},
		Call:  message.CallOptions{MaxOutput: -4, Temperature: &cold, Thinking: "loud"},
	}.Validate()
	for _, want := range []string{"Window must be 0 or more, not -1", "MaxOutput must be 0 or more, not -2", `API "morse"`, "MaxOutput must be 0 or more, not -4", "Temperature must be a number of 0 or more, not -1", `thinking level "loud"`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in %v", want, err)
		}
	}
}
