package lazy

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestAnyOf(t *testing.T) {
	words := []string{"error", "not ", "e   ", "✗ ", "{", ":1"}
	in := AnyOf(words...)
	for text, want := range map[string]bool{
		"": false, "e": false, "erro": false, "ERROR": true, "an Error": true, "not": false, "do NOT x": true, "  ✗ x": true, "✗": false,
		"a{": true, "{": true, ":2": false, "a:1": true, "rr\u017f": true,
	} {
		if in(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
	piece := rapid.SampledFrom([]string{"e", "r", "ro", "not", " ", "E  ", "✗", "\xe2", "{", ":", "1", "x"})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(piece).Draw(t, "pieces"), "")
		low := strings.ToLower(text)
		if want := slices.ContainsFunc(words, func(w string) bool { return strings.Contains(low, w) }); in(text) != want {
			t.Fatalf("%q: %v", text, !want)
		}
	})
}
