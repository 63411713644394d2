package state

import (
	"slices"
	"strings"

	"github.com/coppice-dev/coppice/internal/kinds"
	"github.com/coppice-dev/coppice/internal/prose"
	"github.com/coppice-dev/coppice/internal/safetext"
)

// CurrentRequest is what the user wants now; nil where nothing was asked, or
// all is done.
func (s *State) CurrentRequest() *Item {
	for _, it := range slices.Backward(s.Of(Request)) {
		if it.Life == Current {
			return it
		}
	}
	return nil
}

// Remaining are the conclusions of the last answers that say what is left to
// do, in their Notes, the newest last.
func (s *State) Remaining() []*Item {
	const most = 3
	all := slices.DeleteFunc(s.Living(Finding), func(it *Item) bool { return it.Note == "" || !strings.HasPrefix(it.Key, answerKey) })
	return all[max(0, len(all)-most):]
}

// overtaken takes out of conclusions what they said was left to do and is done
// since: of failures that are gone, of files that were changed after it was
// said.
func (s *State) overtaken() {
	failing := len(s.Living(Failure)) > 0
	files := slices.DeleteFunc(s.Of(File), func(it *Item) bool { return it.Note == kinds.FileRead || len(base(it.Text)) <= 4 })
	for i := range s.Items {
		it := &s.Items[i]
		if it.Kind != Finding || it.Note == "" || !strings.HasPrefix(it.Key, answerKey) {
			continue
		}
		var left []string
		for _, sentence := range prose.Split(it.Note) {
			low := strings.ToLower(sentence)
			switch {
			case !failing && hasAny(low, failWords...):
				it.Text = oneLine(strings.Replace(it.Text, sentence, "", 1))
			case changedSince(files, sentence, it.Last):
			default:
				left = append(left, sentence)
			}
		}
		it.Note = strings.Join(left, " ")
	}
	s.Items = slices.DeleteFunc(s.Items, func(it Item) bool { return it.Text == "" })
}

// changedSince reports whether a file that a sentence names was changed after a
// place.
func changedSince(files []*Item, sentence string, at int) bool {
	return slices.ContainsFunc(files, func(it *Item) bool { return it.Last > at && strings.Contains(sentence, base(it.Text)) })
}

// PlanOf is the name of the file that a task is listed in, or "".
func (s *State) PlanOf(task *Item) string {
	list, ok := strings.CutPrefix(task.Key, "file/")
	if !ok {
		return ""
	}
	for i := range s.Items {
		if it := &s.Items[i]; it.Kind == File && strings.HasPrefix(list, it.Key+"/") {
			return it.Text
		}
	}
	return ""
}

// FileOf is the name of the file that a change was made in.
func (s *State) FileOf(change *Item) string {
	key, _, _ := strings.Cut(change.Key, "\x00")
	for i := range s.Items {
		if s.Items[i].Kind == File && s.Items[i].Key == key {
			return s.Items[i].Text
		}
	}
	return s.paths.show(key)
}

// Line says in one line where things are: what is wanted, or was last, and
// what is in the way or comes next.
func (s *State) Line() string {
	const most = 160 // UTF-16 units of each part
	line := ""
	if it := s.CurrentRequest(); it != nil {
		line = clip(it.Text, most)
	} else if all := s.Of(Request); len(all) > 0 {
		line = clip(all[len(all)-1].Text, most) + " (done)"
	}
	if open := s.Living(Failure); len(open) > 0 {
		last := open[len(open)-1]
		line += " · fails: " + clip(last.Text, 60)
	}
	for _, it := range s.Living(Task) {
		if it.Life == Doing || it.Life == Open {
			line += " · next: " + clip(it.Text, 80)
			break
		}
	}
	return strings.TrimPrefix(safetext.Sanitize(line), " · ")
}
