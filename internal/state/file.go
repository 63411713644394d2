package state

import (
	"path"
	"slices"
	"strings"

	"github.com/coppice-dev/coppice/internal/calls"
	"github.com/coppice-dev/coppice/internal/kinds"
	"github.com/coppice-dev/coppice/internal/outcome"
	"github.com/coppice-dev/coppice/internal/shell"
)

// fileTable is what is known of the files that were touched.
type fileTable struct {
	known map[string]*fileState // by canonical name
	order []string
	texts textStore
}

// fileState is what is known of one file.
type fileState struct {
	item    *Item
	created bool // it was not there before
	changed bool
	read    bool
	text    string // its text as far as it is known; "" is not known
	changes []*Item
	kept    int // how many of the changes were committed
	keptAt  int // where they were
}

// file finds or makes the state of a file.
func (f *folder) file(key string) *fileState {
	if s := f.files.known[key]; s != nil {
		return s
	}
	s := &fileState{}
	f.files.known[key] = s
	f.files.order = append(f.files.order, key)
	return s
}

// item makes sure that the file has an item, and that the message at hand is
// among its entries.
func (f *folder) fileItem(key string, s *fileState, life Life) *Item {
	if s.item == nil {
		s.item = f.make(Item{Kind: File, Key: key, Text: f.paths.show(key), Life: life})
		if s.item == nil {
			s.item = &Item{Kind: File}
		}
		return s.item
	}
	f.touch(s.item)
	s.item.Life, s.item.Why, s.item.Ending, s.item.Ended = life, "", "", nil
	return s.item
}

// op takes what was done to a file, as seen from a directory.
func (f *folder) op(op calls.Op, dir, reason string) {
	key := f.paths.key(op.Path, dir)
	if op.Kind != shell.Read && op.Kind != shell.Mkdir {
		f.sights.change(key, f.at)
	}
	switch op.Kind {
	case shell.Read:
		s := f.file(key)
		s.read = true
		if s.item == nil || s.item.Life == Exists {
			it := f.fileItem(key, s, Exists)
			if !s.changed {
				it.Note = kinds.FileRead
			}
		}
	case shell.Mkdir:
		f.folderBack(key)
	case shell.Restore:
		f.restored(key, op.Path == ".")
	case shell.Delete:
		f.deleted(key)
	case shell.Move:
		f.moved(op, key, f.paths.key(op.To, dir), reason)
	default:
		f.written(op, key, reason)
	}
}

// written takes a change of a file.
func (f *folder) written(op calls.Op, key, reason string) {
	s := f.file(key)
	gone := s.item != nil && s.item.Life == Deleted
	if op.Kind == shell.Create || op.Whole && !s.read && !s.changed && s.text == "" && f.newFile(key) || gone && !s.read {
		s.created = s.created || !s.changed
	}
	s.changed = true
	it := f.fileItem(key, s, Exists)
	it.Git = Uncommitted
	if it.Note = kinds.FileModified; s.created {
		it.Note = kinds.FileCreated
	}
	f.change(s, key, op, reason)
	f.fileChanged(key, false)
	f.parentExists(key)
	f.planFile(key, op)
}

// newFile reports whether nothing is known of a file, so that writing it whole
// makes it.
func (f *folder) newFile(key string) bool {
	s := f.files.known[key]
	return s == nil || s.item == nil
}

// folderBack takes back that a folder was deleted, and what was in it: what is
// there now is not known.
func (f *folder) folderBack(key string) {
	s := f.files.known[key]
	if s == nil || s.item == nil || s.item.Life != Deleted {
		return
	}
	s.item.Text, s.item.Life = "", Exists
	for other, o := range f.files.known {
		if strings.HasPrefix(other, key+"/") && o.item != nil && o.item.Life == Deleted {
			o.item.Text = ""
			o.item = nil
		}
	}
}

// parentExists takes back that a folder was deleted, where a file is made in
// it.
func (f *folder) parentExists(key string) {
	for dir := path.Dir(key); dir != "." && dir != "/"; dir = path.Dir(dir) {
		f.folderBack(dir)
	}
}

// deleted takes that a file, or a folder with all below, is gone.
func (f *folder) deleted(key string) {
	s := f.file(key)
	came := s.created && s.item != nil && s.item.Git != Committed && s.item.Git != Pushed
	it := f.fileItem(key, s, Deleted)
	it.Git, it.Note = Uncommitted, ""
	it.Ended = withEntry(nil, f.entry)
	f.dropChanges(s)
	if came {
		it.Ending = kinds.EndedBrief
	}
	s.created, s.changed, s.read, s.text = false, false, false, ""
	f.fileChanged(key, true)
	for other, o := range f.files.known {
		if strings.HasPrefix(other, key+"/") && o.item != nil && o.item.Life == Exists {
			f.dropChanges(o)
			f.fileItem(other, o, Deleted)
			o.item.Why, o.item.Ending = "with "+f.paths.show(key), kinds.EndedWithFolder
			o.created, o.changed, o.read = false, false, false
		}
	}
}

