package recall

import (
	"unicode"
	"unicode/utf8"
)

// fold appends s to dst in the form in which texts are compared: with letter
// case folded (simple Unicode folding) and each run of white space as one
// space.
func fold(dst []byte, s string) []byte {
	space := false
	for i := 0; i < len(s); {
		r, size := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[i:])
		}
		i += size
		if unicode.IsSpace(r) {
			if !space {
				dst = append(dst, ' ')
			}
			space = true
			continue
		}
		space = false
		dst = utf8.AppendRune(dst, foldRune(r))
	}
	return dst
}

// unfolded returns the offset in s that corresponds to an offset in its folded
// form.
func unfolded(s string, offset int) int {
	n, space := 0, false
	for i, r := range s {
		if n >= offset && !(space && unicode.IsSpace(r)) {
			return i
		}
		switch {
		case !unicode.IsSpace(r):
			n += utf8.RuneLen(foldRune(r))
			space = false
		case !space:
			n++
			space = true
		}
	}
	return len(s)
}

// foldRune returns the same rune for all runes that differ only in case.
func foldRune(r rune) rune {
	if r < utf8.RuneSelf {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}
	least := r
	for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
		least = min(least, other)
	}
	if 'A' <= least && least <= 'Z' { // the Kelvin sign is a k
		least += 'a' - 'A'
	}
	return least
}
