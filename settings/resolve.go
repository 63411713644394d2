package settings

import (
	"bytes"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/coppice-dev/coppice/internal/valid"
)

// Input is everything that settings are resolved from.
type Input struct {
	User    File
	Project File
	Trusted bool                // the user has trusted the content of Project
	Getenv  func(string) string // nil: no environment
	Flags   []Flag
}

// File is a settings file. Data is nil if there is none.
type File struct {
	Path string
	Data []byte
}

// Flag is a setting given on the command line. Texts have no quotes, other
// values are JSON.
type Flag struct {
	Name  string // as the user typed it: --keep-recent
	Key   string
	Value string
}

// Result says where the values came from.
type Result struct {
	// Keys are the keys of the parts, in the order of the table, with secrets
	// masked.
	Keys []Resolved
	// Project is the project's file, or nil if there is none.
	Project *ProjectFile
}

// ProjectFile is the settings file that came with the project.
type ProjectFile struct {
	Path    string
	Hash    string // what the user trusts, as given to Trust
	Trusted bool
	Ignored []string // keys that have no effect until the user trusts Hash
}

// Resolve merges the layers into the parts, which hold the defaults. It is
// pure. The settings are always usable; what is wrong in a layer is left out
// and named in the problems. A known key that no part has is skipped.
func Resolve(in Input, parts ...Part) (*Result, []Problem) {
	r := &resolver{slots: slots(parts), sources: map[string]Source{}, result: &Result{}}
	r.file(in.User, layerUser, nil)
	if in.Project.Data != nil {
		p := &ProjectFile{Path: in.Project.Path, Hash: ContentHash(in.Project.Data), Trusted: in.Trusted}
		r.result.Project = p
		r.file(in.Project, layerProject, p)
	}
	if in.Getenv != nil {
		for _, k := range table {
			if text := in.Getenv(variable(k.name)); text != "" {
				r.text(k, text, Source{layerEnvironment, variable(k.name)})
			}
		}
	}
	for _, f := range in.Flags {
		source := Source{layerFlag, f.Name}
		if k, ok := find(f.Key); ok {
			r.text(k, f.Value, source)
		} else {
			r.problems = append(r.problems, unknownKey(source, f.Key))
		}
	}
	r.checkAll(parts)
	r.result.Keys = r.list()
	return r.result, r.problems
}

// resolver applies one layer after another.
type resolver struct {
	slots    map[string]*slot
	sources  map[string]Source // by key; members of maps by their full name
	result   *Result
	problems []Problem
}

func (r *resolver) file(f File, layer Layer, project *ProjectFile) {
	if f.Data == nil {
		return
	}
	d := &decoder{source: Source{layer, f.Path}, data: bytes.TrimPrefix(f.Data, bom)}
	doc, line, err := parseFile(d.data)
	if err != nil {
		r.problems = append(r.problems, Problem{Source: d.source, Line: line, Detail: err.Error()})
		return
	}
	r.group("", doc.Value.(*hujson.Object), d, project)
	r.problems = append(r.problems, d.problems...)
}

var bom = []byte("\ufeff")

// group applies the members of an object whose keys begin with prefix.
func (r *resolver) group(prefix string, obj *hujson.Object, d *decoder, project *ProjectFile) {
	for i := range obj.Members {
		m := &obj.Members[i]
		part := m.Name.Value.(hujson.Literal).String()
		name := valid.Member(prefix, part)
		if k, ok := find(name); ok {
			if project != nil && !project.Trusted && k.rule.guarded {
				if !slices.Contains(project.Ignored, name) {
					project.Ignored = append(project.Ignored, name)
				}
				continue
			}
			r.assign(k, &m.Value, d)
			continue
		}
		inner, isObject := m.Value.Value.(*hujson.Object)
		switch {
		case isGroup(name) && isObject:
			r.group(name, inner, d, project)
		case isGroup(name):
			d.problem(name, &m.Value, "must be an object, not "+kindWord(m.Value.Value.Kind()), "")
		case prefix == "" && part == "$schema": // editors expect it there
		default:
			p := unknownKey(d.source, name)
			if _, ok := find(part); ok {
				p.Detail = "is not a known key: write the parts of a key as nested objects"
				p.Key, p.Hint = part, ""
			}
			d.problem(p.Key, &m.Name, p.Detail, p.Hint)
			d.problems[len(d.problems)-1].Unknown = true
		}
	}
}

