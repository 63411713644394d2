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

// fromSettings are the programs named in the options.
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
// files and notes (*.md) are left alone; anything else that is not a program is
// reported, since its owner thinks that it runs.
func (b *Bus) discover(dir string, project bool) []hook {
	var out []hook
	for _, d := range b.list(dir) {
		event := Event(d.Name())
		switch {
		case !d.IsDir():
			continue // helpers, notes
		case !event.known():
			b.report(fmt.Errorf("hooks: %s: there is no event of this name", filepath.Join(dir, d.Name())))
			continue
		}
		for _, f := range b.list(filepath.Join(dir, d.Name())) {
			path := filepath.Join(dir, d.Name(), f.Name())
			info, err := os.Stat(path)
			switch {
			case err != nil:
				b.report(fmt.Errorf("hooks: %w", err))
			case info.IsDir() || filepath.Ext(path) == ".md":
			case !info.Mode().IsRegular() || !runnable(f.Name(), uint32(info.Mode().Perm())):
				b.report(fmt.Errorf("hooks: %s is not executable, so it does not run", path))
			default:
				out = append(out, hook{event: event, name: f.Name(), project: project, found: true, command: []string{absolute(path)}})
			}
		}
	}
	return out
}

// list returns what is in a folder, without hidden names; a missing folder is
// empty.
func (b *Bus) list(dir string) []fs.DirEntry {
	if dir == "" {
		return nil
	}
	all, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		b.report(fmt.Errorf("hooks: %w", err))
	}
	var out []fs.DirEntry
	for _, d := range all {
		if !strings.HasPrefix(d.Name(), ".") {
			out = append(out, d)
		}
	}
	return out
}

// absolute: programs run in another folder than ours.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}
