package prefilter

import "strings"

// scanner looks for any of a set of literals. ASCII letters match in either
// case.
type scanner struct {
	inside pairs // the first two bytes of literals that may stand within a word
	start  pairs // those of all literals
	by     map[uint16][]literal
}

// newScanner returns nil where the literals are no help: none, or one that is
// in nearly every text.
func newScanner(literals []literal) *scanner {
	if len(literals) == 0 {
		return nil
	}
	s := &scanner{by: map[uint16][]literal{}}
	for _, l := range literals {
		if len(l.text) < 2 {
			return nil
		}
		key := pairOf(l.text[0], l.text[1])
		s.by[key] = append(s.by[key], l)
		s.start.add(key)
		if l.left != bounded {
			s.inside.add(key)
		}
	}
	return s
}

// found reports whether one of the literals is in s.
func (n *scanner) found(s string) bool {
	if s == "" {
		return false
	}
	within := false // a word, at this place
	c := lower(s[0])
	for i := 1; i < len(s); i++ {
		next := lower(s[i])
		if c >= 0x80 && foldsToASCII(s[i-1:]) {
			return true
		}
		set := &n.start
		if within {
			set = &n.inside
		}
		if key := pairOf(c, next); set.has(key) && n.at(s, i-1, key) {
			return true
		}
		within = c-'a' < 26
		c = next
	}
	return false
}

// at reports whether a literal whose pair is key stands at s[i].
func (n *scanner) at(s string, i int, key uint16) bool {
	within := i > 0 && letter(s[i-1])
	for _, l := range n.by[key] {
		if within && l.left == bounded || !hasPrefix(s[i:], l.text) {
			continue
		}
		if end := i + len(l.text); l.right != bounded || end == len(s) || !letter(s[end]) {
			return true
		}
	}
	return false
}

// hasPrefix compares without regard to the case of ASCII letters; prefix is
// in lower case.
func hasPrefix(s, prefix string) bool {
	if len(s) < len(prefix) {
		return false
	}
	for i := range len(prefix) {
		if lower(s[i]) != prefix[i] {
			return false
		}
	}
	return true
}

// foldsToASCII reports whether s begins with one of the two characters whose
// other case is an ASCII letter: the long s and the sign for kelvin. They are
// so rare that a text with one is left to the expression.
func foldsToASCII(s string) bool {
	return strings.HasPrefix(s, longS) || strings.HasPrefix(s, kelvin)
}

const (
	longS  = "\u017f"
	kelvin = "\u212a"
)

// pairs is a set of pairs of bytes, which may say yes to some more.
type pairs [pairCount / 64]uint64

const pairCount = 4096

func pairOf(a, b byte) uint16 { return (uint16(a)<<6 ^ uint16(b)) % pairCount }

func (p *pairs) add(key uint16) { p[key/64] |= 1 << (key % 64) }

func (p *pairs) has(key uint16) bool { return p[key/64]&(1<<(key%64)) != 0 }

func letter(c byte) bool { return lower(c)-'a' < 26 }

func lower(c byte) byte {
	if c-'A' < 26 {
		return c + ('a' - 'A')
	}
	return c
}
