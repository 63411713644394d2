package state

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/coppice-dev/coppice/internal/calls"
	"github.com/coppice-dev/coppice/internal/digest"
	"github.com/coppice-dev/coppice/internal/prose"
	"github.com/coppice-dev/coppice/internal/safetext"
	"github.com/coppice-dev/coppice/internal/shell"
)

// textStore bounds how much text of files is kept, to tell in which function
// an edit was made.
type textStore struct{ size int }

const (
	maxText  = 256 << 10 // bytes of one file
	maxTexts = 32 << 20  // bytes of all
)

// setText keeps the text of a file.
func (f *folder) setText(s *fileState, text string) {
	f.files.texts.size -= len(s.text)
	if len(text) > maxText || f.files.texts.size+len(text) > maxTexts {
		text = ""
	}
	s.text = text
	f.files.texts.size += len(text)
}

// readText keeps what was read of a file, and takes the task out of it where
// the user named it as that.
func (f *folder) readText(op calls.Op, body string) {
	key := f.paths.key(op.Path, "")
	s := f.file(key)
	text := unnumbered(body)
	if s.text == "" || !op.Part {
		f.setText(s, text)
	}
	if request := f.talk.tasks[key]; request != nil && request.Living() {
		delete(f.talk.tasks, key)
		f.instructions(request, text, f.paths.show(key))
	}
}

// unnumbered takes the line numbers off a text as tools show it: "    12→code",
// "12: code", "    12|code".
func unnumbered(text string) string {
	first, _, _ := strings.Cut(strings.TrimPrefix(text, "<file>\n"), "\n")
	sep := ""
	for _, c := range []string{"→", "\t", "|", ": "} {
		if n, _, ok := strings.Cut(strings.TrimLeft(first, " "), c); ok && n != "" && strings.Trim(n, "0123456789") == "" {
			sep = c
			break
		}
	}
	if sep == "" {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	for line := range strings.Lines(text) {
		if n, rest, ok := strings.Cut(line, sep); ok && strings.Trim(n, " 0123456789") == "" {
			line = rest
		}
		b.WriteString(line)
	}
	return b.String()
}

// maxFileChanges bounds the changes that are kept of one file; the oldest go
// first.
const maxFileChanges = 40

// change takes the digest of a change.
func (f *folder) change(s *fileState, key string, op calls.Op, reason string) {
	for _, e := range op.Edits {
		if e.Script != "" {
			f.addChange(s, key, digest.Change{Kind: digest.Text, Name: "sed", New: e.Script}, reason)
			continue
		}
		before := s.text
		edit := digest.Edit{Path: key, Old: e.Old, New: e.New, Section: e.Section, Before: before, Whole: op.Whole}
		if op.Whole && op.Kind == shell.Create {
			edit.Before = ""
		}
		for _, c := range digest.Of(edit) {
			f.addChange(s, key, c, reason)
		}
		switch {
		case op.Whole:
			f.setText(s, e.New)
		case before != "" && e.Old != "" && strings.Contains(before, e.Old):
			f.setText(s, strings.Replace(before, e.Old, e.New, 1))
		}
	}
}

// addChange joins a change with an earlier one of the same place: a value that
// was set twice changed once, what was put back did not change.
func (f *folder) addChange(s *fileState, key string, c digest.Change, reason string) {
	if len(s.changes) >= maxFileChanges {
		s.changes[0].Text = ""
		s.changes = s.changes[1:]
		s.kept = max(s.kept-1, 0)
	}
	it := f.sameChange(s, key, c)
	if it == nil {
		it = f.make(Item{Kind: Change, Key: key + "\x00" + placeOf(c), Text: changeText(c), Note: reason, Before: c.Old, Life: Current})
		if it != nil {
			s.changes = append(s.changes, it)
			f.digests[it] = c
		}
		return
	}
	known := f.digests[it]
	joined, left := follow(known, c)
	f.outdated(known, joined, it)
	if !left {
		it.Text = ""
		if i := slices.Index(s.changes, it); i >= 0 {
			s.changes = slices.Delete(s.changes, i, i+1)
			if i < s.kept {
				s.kept--
			}
		}
		delete(f.digests, it)
		return
	}
	f.digests[it] = joined
	it.Key = key + "\x00" + placeOf(joined)
	it.Text = f.opts.Mask(safetext.Sanitize(changeText(joined)))
	if reason != "" {
		it.Note = f.opts.Mask(reason)
	}
	f.touch(it)
}

// sameChange finds an earlier change of the place of a new one.
func (f *folder) sameChange(s *fileState, key string, c digest.Change) *Item {
	for _, it := range slices.Backward(s.changes) {
		k := f.digests[it]
		switch {
		case c.Name != "" && k.Name == c.Name && (k.In == c.In || k.In == "" || c.In == ""),
			c.Kind == digest.Renamed && k.Name == c.Old,
			c.Kind == digest.Text && k.Kind == digest.Text && c.Old != "" && k.New == c.Old,
			c.Kind == digest.Value && k.Kind == digest.Text && c.Name != "" && k.New != "" && strings.Contains(k.New, c.Old) && strings.Contains(k.New, c.Name):
			return it
		}
	}
	return nil
}

// follow is what two changes of one place come to; left is false where
// nothing is left of them.
func follow(a, b digest.Change) (c digest.Change, left bool) {
	switch {
	case a.Kind == digest.Text && b.Kind == digest.Value:
		a.New = strings.Replace(a.New, b.Old, b.New, 1)
		return a, a.Old != a.New
	case a.Kind == digest.Added && b.Kind == digest.Removed:
		return a, false
	case a.Kind == digest.Added && b.Kind == digest.Value:
		a.New = b.New
		return a, true
	case a.Kind == digest.Added && b.Kind == digest.Renamed:
		a.Name = b.Name
		return a, true
	case a.Kind == digest.Added:
		return a, true // what changes in something new is new
	case a.Kind == digest.Removed && b.Kind == digest.Added:
		if a.Old != "" && b.New != "" {
			return digest.Change{Kind: digest.Value, Name: a.Name, Old: a.Old, New: b.New, In: a.In}, a.Old != b.New
		}
		return a, false
	case a.Kind == digest.Renamed && b.Kind == digest.Renamed:
		b.Old = a.Old
		return b, b.Old != b.Name
	case a.Kind == digest.Renamed:
		return a, b.Kind != digest.Removed
	case b.Kind == digest.Removed:
		return b, true
	}
	b.Old = a.Old
	return b, b.Old != b.New
}

// placeOf is what a change is of, within its file.
func placeOf(c digest.Change) string {
	if c.Name != "" {
		return c.In + "\x00" + c.Name
	}
	return c.In + "\x00" + c.New
}

// changeText writes a change.
func changeText(c digest.Change) string {
	in := ""
	if c.In != "" && c.In != c.Name {
		in = " (in " + c.In + ")"
	}
	switch c.Kind {
	case digest.Added:
		if c.New != "" {
			return "+" + c.Name + " = " + c.New + in
		}
		return "+" + c.Name + in
	case digest.Removed:
		return "−" + c.Name + in
	case digest.Renamed:
		return c.Old + " → " + c.Name + in
	case digest.Value:
		return c.Name + " " + c.Old + " → " + c.New + in
	}
	switch {
	case c.Name == "sed" && c.Old == "":
		return "sed " + code(c.New)
	case c.Old == "":
		return "+ " + code(c.New) + in
	case c.New == "":
		return "− " + code(c.Old) + in
	}
	return code(c.Old) + " → " + code(c.New) + in
}

// dropChanges ends the changes of a file that is gone.
func (f *folder) dropChanges(s *fileState) {
	for _, it := range s.changes {
		it.Text = ""
	}
	s.changes, s.kept = nil, 0
}

// outdated ends what answers said about a change that was changed again: they
// name what is no longer there.
func (f *folder) outdated(was, is digest.Change, it *Item) {
	gone := was.Name
	if was.Kind == digest.Value || was.Kind == digest.Added && was.New != "" {
		gone = was.New
	}
	if gone == "" || gone == is.Name || gone == is.New || was.Kind == digest.Text {
		return
	}
	for _, said := range f.recent(Finding) {
		if said.First >= it.First && said.First < f.at && speaksOf(said.Text, gone) && (gone == was.Name || speaksOf(said.Text, strings.Split(was.Name, "_")...)) {
			f.end(said, Replaced, "changed since: "+changeText(is))
		}
	}
}

// speaksOf reports whether a text has one of some words, in any case.
func speaksOf(text string, words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool {
		w = strings.ToLower(strings.Trim(w, "\"'`"))
		low := strings.ToLower(text)
		for i := strings.Index(low, w); i >= 0 && len(w) > 1; {
			before, _ := utf8.DecodeLastRuneInString(low[:i])
			after, _ := utf8.DecodeRuneInString(low[i+len(w):])
			if !wordly(before) && !wordly(after) {
				return true
			}
			next := strings.Index(low[i+1:], w)
			if next < 0 {
				return false
			}
			i += 1 + next
		}
		return false
	})
}

