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
	n, rest, state, end := 0, s, -1, 0
	for rest != "" {
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		n += UTF16Len(cluster)
		if n > units {
			if end == 0 {
				return cutRunes(cluster, units)
			}
			return s[:end]
		}
		end += len(cluster)
	}
	return s
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
	drop, n, rest, state, start := total-units, 0, s, -1, 0
	for rest != "" && n < drop {
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		n += UTF16Len(cluster)
		start += len(cluster)
	}
	return s[start:]
}
