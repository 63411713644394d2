package summarize

import (
	"slices"
	"strings"

	"github.com/coppice-dev/coppice/internal/kinds"
	"github.com/coppice-dev/coppice/internal/state"
)

// work writes what was done, what is being done, and what is in the way.
func (s *sheet) work(done, doing, blocked place) {
	s.doneTasks(done)
	s.changes(done)
	s.files(done)
	s.commits(done)
	for _, it := range s.living(state.Task) {
		if it.Life == state.Doing {
			s.add(doing, needed, it.First, "- [ ] "+oneLine(it.Text))
		}
	}
	for _, it := range s.living(state.Run) {
		if it.Life == state.Running {
			text := "- " + code(oneLine(it.Text)) + " is running"
			if it.Note != "" {
				text += " (" + oneLine(it.Note) + ")"
			}
			s.add(doing, needed, it.Last, text)
		}
	}
	s.failures(blocked)
}

// failures writes what fails and why; what fails for the same reason is one
// line.
func (s *sheet) failures(at place) {
	const least, most = 3, 12 // how many are one line, and how many of them are named
	all := s.living(state.Failure)
	like := map[string][]*state.Item{}
	for _, it := range all {
		like[it.Note] = append(like[it.Note], it)
	}
	for _, it := range all {
		same := []*state.Item{it}
		if it.Note != "" && len(like[it.Note]) >= least {
			if same = like[it.Note]; same[len(same)-1] != it {
				continue // the newest is where the line is
			}
		}
		var names []string
		for _, f := range same[max(0, len(same)-most):] {
			names = append(names, code(oneLine(f.Text)))
		}
		text := "- " + strings.Join(names, ", ")
		if n := len(same) - most; n > 0 {
			text += " and " + count(n, "earlier one", "earlier ones")
		}
		if len(same) > 1 {
			text += " fail"
		} else {
			text += " fails"
		}
		if it.Note != "" {
			text += ": " + code(clip(it.Note, maxLine))
		}
		s.add(at, needed, it.Last, text)
	}
}

// doneTasks writes listed work that is finished on one line.
func (s *sheet) doneTasks(at place) {
	var texts []string
	age := 0
	for _, it := range s.made(state.Task) {
		if it.Life == state.Done {
			texts = append(texts, oneLine(it.Text))
			age = it.Last
		}
	}
	const most = 14
	if n := len(texts); n > most {
		texts = append([]string{count(n-most, "earlier task", "earlier tasks")}, texts[n-most:]...)
	}
	if len(texts) > 0 {
		s.add(at, wanted1, age, "- [x] "+strings.Join(texts, "; "))
	}
}

// fileChanges is what was changed in one file.
type fileChanges struct {
	name  string
	texts []string
	why   string
	last  int
}

// changes writes what was changed, a line for each file.
func (s *sheet) changes(at place) {
	var files []*fileChanges
	byName := map[string]*fileChanges{}
	for _, it := range s.living(state.Change) {
		name := s.in.State.FileOf(it)
		f := byName[name]
		if f == nil {
			f = &fileChanges{name: name}
			byName[name] = f
			files = append(files, f)
		}
		f.texts = append(f.texts, oneLine(it.Text))
		f.last = max(f.last, it.Last)
		if it.Note != "" {
			f.why = it.Note
		}
	}
	for _, f := range s.alike(at, files) {
		const most = 6
		left := len(f.texts) - most
		texts := f.texts
		if left > 0 {
			texts = append(slices.Clone(texts[:most/2]), texts[len(texts)-most/2:]...)
		}
		text := "- " + f.name + s.fileNote(f.name) + ": " + strings.Join(texts, "; ")
		if left > 0 {
			text += "; " + count(left, "more change", "more changes")
		}
		s.add(at, wanted1, f.last, clip(text, maxLine)+because(f.why))
	}
}

// alike writes a change that was made in many files once, and returns the
// other files.
func (s *sheet) alike(at place, files []*fileChanges) []*fileChanges {
	const many, names = 4, 8
	same := map[string][]*fileChanges{}
	key := func(f *fileChanges) string { return strings.Join(f.texts, "; ") + because(f.why) }
	for _, f := range files {
		same[key(f)] = append(same[key(f)], f)
	}
	var left []*fileChanges
	for _, f := range files {
		all := same[key(f)]
		if len(all) < many {
			left = append(left, f)
			continue
		}
		if f != all[0] {
			continue
		}
		var list []string
		for _, g := range all[max(0, len(all)-names):] {
			list = append(list, g.name)
		}
		text := "- " + strings.Join(list, ", ")
		if n := len(all) - names; n > 0 {
			text += " and " + count(n, "other file", "other files")
		}
		s.add(at, wanted1, all[len(all)-1].last, clip(text+": "+strings.Join(f.texts, "; "), 2*maxLine)+because(f.why))
	}
	return left
}

func because(why string) string {
	if why == "" {
		return ""
	}
	return " — " + clip(why, 320)
}

// fileNote says that a file is new.
func (s *sheet) fileNote(name string) string {
	for _, it := range s.in.State.Of(state.File) {
		if it.Text == name && it.Note == kinds.FileCreated && it.Life == state.Exists {
			return " (new)"
		}
	}
	return ""
}

// files writes which files were deleted and moved. What was changed is told
// with the changes, what was only touched in the lists under the summary.
func (s *sheet) files(at place) {
	var deleted, moved []string
	age := 0
	for _, it := range s.made(state.File) {
		switch it.Life {
		case state.Deleted:
			if it.Ending == kinds.EndedWithFolder {
				continue
			}
			deleted = append(deleted, it.Text)
		case state.Moved:
			moved = append(moved, it.Text+" → "+it.Note)
		default:
			continue
		}
		age = it.Last
	}
	const most = 20
	if n := len(deleted); n > 0 {
		s.add(at, wanted1, age, "- Files deleted: "+strings.Join(deleted[max(0, n-most):], ", "))
	}
	if n := len(moved); n > 0 {
		s.add(at, wanted1, age, "- Files moved: "+strings.Join(moved[max(0, n-most):], ", "))
	}
}

// commits writes the commits, and which of them are not pushed.
func (s *sheet) commits(at place) {
	var pushed, local []string
	age := 0
	for _, it := range s.living(state.Place) {
		switch {
		case it.By != "git":
			continue
		case it.Git == state.Pushed:
			pushed = append(pushed, oneLine(it.Text))
		default:
			local = append(local, oneLine(it.Text))
		}
		age = it.Last
	}
	const most = 8
	list := func(all []string) string {
		if n := len(all); n > most {
			return count(n-most, "earlier one", "earlier ones") + "; " + strings.Join(all[n-most:], "; ")
		}
		return strings.Join(all, "; ")
	}
	if len(local) > 0 {
		s.add(at, needed, age, "- Commits, not pushed: "+list(local))
	}
	if len(pushed) > 0 {
		s.add(at, wanted1, age, "- Commits, pushed: "+list(pushed))
	}
}
