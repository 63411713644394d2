package ledger

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf16"
)

// importance orders the classes that matter, the least important first. If a
// summary loses a fact of one of these, the fact is worth its space in the
// residue: constraints because breaking one does harm; errors and open work
// because the next step depends on them; changed files because the changes are
// the work itself; decisions and requests because otherwise they would be
// discussed again. Files read, commands, identifiers, URLs, numbers, hashes,
// finished work and questions can be found again, or have their own lists.
var importance = []Class{Request, Decision, FileModified, FileCreated, FileMoved, FileDeleted, Open, Error, Constraint}

// Essential reports whether a fact of the class must not be lost: if a summary
// does not hold it, it goes word for word into the residue.
func Essential(c Class) bool { return slices.Contains(importance, c) }

// Of returns the facts of a class, oldest first.
func (l *Ledger) Of(c Class) []Fact {
	var out []Fact
	for _, f := range factsOf(l) {
		if f.Class == c {
			out = append(out, f)
		}
	}
	return out
}

// Counts returns the number of facts of each class that has any.
func (l *Ledger) Counts() map[Class]int {
	counts := map[Class]int{}
	for _, f := range factsOf(l) {
		counts[f.Class]++
	}
	return counts
}

// Files returns the paths that were only read, and those that were modified,
// created, deleted or moved (old and new path). Each list is sorted by UTF-16
// units, as JavaScript sorts.
func (l *Ledger) Files() (read, modified []string) {
	changed := map[string]bool{}
	for _, f := range factsOf(l) {
		switch f.Class {
		case FileMoved:
			changed[f.Note] = f.Note != ""
			changed[f.Key] = true
		case FileModified, FileCreated, FileDeleted:
			changed[f.Key] = true
		}
	}
	for p, yes := range changed {
		if yes {
			modified = append(modified, p)
		}
	}
	for _, f := range factsOf(l) {
		if f.Class == FileRead && !changed[f.Key] {
			read = append(read, f.Key)
		}
	}
	slices.SortFunc(read, compareUTF16)
	slices.SortFunc(modified, compareUTF16)
	return slices.Compact(read), slices.Compact(modified)
}

func compareUTF16(a, b string) int {
	return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
}

// Line writes a fact on one line, without a bullet, as it appears in a residue
// and in an extractive summary. Cover finds the fact in it again.
func (f Fact) Line() string {
	text := fold(f.Text)
	note := fold(f.Note)
	switch f.Class {
	case Constraint:
		return text
	case FileMoved:
		return "moved: " + text + " → " + note
	case Command:
		if note != "" {
			note = " (" + note + ")"
		}
		return "command: " + text + note
	}
	label := strings.ReplaceAll(strings.TrimPrefix(string(f.Class), "file-"), "-", " ")
	if f.Class == Error && note != "" {
		return label + " (" + note + "): " + text
	}
	if note != "" {
		return label + ": " + text + " (" + note + ")"
	}
	return label + ": " + text
}

// rank returns the place of a class among those that matter, or -1.
func rank(c Class) int { return slices.Index(importance, c) }

// byImportance sorts facts so that those that matter most come last, and
// keeps the order within a class.
func byImportance(facts []Fact) {
	slices.SortStableFunc(facts, func(a, b Fact) int { return cmp.Compare(rank(a.Class), rank(b.Class)) })
}
