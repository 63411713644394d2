package facts

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// set gathers facts in the order in which they became true and applies the
// rules by which a newer fact replaces an older one:
//
//   - same class and key: the newer fact stays;
//   - a path has one of created, modified and deleted: the latest, but what
//     was created and then modified stays created. Deleting a file so drops
//     that it was created or modified. Reads and moves are found as well;
//   - a failure is replaced by the next failure of the same command and
//     dropped when that command succeeds.
type set struct {
	facts  []Fact              // removed facts have no class
	index  map[string]int      // identity to place
	errors map[string][]string // keys of errors by attempt
}

func newSet() *set {
	return &set{index: map[string]int{}, errors: map[string][]string{}}
}

func identity(c Class, key string) string { return string(c) + "\x00" + key }

// keyOf returns what identifies a fact within its class.
func keyOf(f Fact) string {
	if f.Key != "" {
		return f.Key
	}
	return "\x01" + f.Text
}

// add drops what a fact replaces and puts it at the end.
func (s *set) add(f Fact) { s.put(s.replace(f)) }

// replace drops what a fact replaces, and returns the fact as it should be
// added.
func (s *set) replace(f Fact) Fact {
	switch f.Class {
	case FileCreated, FileModified, FileDeleted:
		return s.fileChange(f)
	case FileMoved:
		s.remove(FileCreated, f.Key)
		s.remove(FileModified, f.Key)
	case Command:
		if succeeded(f.Note) {
			s.resolve(f.Key)
		}
	}
	return f
}

// put adds a fact at the end and removes the one with the same identity.
func (s *set) put(f Fact) {
	if f.Class == Error {
		base := attempt(errorBase(f.Key))
		s.errors[base] = append(s.errors[base], f.Key)
	}
	id := identity(f.Class, keyOf(f))
	if i, ok := s.index[id]; ok {
		s.facts[i] = Fact{}
	}
	s.index[id] = len(s.facts)
	s.facts = append(s.facts, f)
}

// fileChange applies what is known about the path to a change of it.
func (s *set) fileChange(f Fact) Fact {
	if f.Class != FileDeleted {
		for _, known := range []Class{FileCreated, FileModified} {
			if i, ok := s.index[identity(known, f.Key)]; ok && known != f.Class {
				old := s.facts[i]
				f.Class, f.Note = known, cmp.Or(f.Note, old.Note)
				return f
			}
		}
	}
	for _, c := range []Class{FileCreated, FileModified, FileDeleted} {
		if c != f.Class {
			s.remove(c, f.Key)
		}
	}
	return f
}

func (s *set) remove(c Class, key string) {
	id := identity(c, key)
	if i, ok := s.index[id]; ok && key != "" {
		s.facts[i] = Fact{}
		delete(s.index, id)
	}
}

// An error's key is its command's key, and a number for its line.
const errorSep = "\n"

func errorBase(key string) string {
	base, _, _ := strings.Cut(key, errorSep)
	return base
}

// attempt returns what two runs of the same thing have in common: the words of
// a command without its flags. go test -v ./x is the same attempt as go test
// ./x; go test -run A ./x, which tests less, is another.
func attempt(base string) string {
	words := strings.Fields(base)
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return strings.HasPrefix(w, "-") }), " ")
}

// resolve drops the errors of a command.
func (s *set) resolve(base string) {
	base = attempt(base)
	for _, key := range s.errors[base] {
		s.remove(Error, key)
	}
	delete(s.errors, base)
}

// removeAll drops the facts of a class whose keys begin with prefix.
func (s *set) removeAll(c Class, prefix string) {
	for i, f := range s.facts {
		if f.Class == c && strings.HasPrefix(f.Key, prefix) {
			delete(s.index, identity(c, keyOf(f)))
			s.facts[i] = Fact{}
		}
	}
}

// limit says how many facts of a class are kept, the newest ones; 0: all,
// because constraints, files and open work must not be lost.
func limit(c Class) int {
	switch c {
	case Request, Command, Identifier, URL:
		return 40
	case Number, Hash:
		return 30
	case Decision:
		return 24
	case Error:
		return 9
	}
	return 0
}

// list returns the facts grouped by class, within the limits.
func (s *set) list() []Fact {
	byClass := map[Class][]Fact{}
	for _, f := range s.facts {
		byClass[f.Class] = append(byClass[f.Class], f)
	}
	delete(byClass, "") // removed
	var out []Fact
	for _, c := range slices.Sorted(maps.Keys(byClass)) {
		facts := byClass[c]
		if most := limit(c); most > 0 && len(facts) > most {
			newest := facts[len(facts)-most:]
			if c == Request { // the first one says what the session is about
				newest = append([]Fact{facts[0]}, newest[1:]...)
			}
			facts = newest
		}
		out = append(out, facts...)
	}
	return out
}