// restored takes that a file, or all below a folder, is again as it was
// committed last. Files that were made here and not committed stay as they are
// where everything is restored.
func (f *folder) restored(key string, all bool) {
	for _, other := range slices.Clone(f.files.order) {
		s := f.files.known[other]
		if s.item == nil || other != key && !strings.HasPrefix(other, key+"/") && (!all || key != "" && key != ".") {
			continue
		}
		git := f.gitOf(other)
		if s.item.Life == Moved || all && s.created && git == "" || s.item.Life == Exists && s.item.Git != Uncommitted {
			continue
		}
		f.dropLater(s)
		it := f.fileItem(other, s, Exists)
		it.Git, it.Note = git, kinds.FileRead
		if s.text = ""; git != "" {
			it.Note = kinds.FileModified
		}
		s.created, s.changed = false, git != ""
		f.fileChanged(other, false)
	}
}

// dropLater takes back the changes of a file that were not committed.
func (f *folder) dropLater(s *fileState) {
	n := 0
	for i, it := range s.changes {
		if i < s.kept && it.Last <= s.keptAt {
			s.changes[n] = it
			n++
			continue
		}
		it.Text = ""
	}
	s.changes = s.changes[:n]
	s.kept = n
}

// moved takes that a file, or a folder with all below, has another name.
func (f *folder) moved(op calls.Op, from, to, reason string) {
	if op.Into && f.isDir(to) {
		to = path.Join(to, path.Base(from))
	}
	s := f.file(from)
	created := s.created
	it := f.fileItem(from, s, Moved)
	it.Note, it.Git = f.paths.show(to), Uncommitted
	it.Ended = withEntry(nil, f.entry)
	if f.movedOn(it.Text, it.Note) {
		it.Text = "" // it was there only in between
	}
	d := f.file(to)
	d.text, d.created, d.changed, d.read = s.text, created, s.changed || d.changed, true
	target := f.fileItem(to, d, Exists)
	target.Git = Uncommitted
	if target.Note = kinds.FileModified; created {
		target.Note = kinds.FileCreated
		it.Text = "" // nobody needs its former name
	}
	d.changes = append(d.changes, s.changes...)
	d.kept, d.keptAt, s.kept = min(d.kept, s.kept), s.keptAt, 0
	for _, c := range s.changes {
		c.Key = to + "\x00" + strings.TrimPrefix(c.Key, from+"\x00")
	}
	s.changes, s.created, s.changed, s.read, s.text = nil, false, false, false, ""
	if len(op.Edits) > 0 {
		f.change(d, to, op, reason)
	}
	f.parentExists(to)
	f.fileChanged(from, true)
	for _, other := range slices.Clone(f.files.order) {
		if rest, ok := strings.CutPrefix(other, from+"/"); ok && f.files.known[other].item != nil && f.files.known[other].item.Life == Exists {
			f.moved(calls.Op{}, other, path.Join(to, rest), reason)
			f.files.known[other].item.Text = "" // the folder says it
		}
	}
}

// movedOn lets what was moved to one name be moved to another, and reports
// whether something was.
func (f *folder) movedOn(from, to string) bool {
	found := false
	for _, key := range f.files.order {
		if it := f.files.known[key].item; it != nil && it.Life == Moved && it.Note == from && it.Text != "" {
			it.Note, found = to, true
		}
	}
	return found
}

// isDir reports whether files below a name are known.
func (f *folder) isDir(key string) bool {
	for other := range f.files.known {
		if strings.HasPrefix(other, key+"/") {
			return true
		}
	}
	return false
}

// commandFiles takes what a command did to files.
func (f *folder) commandFiles(cmd shell.Command, dir, reason string, r outcome.Result) {
	for _, op := range calls.CommandOps(cmd) {
		f.op(op, dir, reason)
		if op.Kind == shell.Read && cmd.Name() == "cat" && len(cmd.Args()) == 1 && !cmd.Piped() {
			op.Part = false
			f.readText(op, r.Body)
		}
	}
}

// cameAndWent reports whether a file was made and deleted again.
func (it *Item) cameAndWent() bool {
	return it.Kind == File && it.Life == Deleted && it.Ending == kinds.EndedBrief
}
