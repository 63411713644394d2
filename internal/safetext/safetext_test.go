package safetext

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"pgregory.net/rapid"
)

func TestUTF16Len(t *testing.T) {
	for s, want := range map[string]int{"": 0, "abc": 3, "é": 1, "한": 1, "😀": 2, "🏷️": 3, "𠀀": 2, "\xff": 1} {
		if got := UTF16Len(s); got != want {
			t.Errorf("UTF16Len(%q) = %d, want %d", s, got, want)
		}
	}
}

func TestCuts(t *testing.T) {
	const family = "👩‍👩‍👧" // one cluster of eight units
	tests := []struct {
		s          string
		units      int
		head, tail string
	}{
		{"abcdef", 4, "abcd", "cdef"},
		{"abc", 10, "abc", "abc"},
		{"a😀b", 2, "a", "b"},
		{"a😀b", 3, "a😀", "😀b"},
		{"x" + family + "y", 8, "x", "y"},
		{"x" + family + "y", 9, "x" + family, family + "y"},
		{"e\u0301e\u0301", 3, "e\u0301", "e\u0301"},
		{"", 5, "", ""},
		{"a" + strings.Repeat("\u0301", 50), 10, "a" + strings.Repeat("\u0301", 9), ""},
	}
	for _, tt := range tests {
		if got := CutHead(tt.s, tt.units); got != tt.head {
			t.Errorf("CutHead(%q, %d) = %q, want %q", tt.s, tt.units, got, tt.head)
		}
		if got := CutTail(tt.s, tt.units); got != tt.tail {
			t.Errorf("CutTail(%q, %d) = %q, want %q", tt.s, tt.units, got, tt.tail)
		}
	}
}

// No cut splits a character (invariant I11).
func TestCutsAreBetweenClusters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOf(rapid.SampledFrom([]rune("aé한漢😀🏷️\u200d👩\u0301\n "))).Draw(t, "s")
		units := rapid.IntRange(0, 40).Draw(t, "units")
		for _, cut := range []string{CutHead(s, units), CutTail(s, units)} {
			if UTF16Len(cut) > units || !utf8.ValidString(cut) {
				t.Fatalf("cut of %q to %d is %q", s, units, cut)
			}
		}
		head := CutHead(s, units)
		first, _, _, _ := uniseg.FirstGraphemeClusterInString(s, -1)
		if UTF16Len(first) <= units {
			whole := uniseg.GraphemeClusterCount(head) + uniseg.GraphemeClusterCount(s[len(head):])
			if whole != uniseg.GraphemeClusterCount(s) {
				t.Fatalf("%q is cut inside a character: %q", s, head)
			}
		}
	})
}
