package settings

import (
	"fmt"
	"strings"
)

// Layer is one of the places that settings come from.
type Layer string

// The layers, weakest first.
const (
	layerDefault     Layer = "default"
	layerUser        Layer = "user"
	layerProject     Layer = "project"
	layerEnvironment Layer = "environment"
	layerFlag        Layer = "flag"
)

// Source says where a value came from.
type Source struct {
	Layer Layer
	Name  string // path of the file, name of the variable or of the flag
}

// String returns "default", or the layer and the name, as in
// "environment: COPPICE_MODEL".
func (s Source) String() string {
	if s.Name == "" {
		return string(s.Layer)
	}
	return string(s.Layer) + ": " + s.Name
}

// MarshalText is String, for JSON.
func (s Source) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Problem is something wrong in a layer. The value is ignored; all others
// apply. A Problem is an error.
type Problem struct {
	Source Source
	Line   int    // from 1; 0 outside of files
	Key    string // "" if the whole file cannot be read
	Detail string // what is wrong, without secrets
	Hint   string // the nearest known key, or ""

	// Unknown says that the key is unknown. Report it to users only if all
	// types were handed in.
	Unknown bool
}

// Error returns one line: file and line, key, what is wrong, the hint.
func (p Problem) Error() string {
	var b strings.Builder
	b.WriteString(p.Source.Name)
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d", p.Line)
	}
	b.WriteString(": ")
	if p.Key != "" {
		b.WriteString(p.Key + " ")
	}
	b.WriteString(p.Detail)
	if p.Hint != "" {
		fmt.Fprintf(&b, " (did you mean %s?)", p.Hint)
	}
	return b.String()
}
