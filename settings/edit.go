package settings

import (
	"bytes"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// edit returns doc with a key set to a value and everything else unchanged,
// including comments and layout. It is pure. The parts have the types of the
// keys.
//
// The key may name a part of a setting: providers.local.baseUrl, or
// compaction.modelOverrides["local/small"].reserveTokens. Texts are written
// without quotes, other values as JSON; null restores the default. The error
// is a Problem if the key or the value is wrong.
func edit(doc []byte, name, value string, of ...Part) ([]byte, error) {
	parts, err := splitKey(name)
	if err != nil {
		return nil, err
	}
	node, err := checked(slots(of), name, parts, value)
	if err != nil {
		return nil, err
	}
	hasBOM := bytes.HasPrefix(doc, bom)
	root, line, err := parseFile(bytes.TrimPrefix(doc, bom))
	if err != nil {
		return nil, Problem{Line: line, Detail: err.Error()}
	}
	e := editor{newline: "\n"}
	if bytes.Contains(doc, []byte("\r\n")) {
		e.newline = "\r\n"
	}
	if err := e.set(&root, parts, node); err != nil {
		return nil, err
	}
	out := root.Pack()
	if hasBOM {
		out = append(bytes.Clone(bom), out...)
	}
	return out, nil
}

// checked parses a value and makes sure that the key accepts it.
func checked(all map[string]*slot, name string, parts []string, value string) (hujson.Value, error) {
	k, t, ok := target(all, parts)
	if !ok {
		p := unknownKey(Source{}, name)
		if k != nil {
			p.Hint = "" // the key is right, but what follows it is not
		}
		return hujson.Value{}, p
	}
	node, err := parseText(t, value)
	if err != nil {
		if node, err2 := hujson.Parse([]byte(value)); err2 == nil && node.Value.Kind() == 'n' {
			return node, nil
		}
		return hujson.Value{}, Problem{Key: name, Detail: err.Error()}
	}
	if p, bad := k.refuses(name, parts, node); bad {
		return hujson.Value{}, p
	}
	return node, nil
}

// refuses tries a value for a key, or for a part of it, and finds what is
// wrong with the value itself. The file may have the rest.
func (s *slot) refuses(name string, parts []string, node hujson.Value) (Problem, bool) {
	for _, p := range slices.Backward(parts[1+strings.Count(s.name, "."):]) {
		node = hujson.Value{Value: &hujson.Object{Members: []hujson.ObjectMember{{Name: hujson.Value{Value: hujson.String(p)}, Value: node}}}}
	}
	defer s.v.Set(s.def)
	var d decoder
	if d.value(s.name, &node, s.v) && name == s.name {
		if why := wrong(s); why != "" {
			d.problem(name, nil, why, "")
		}
	}
	for _, p := range d.problems {
		if p.Key == name || strings.HasPrefix(p.Key, name+".") || strings.HasPrefix(p.Key, name+"[") {
			return p, true
		}
	}
	return Problem{}, false
}

// editor inserts members into the syntax tree of a document.
type editor struct{ newline string }

// set walks down to the object of the last part, creating missing objects, and
// sets the member there.
func (e editor) set(v *hujson.Value, parts []string, node hujson.Value) error {
	for depth := 0; ; depth++ {
		obj, ok := v.Value.(*hujson.Object)
		if !ok {
			return fmt.Errorf("%q is not an object in the file", parts[depth-1])
		}
		m := lastMember(obj, parts[depth])
		leaf := depth == len(parts)-1
		switch {
		case m == nil:
			m = e.add(obj, parts[depth], depth)
			if !leaf {
				m.Value.Value = &hujson.Object{}
			}
		case leaf:
			e.keepComments(m)
		}
		if leaf {
			m.Value.Value = node.Value
			return nil
		}
		v = &m.Value
	}
}

// lastMember finds a member by name. If several have the name the last one
// counts.
func lastMember(obj *hujson.Object, name string) *hujson.ObjectMember {
	for i := len(obj.Members) - 1; i >= 0; i-- {
		if obj.Members[i].Name.Value.(hujson.Literal).String() == name {
			return &obj.Members[i]
		}
	}
	return nil
}

// add appends a member to an object, laid out like its neighbours. Comments
// after the last member stay there, before the new one.
func (e editor) add(obj *hujson.Object, name string, depth int) *hujson.ObjectMember {
	outer := strings.Repeat("  ", depth)
	inner, oneLine := outer+"  ", len(obj.Members) > 0
	for i := range obj.Members {
		if indent, ok := indentation(obj.Members[i].Name.BeforeExtra); ok {
			inner, oneLine = indent, false
		}
	}
	comments := bytes.TrimRight(obj.AfterExtra, " \t\r\n")
	m := hujson.ObjectMember{Name: hujson.Value{Value: hujson.String(name)},
		Value: hujson.Value{BeforeExtra: hujson.Extra(" ")}}
	if oneLine && len(comments) == 0 {
		m.Name.BeforeExtra = hujson.Extra(" ")
	} else {
		m.Name.BeforeExtra = hujson.Extra(string(comments) + e.newline + inner)
		obj.AfterExtra = hujson.Extra(e.newline + outer)
	}
	if n := len(obj.Members); n > 0 && obj.Members[n-1].Value.AfterExtra != nil {
		m.Value.AfterExtra = hujson.Extra{} // keep the trailing comma
		if len(obj.Members[n-1].Value.AfterExtra) == 0 {
			obj.Members[n-1].Value.AfterExtra = nil
		}
	}
	obj.Members = append(obj.Members, m)
	return &obj.Members[len(obj.Members)-1]
}

// indentation returns the white space at the start of a member's line, or
// false if the member is not first on its line.
func indentation(before hujson.Extra) (string, bool) {
	at := bytes.LastIndexByte(before, '\n')
	if at < 0 {
		return "", false
	}
	line := before[at+1:]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))]), true
}

// keepComments saves the comments inside a value that is about to be replaced:
// they move before the member, each on its own line.
func (e editor) keepComments(m *hujson.ObjectMember) {
	before := bytes.TrimRight(m.Name.BeforeExtra, " \t")
	indent := string(m.Name.BeforeExtra[len(before):])
	saved := string(before)
	for c := range comments(m.Value.Value) {
		saved += indent + c + e.newline
	}
	if len(saved) > len(before) {
		m.Name.BeforeExtra = hujson.Extra(saved + indent)
	}
}

// comments walks the comments inside a value, in order.
func comments(v hujson.ValueTrimmed) iter.Seq[string] {
	return func(yield func(string) bool) {
		walkExtras(v, func(x hujson.Extra) bool {
			c := bytes.TrimSpace(x)
			return len(c) == 0 || yield(string(c))
		})
	}
}

func walkExtras(v hujson.ValueTrimmed, visit func(hujson.Extra) bool) bool {
	whole := func(v hujson.Value) bool {
		return visit(v.BeforeExtra) && walkExtras(v.Value, visit) && visit(v.AfterExtra)
	}
	switch c := v.(type) {
	case *hujson.Object:
		for _, m := range c.Members {
			if !whole(m.Name) || !whole(m.Value) {
				return false
			}
		}
		return visit(c.AfterExtra)
	case *hujson.Array:
		for _, elem := range c.Elements {
			if !whole(elem) {
				return false
			}
		}
		return visit(c.AfterExtra)
	}
	return true
}
