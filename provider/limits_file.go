package provider

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/coppice-dev/coppice/internal/fsx"
)

// OpenLimits reads what earlier runs learned. The file can be deleted at any
// time; a missing one means that nothing was learned. If it cannot be read,
// the limits can still be used, and the error says why.
func OpenLimits(path string) (*Limits, error) {
	l := &Limits{path: path}
	var err error
	l.lessons, err = readLessons(path)
	return l, err
}

func readLessons(path string) (map[string][]Lesson, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(bytes.TrimSpace(data)) == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("learned limits: %w", err)
	}
	var file map[string]jsontext.Value
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("learned limits: %s: %w", path, err)
	}
	lessons := map[string][]Lesson{}
	for model, v := range file {
		var list []Lesson
		if json.Unmarshal(v, &list) != nil {
			continue // a bare number, as earlier versions kept it: there is no evidence for it
		}
		list = slices.DeleteFunc(list, func(s Lesson) bool { return s.Number <= 0 || s.Text == "" })
		if len(list) > 0 {
			lessons[model] = list
		}
	}
	return lessons, nil
}

// Save writes what was learned for later runs, merged with what other runs have
// written meanwhile. It writes nothing if nothing is new.
func (l *Limits) Save() error {
	if l == nil || l.path == "" {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	there, _ := readLessons(l.path) // a broken file is replaced
	all := map[string][]Lesson{}
	for model, list := range there {
		if !l.forgotten[model] {
			all[model] = list
		}
	}
	for model, list := range l.lessons {
		all[model] = merged(all[model], list)
	}
	if maps.EqualFunc(all, there, sameLessons) {
		return nil
	}
	data, err := json.Marshal(all, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		return fmt.Errorf("learned limits: %w", err)
	}
	if err := fsx.Replace(fsx.OS{}, l.path, append(data, '\n'), 0o600); err != nil {
		return fmt.Errorf("learned limits: %w", err)
	}
	return nil
}

func sameLessons(a, b []Lesson) bool {
	return slices.EqualFunc(a, b, func(x, y Lesson) bool {
		same := x.When.Equal(y.When)
		x.When = y.When
		return same && x == y
	})
}

// merged combines the lessons of two runs; of two about the same limit the newer
// one counts.
func merged(a, b []Lesson) []Lesson {
	out := slices.Clone(a)
	for _, s := range b {
		i := slices.IndexFunc(out, s.about)
		switch {
		case i < 0:
			out = append(out, s)
		case !out[i].When.After(s.When):
			out[i] = s
		}
	}
	return out
}