func unknownKey(source Source, name string) Problem {
	return Problem{Source: source, Key: name, Detail: "is not a known key", Hint: nearest(name, names()), Unknown: true}
}

func (r *resolver) text(k row, text string, source Source) {
	s, ok := r.slots[k.name]
	if !ok {
		return
	}
	d := &decoder{source: source}
	v, err := parseText(s.v.Type(), text)
	if err != nil {
		d.problem(k.name, nil, err.Error(), "")
	} else {
		r.assign(k, &v, d)
	}
	r.problems = append(r.problems, d.problems...)
}

// assign gives a key the value of a node. null means the default.
func (r *resolver) assign(k row, node *hujson.Value, d *decoder) {
	s, ok := r.slots[k.name]
	if !ok {
		return
	}
	if node.Value.Kind() == 'n' {
		s.v.Set(s.def)
		maps.DeleteFunc(r.sources, func(name string, _ Source) bool {
			return name == k.name || strings.HasPrefix(name, k.name+".") || strings.HasPrefix(name, k.name+"[")
		})
		return
	}
	old := reflect.ValueOf(s.v.Interface()) // a copy: v changes below
	if k.rule.adds {
		s.v.SetZero() // only what this layer says
	}
	if !d.value(k.name, node, s.v) {
		s.v.Set(old)
		return
	}
	if why := wrong(s); why != "" {
		d.problem(k.name, node, why, "")
		s.v.Set(old)
		return
	}
	r.sources[k.name] = d.source
	if k.rule.adds {
		s.v.Set(sum(old, s.v))
	}
	if obj, ok := node.Value.(*hujson.Object); ok {
		for i := range obj.Members {
			name := obj.Members[i].Name.Value.(hujson.Literal).String()
			r.sources[valid.Member(k.name, name)] = d.source
		}
	}
}

// wrong returns what the part's validation says about the value that it was
// given.
func wrong(s *slot) string {
	if v, ok := s.part.Into.(validator); ok {
		for _, f := range valid.Fields(v.Validate()) {
			if f.Name == s.path {
				return f.Why
			}
		}
	}
	return ""
}

// sum joins lists, or maps of lists. It makes new ones each time, because
// layers must not share memory.
func sum(a, b reflect.Value) reflect.Value {
	if a.Kind() == reflect.Slice {
		out := reflect.MakeSlice(a.Type(), 0, a.Len()+b.Len())
		return reflect.AppendSlice(reflect.AppendSlice(out, a), b)
	}
	out := reflect.MakeMap(a.Type())
	for _, m := range []reflect.Value{a, b} {
		for k, list := range m.Seq2() {
			have := out.MapIndex(k)
			if !have.IsValid() {
				have = reflect.Zero(list.Type())
			}
			out.SetMapIndex(k, sum(have, list))
		}
	}
	return out
}

// checkAll returns the problems that only the merged values show.
func (r *resolver) checkAll(parts []Part) {
	for _, p := range parts {
		v, ok := p.Into.(validator)
		if !ok {
			continue
		}
		for _, f := range valid.Fields(v.Validate()) {
			key := f.Name
			if p.Key != "" {
				key = p.Key + "." + f.Name
			}
			r.problems = append(r.problems, Problem{Source: r.sourceOf(key), Key: key, Detail: f.Why})
		}
	}
}

// sourceOf returns where the value of a key, or of a part of one, came from.
func (r *resolver) sourceOf(key string) Source {
	best, n := Source{Layer: layerDefault}, -1
	for name, s := range r.sources {
		if len(name) > n && (key == name || strings.HasPrefix(key, name+".") || strings.HasPrefix(key, name+"[")) {
			best, n = s, len(name)
		}
	}
	return best
}
