package hook

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// fromSettings returns the programs named in the options.
func (b *Bus) fromSettings() []hook {
	var out []hook
	for _, p := range b.opts.Programs {
		h := hook{event: p.Event, project: p.Project, required: p.Required, timeout: p.Timeout, command: p.Command}
		if len(p.Command) > 0 {
			h.name = filepath.Base(p.Command[0])
		}
		h.name = cmp.Or(p.Name, h.name)
		switch {
		case !p.Event.known():
			b.failed(h, errors.New("there is no such event"))
		case len(p.Command) == 0 || p.Command[0] == "":
			b.failed(h, errors.New("no command is given"))
		default:
			out = append(out, h)
		}
	}
	return out
}

// discover finds the programs in a hook folder: dir/<event>/<program>. Hidden
// files and notes (*.md) are ignored; anything else that is not a program is
// reported, because its owner expects it to run.
func discover(dir string, project bool) (out []hook, problems []error) {
	problem := func(err error) { problems = append(problems, fmt.Errorf("hooks: %w", err)) }
	folders, err := list(dir)
	if err != nil {
		problem(err)
	}
	for _, d := range folders {
		event := Event(d.Name())
		switch {
		case !d.IsDir():
			continue // helpers, notes
		case !event.known():
			problem(fmt.Errorf("%s: there is no event with this name", filepath.Join(dir, d.Name())))
			continue
		}
		files, err := list(filepath.Join(dir, d.Name()))
		if err != nil {
			problem(err)
		}
		for _, f := range files {
			path := filepath.Join(dir, d.Name(), f.Name())
			info, err := os.Stat(path)
			switch {
			case err != nil:
				problem(err)
			case info.IsDir() || filepath.Ext(path) == ".md":
			case !info.Mode().IsRegular() || !runnable(f.Name(), uint32(info.Mode().Perm())):
				problem(fmt.Errorf("%s is not executable, so it does not run", path))
			default:
				out = append(out, hook{event: event, name: f.Name(), project: project, found: true, command: []string{absolute(path)}})
			}
		}
	}
	return out, problems
}

// list returns what is in a folder, without hidden names. A missing folder is
// empty.
func list(dir string) (out []fs.DirEntry, err error) {
	if dir == "" {
		return nil, nil
	}
	all, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	for _, d := range all {
		if !strings.HasPrefix(d.Name(), ".") {
			out = append(out, d)
		}
	}
	return out, err
}

// absolute, because programs run in a different folder.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}
