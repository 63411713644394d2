package prefilter

import (
	"slices"
	"strings"
	"unicode"
)

// edge is what is known of a literal at one of its ends.
type edge uint8

const (
	free    edge = iota // nothing
	flush               // the match of the expression at hand ends there, too
	bounded             // no ASCII letter stands beside it
)

// literal is a piece of each text that an expression matches, with its ASCII
// letters in lower case.
type literal struct {
	text        string
	left, right edge
}

// literals are alternatives: each match holds one of them. nil: nothing is
// known.
type literals []literal

// maxLiterals bounds a set. Where more would be needed, less is said.
const maxLiterals = 256

// joined puts the literals that stand together behind one another: a's that
// end where the match of a ends, and b's that begin where that of b does. One
// of the sets must be exact (all that can match, as a whole). nil where that
// gives too many.
func joined(a, b literals, aExact bool) literals {
	if len(a)*len(b) > maxLiterals {
		return nil
	}
	var out literals
	switch {
	case aExact:
		for _, y := range b {
			if y.left != flush {
				out = append(out, y)
				continue
			}
			for _, x := range a {
				out = append(out, literal{x.text + y.text, x.left, y.right})
			}
		}
	default:
		for _, x := range a {
			if x.right != flush {
				out = append(out, x)
				continue
			}
			for _, y := range b {
				out = append(out, literal{x.text + y.text, x.left, flush})
			}
		}
	}
	return out
}

// better returns the set that fewer texts hold.
func better(a, b literals) literals {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	if x, y := a.worth(), b.worth(); x > y || x == y && len(a) <= len(b) {
		return a
	}
	return b
}

// worth is how telling the least telling literal is. Blanks tell nothing.
func (l literals) worth() int {
	least := 1 << 20
	for _, it := range l {
		n := 2 * (len(it.text) - strings.Count(it.text, " "))
		if it.text != "" && it.left == bounded {
			n += 2
		}
		if it.text != "" && it.right == bounded {
			n++
		}
		least = min(least, n)
	}
	return least
}

// behind returns the set as it stands behind what ends so.
func (l literals) behind(s side) literals {
	out := slices.Clone(l) // nil stays nil
	for i, it := range out {
		if it.left == flush {
			out[i].left = s.beside(it.text, func(t string) byte { return t[0] })
		}
	}
	return out
}

// before returns the set as it stands before what begins so.
func (l literals) before(s side) literals {
	out := slices.Clone(l)
	for i, it := range out {
		if it.right == flush {
			out[i].right = s.beside(it.text, func(t string) byte { return t[len(t)-1] })
		}
	}
	return out
}

// side is how an expression begins, or how it ends.
type side uint8

const (
	anySide    side = iota
	noLetter        // with no ASCII letter, or at an end of the text
	wordBorder      // \b
)

// beside is the edge of a literal next to the side.
func (s side) beside(text string, last func(string) byte) edge {
	switch {
	case text == "":
		return free
	case s == noLetter, s == wordBorder && wordByte(last(text)):
		return bounded
	}
	return free
}

func wordByte(c byte) bool { return letter(c) || c-'0' < 10 || c == '_' }

// spellings returns the ways in which a character is written: ASCII letters
// in lower case, of others both cases where fold is set. nil: it is better not
// to say.
func spellings(r rune, fold bool) []string {
	switch {
	case r == unicode.ReplacementChar: // matches broken bytes, too
		return nil
	case r == '\u017f':
		return []string{"s"}
	case r == '\u212a':
		return []string{"k"}
	case r < 0x80:
		return []string{string(rune(lower(byte(r))))}
	}
	out := []string{string(r)}
	if fold {
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			out = append(out, string(f))
		}
	}
	return out
}
