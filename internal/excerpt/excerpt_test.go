package excerpt

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestCut(t *testing.T) {
	ordinary := strings.Repeat("ordinary line of output\n", 2500)
	got := Cut("FIRST\n"+ordinary+"main.go:7: error: undefined name\n"+ordinary+"LAST", 50<<10, 2000, "the whole output is in /s.d/x.txt")
	for _, s := range []string{"FIRST", "LAST", "main.go:7: error: undefined name", "; the whole output is in /s.d/x.txt]", "left out"} {
		if !strings.Contains(got, s) {
			t.Errorf("%q is missing", s)
		}
	}
	if lines := strings.Count(got, "\n"); lines > 2000 {
		t.Errorf("%d lines", lines)
	}
	if got := Cut(strings.Repeat("x\n", 5000), 1<<20, 0, ""); strings.Contains(got, "left out here;") || strings.Count(got, "x") != 5000 {
		t.Errorf("without a limit of lines: %d", strings.Count(got, "x"))
	}
}

// Any output is shown as bounded, valid text.
func TestCutIsBounded(t *testing.T) {
	piece := rapid.SampledFrom([]string{"a", "\n", "error\n", "日本語のテキスト", "🏷", "é", strings.Repeat("x", 3000), "\n\n\n"})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Repeat(strings.Join(rapid.SliceOfN(piece, 1, 20).Draw(t, "pieces"), ""), rapid.IntRange(1, 200).Draw(t, "times"))
		limit := rapid.IntRange(1024, 20_000).Draw(t, "limit")
		if len(text) <= limit {
			return
		}
		got := Cut(text, limit, 2000, "p")
		const frame = 300
		if len(got) > 2*limit+frame {
			t.Fatalf("%d bytes for a limit of %d", len(got), limit)
		}
		if !utf8.ValidString(got) {
			t.Fatal("a character is torn")
		}
	})
}
