package settings

import (
	"bytes"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// Input is everything that settings are resolved from.
type Input struct {
	User    File
	Project File
	Trusted bool                // the user has trusted the content of Project
	Getenv  func(string) string // nil: no environment
	Flags   []Flag
}

// File is a settings file. Data is nil where there is none.
type File struct {
	Path string
	Data []byte
}

// Flag is a setting given on the command line. Texts stand without quotes,
// other values as JSON.
type Flag struct {
	Name  string // as the user typed it: --keep-recent
	Key   string
	Value string
}

// Resolve puts the layers together. It is pure. The settings can always be
// used; what is wrong in a layer is left out and told in the problems.
func Resolve(in Input) (*Settings, []Problem) {
	r := &resolver{s: Default(), sources: map[string]Source{}}
	r.file(in.User, LayerUser, nil)
	if in.Project.Data != nil {
		p := &ProjectFile{Path: in.Project.Path, Hash: ContentHash(in.Project.Data), Trusted: in.Trusted}
		r.s.Project = p
		r.file(in.Project, LayerProject, p)
	}
	if in.Getenv != nil {
		for _, k := range table {
			if text := in.Getenv(Variable(k.name)); text != "" {
				r.text(k, text, Source{LayerEnvironment, Variable(k.name)})
			}
		}
	}
	for _, f := range in.Flags {
		source := Source{LayerFlag, f.Name}
		if k, ok := find(f.Key); ok {
			r.text(k, f.Value, source)
		} else {
			r.problems = append(r.problems, unknownKey(source, f.Key))
		}
	}
	r.checkProviders()
	r.s.Resolved = list(r.s, r.sources)
	return r.s, r.problems
}

// resolver applies one layer after the other.
type resolver struct {
	s        *Settings
	sources  map[string]Source // by key; members of maps by their own name
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
		name := member(prefix, part)
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
		case prefix == "" && part == "$schema": // editors want it there
		default:
			p := unknownKey(d.source, name)
			if _, ok := find(part); ok {
				p.Detail = "is not a known key: write the parts of a key as nested objects"
				p.Key, p.Hint = part, ""
			}
			d.problem(p.Key, &m.Name, p.Detail, p.Hint)
		}
	}
}

func unknownKey(source Source, name string) Problem {
	return Problem{Source: source, Key: name, Detail: "is not a known key", Hint: nearest(name, names())}
}

func (r *resolver) text(k key, text string, source Source) {
	d := &decoder{source: source}
	v, err := parseText(k.def.Type(), text)
	if err != nil {
		d.problem(k.name, nil, err.Error(), "")
	} else {
		r.assign(k, &v, d)
	}
	r.problems = append(r.problems, d.problems...)
}

// assign gives a key the value of a node. null means the default.
func (r *resolver) assign(k key, node *hujson.Value, d *decoder) {
	v := k.at(r.s)
	if node.Value.Kind() == 'n' {
		v.Set(k.def)
		maps.DeleteFunc(r.sources, func(name string, _ Source) bool {
			return name == k.name || strings.HasPrefix(name, k.name+".") || strings.HasPrefix(name, k.name+"[")
		})
		return
	}
	old := reflect.ValueOf(v.Interface()) // a copy: v changes below
	if k.rule.adds {
		v.SetZero() // what this layer says alone
	}
	if !d.value(k.name, node, v) {
		v.Set(old)
		return
	}
	r.sources[k.name] = d.source
	if k.rule.adds {
		v.Set(sum(old, v))
	}
	if obj, ok := node.Value.(*hujson.Object); ok {
		for i := range obj.Members {
			name := obj.Members[i].Name.Value.(hujson.Literal).String()
			r.sources[member(k.name, name)] = d.source
		}
	}
}

// sum puts lists, or maps of lists, together. It makes new ones each time:
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

// checkProviders tells what only the merged value shows.
func (r *resolver) checkProviders() {
	for _, name := range slices.Sorted(maps.Keys(r.s.Providers)) {
		p, key := r.s.Providers[name], member("providers", name)
		tell := func(detail string) {
			r.problems = append(r.problems, Problem{Source: r.sources[key], Key: key, Detail: detail})
		}
		if name == "" || strings.Contains(name, "/") {
			tell("must have a name without slashes")
		}
		if p.Type == "" {
			tell("must have a type: " + strings.Join(p.Type.words(), ", "))
		}
		if p.APIKey != "" && p.APIKeyEnv != "" {
			tell("has both apiKey and apiKeyEnv; apiKey is used")
		}
		for _, m := range p.Models {
			if m.ID == "" {
				tell("has a model without id")
			}
		}
	}
}
