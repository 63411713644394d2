package state

import (
	"path"
	"slices"
	"strings"

	"github.com/coppice-dev/coppice/internal/calls"
	"github.com/coppice-dev/coppice/internal/lazy"
	"github.com/coppice-dev/coppice/internal/outcome"
	"github.com/coppice-dev/coppice/internal/shell"
)

// Look is what was seen of a file, or what a search found. As far as is known
// nothing has changed it since.
type Look struct {
	File  string // as it is shown; "": lines of several files, or of a page
	Text  string // as the tool showed it; not masked
	First int    // the place of the message
}

// Looks returns what was seen and still is so, oldest first. It is not part of
// what a compaction carries.
func Looks(s *State) []Look {
	if s == nil {
		return nil
	}
	return s.looks
}

// look is what was seen, and whether it still is so can be told by its key.
type look struct {
	key, dir, text string // dir: of a command, from where its lines name files
	at             int
}

// sights are the latest looks, and when files were changed.
type sights struct {
	looks   []look
	size    int            // bytes of their texts
	changed map[string]int // canonical name: place of the latest change
}

const (
	maxLook  = 64 << 10 // bytes of one look
	maxLooks = 1 << 20  // bytes of all
)

// see keeps what was seen.
func (s *sights) see(l look) {
	if len(l.text) > maxLook {
		l.text = l.text[:strings.LastIndexByte(l.text[:maxLook], '\n')+1]
	}
	s.looks = append(s.looks, l)
	for s.size += len(l.text); s.size > maxLooks; s.looks = s.looks[1:] {
		s.size -= len(s.looks[0].text)
	}
}

// change takes that a file, or a folder, is not as it was.
func (s *sights) change(key string, at int) {
	if s.changed == nil {
		s.changed = map[string]int{}
	}
	s.changed[key] = at
}

// holds reports whether a file is as it was at a place.
func (s *sights) holds(key string, at int) bool {
	for ; ; key = path.Dir(key) {
		if when, changed := s.changed[key]; changed && when > at {
			return false
		}
		if key == path.Dir(key) {
			return true
		}
	}
}

// viewers are programs that show texts and change nothing.
var viewers = lazy.Words{"cat", "sed", "head", "tail", "grep", "egrep", "fgrep", "rg", "ag", "nl", "bat", "less", "cd", "gh", "glab"}

// lookedAround takes the output of commands that all only look.
func (f *folder) lookedAround(cmds []shell.Command, dirs []string, r outcome.Result) {
	if r.Failed || len(cmds) == 0 {
		return
	}
	for _, cmd := range cmds {
		switch {
		case !viewers.Has(cmd.Name()):
			return
		case cmd.Name() == "gh" || cmd.Name() == "glab":
			if args := cmd.Args(); len(args) < 2 || args[1].Text != "view" && args[1].Text != "list" {
				return
			}
		}
		for _, op := range calls.CommandOps(cmd) {
			if op.Kind != shell.Read {
				return
			}
		}
	}
	last := cmds[len(cmds)-1]
	l := look{dir: dirs[len(dirs)-1], text: r.Body, at: f.at}
	if ops := calls.CommandOps(last); len(ops) == 1 && len(cmds) == 1 {
		l.key = f.paths.key(ops[0].Path, l.dir)
	}
	f.sights.see(l)
}

// movesTree reports whether a command of git changes files without naming them.
func movesTree(cmd shell.Command) bool {
	verb, _ := shell.GitVerb(cmd.Args())
	return cmd.Name() == "git" && slices.Contains([]string{"checkout", "switch", "pull", "merge", "rebase", "stash", "reset", "apply", "am", "cherry-pick", "revert", "clean"}, verb)
}

// stillSo returns what was seen and still holds.
func (f *folder) stillSo() []Look {
	var out []Look
	for _, l := range f.sights.looks {
		switch {
		case l.key == "":
			if text := f.linesThatHold(l); text != "" {
				out = append(out, Look{Text: text, First: l.at})
			}
		case f.sights.holds(l.key, l.at):
			out = append(out, Look{File: f.paths.show(l.key), Text: l.text, First: l.at})
		}
	}
	return out
}

// linesThatHold leaves out the lines of files that were changed later.
func (f *folder) linesThatHold(l look) string {
	if len(f.sights.changed) == 0 {
		return l.text
	}
	var b strings.Builder
	for line := range strings.Lines(l.text) {
		if name, _, found := strings.Cut(line, ":"); found && !f.sights.holds(f.paths.key(strings.TrimSpace(name), l.dir), l.at) {
			continue
		}
		b.WriteString(line)
	}
	return b.String()
}