func wordly(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// taskFiles notes which files the user named as the task.
func (f *folder) taskFiles(meat []sentence, w *said) {
	const long = 400 // bytes; longer messages say themselves what is to be done
	if f.talk.current == nil || len(w.words.Own) > long {
		return
	}
	for _, s := range meat {
		if !s.Has(prose.Order) && !namesTask(s) || s.Question() {
			continue
		}
		for _, word := range strings.Fields(s.Text) {
			word = strings.Trim(word, "`\"'@,:;!?()«»“”")
			word = strings.TrimSuffix(word, ".")
			for _, ext := range []string{".md", ".txt", ".rst", ".adoc", ".org"} {
				if strings.HasSuffix(strings.ToLower(word), ext) && len(word) > len(ext) {
					if f.talk.tasks == nil {
						f.talk.tasks = map[string]*Item{}
					}
					f.talk.tasks[f.paths.key(word, "")] = f.talk.current
				}
			}
		}
	}
}

// taskWords are in sentences that make a file the task.
var taskWords = []string{"do what", "does what", "says", "follow", "implement", "work through", "instructions", "as described", "according to", "execute", "task", "carry out", "spec",
	"steht", "folge", "setze", "umsetzen", "aufgabe", "arbeite", "gemäß", "laut", "beschrieben", "anweisung", "suis", "suivre", "applique", "tâche", "consignes", "décrit", "selon", "ce que dit",
	"sigue", "haz lo que", "dice", "tarea", "según", "instrucciones", "descrito", "siga", "faça o que", "tarefa", "conforme", "descrito", "instruções", "diz", "сделай", "выполни", "задани", "задач", "согласно", "написано", "следуй", "инструкци",
	"按照", "按", "执行", "任务", "要求做", "实现", "に従", "の通り", "のとおり", "通りに", "どおり", "実装", "タスク", "指示", "대로", "따라", "작업", "지시", "구현"}

func namesTask(s sentence) bool {
	low := strings.ToLower(s.Text)
	return slices.ContainsFunc(taskWords, func(w string) bool { return strings.Contains(low, w) })
}
