package tools

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/coppice-dev/coppice/agent"
	"github.com/coppice-dev/coppice/session"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Options configure the tools.
type Options struct {
	Dir string // the project; relative paths and commands start there
	// Log is what recall reads; nil: no recall tool.
	Log session.Log
	// Env is the environment of commands, as in os/exec; nil: our own, without the
	// variables that the rules hide.
	Env []string
	// Rules are those of the guard: grep and find pass over files that they do not
	// let read.
	Rules Rules
}

// environment is what a command gets.
func (o Options) environment() []string {
	if o.Env != nil {
		return o.Env
	}
	o.Rules.EnsureDefaults()
	return slices.DeleteFunc(os.Environ(), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return slices.ContainsFunc(o.Rules.HiddenEnv, func(pattern string) bool { return fitsText(pattern, name) })
	})
}

// All returns the tools.
func All(o Options) []agent.Tool {
	b := box{o}
	all := []agent.Tool{b.read(), b.write(), b.edit(), b.bash(), b.grep(), b.find()}
	if o.Log != nil {
		all = append(all, b.recall())
	}
	return all
}

// box has what the tools share.
type box struct{ Options }

// path resolves a path that the model gave.
func (b box) path(p string) string { return resolve(b.Dir, p) }

func resolve(dir, p string) string {
	if filepath.IsAbs(p) {
		return filepath.Clean(p)
	}
	return filepath.Join(dir, p)
}

// arguments reads the arguments of a call. Unknown ones are ignored.
func arguments(raw jsontext.Value, into any) error {
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("arguments: %w", err)
	}
	return nil
}

// parameters builds a JSON Schema of an object from lines of name, type, what
// it means. A name that ends in ? may be left out.
func parameters(fields ...[3]string) jsontext.Value {
	type property struct {
		Type        string `json:"type"`
		Description string `json:"description"`
	}
	schema := struct {
		Type       string              `json:"type"`
		Properties map[string]property `json:"properties"`
		Required   []string            `json:"required"`
	}{Type: "object", Properties: map[string]property{}, Required: []string{}}
	for _, f := range fields {
		name := f[0]
		if n := len(name) - 1; name[n] == '?' {
			name = name[:n]
		} else {
			schema.Required = append(schema.Required, name)
		}
		schema.Properties[name] = property{f[1], f[2]}
	}
	raw, err := json.Marshal(schema, json.Deterministic(true))
	if err != nil {
		return nil // maps and strings always encode
	}
	return raw
}
