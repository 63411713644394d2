// Package safetext measures and cuts text so that no character is torn.
package safetext

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// UTF16Len is the length of s in UTF-16 code units, the unit in which session
// files written by JavaScript programs count characters.
func UTF16Len(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r > 0xFFFF {
			n++
		}
	}
	return n
}

// Sanitize replaces invalid UTF-8 with U+FFFD, so that the text can be in
// any JSON document. Valid text is returned unchanged.
func Sanitize(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// CutHead returns the longest prefix of s of at most units UTF-16 code units
// that ends between grapheme clusters, so that no character is torn.
func CutHead(s string, units int) string {
	if len(s) <= units {
		return s // no string has more UTF-16 units than bytes
	}
	n, end, size, state := 0, 0, 0, -1
	for end < len(s) {
		size, state = cluster(s[end:], state)
		n += UTF16Len(s[end : end+size])
		if n > units {
			if end == 0 {
				return cutRunes(s[:size], units)
			}
			return s[:end]
		}
		end += size
	}
	return s
}

// cluster is the length of the grapheme cluster that a text begins with, given
// the state after the one before; -1 is always right. Nearly all are an ASCII
// character before another one.
func cluster(s string, state int) (size, next int) {
	if len(s) > 1 && s[0] < utf8.RuneSelf && s[1] < utf8.RuneSelf && s[0] != '\r' {
		return 1, -1
	}
	first, _, _, next := uniseg.FirstGraphemeClusterInString(s, state)
	return len(first), next
}

// cutRunes cuts a single cluster that is longer than what there is room for
// (a letter with a thousand marks) between characters.
func cutRunes(cluster string, units int) string {
	n := 0
	for i, r := range cluster {
		if n += len(utf16.AppendRune(nil, r)); n > units {
			return cluster[:i]
		}
	}
	return cluster
}

// CutTail returns the longest suffix of s of at most units UTF-16 code units
// that begins between grapheme clusters.
func CutTail(s string, units int) string {
	total := UTF16Len(s)
	if total <= units {
		return s
	}
	drop, n, start, size, state := total-units, 0, 0, 0, -1
	for start < len(s) && n < drop {
		size, state = cluster(s[start:], state)
		n += UTF16Len(s[start : start+size])
		start += size
	}
	return s[start:]
}
