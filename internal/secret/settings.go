package secret

import (
	"regexp"
	"slices"

	"github.com/coppice-dev/coppice/internal/valid"
)

// Settings add to the shapes that are masked (docs/settings.md, secrets.*).
type Settings struct {
	Patterns []Pattern `json:"patterns"`
}

// Pattern is a regular expression in Go's syntax.
type Pattern string

// Validate says what is wrong with it.
func (p Pattern) Validate() error {
	if p == "" {
		return valid.Wrong("", "must not be empty")
	}
	if _, err := regexp.Compile(string(p)); err != nil {
		return valid.Wrong("", "must be a regular expression: %v", err)
	}
	return nil
}

// Masker returns what masks the built-in shapes, the patterns, known values and
// those of an environment (as in os.Environ) whose names speak of secrets. A
// pattern that does not compile is left out: it was reported when the settings were
// read.
func (s Settings) Masker(environ []string, known ...string) func(string) string {
	m := &Masker{known: usable(slices.Concat(known, environment(environ)))}
	for _, p := range s.Patterns {
		if re, err := regexp.Compile(string(p)); err == nil {
			m.extra = append(m.extra, re)
		}
	}
	return m.Mask
}
