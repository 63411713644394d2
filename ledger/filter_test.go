package ledger

import (
	"regexp"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"github.com/coppice-dev/coppice/internal/prefilter"
)

// spelled draws texts that are made of what the expressions look for, in all
// spellings and torn, between other words.
var spelled = rapid.Custom(func(t *rapid.T) string {
	pieces := []string{" ", " ", " ", "\n", ". ", ", ", ": ", ":", "(", ")", "'", "’", "\"", "`", "-", "!", "?", "ſ", "\u212a", "\xff", "0", "12", "3.5", "1,000",
		"must", "never", "do not", "don't", "make sure", "keep", "use", "uses", "not", "please", "leave", "alone", "only", "would like", "read-only",
		"i", "we", "know", "can you", "müssen", "Müssen", "nicht", "Ändere", "kein", "vermeide", "jamais", "évitez", "n’", "pas", "sólo", "no toques", "não faça", "só",
		"Error", "TypeError:", "error TS", "error", "failed", "FAIL", "--- FAIL", "panic: ", "assert", "command not found", "a.go:12:3", "exit code", "at ",
		"decided to", "going with", "I'll use", "rather than using", "rules", "conventions", "option", "go with", "func ", "class ", "type ",
		"ms", "µs", "GiB", "%", "€", "files", "tok/s", "deadbeef", "0123abc", "x"}
	var b strings.Builder
	for range rapid.IntRange(0, 10).Draw(t, "pieces") {
		p := rapid.SampledFrom(pieces).Draw(t, "piece")
		switch rapid.IntRange(0, 6).Draw(t, "spelling") {
		case 0:
			p = strings.ToUpper(p)
		case 1:
			p = strings.ToTitle(p[:len(p)/2]) + p[len(p)/2:]
		case 2:
			p = strings.Map(unicode.SimpleFold, p)
		case 3:
			p = p[:rapid.IntRange(0, len(p)).Draw(t, "cut")]
		}
		b.WriteString(p)
	}
	return b.String()
})

// An expression that is filtered finds what it finds without.
func TestFiltersLoseNothing(t *testing.T) {
	for _, filtered := range []*prefilter.Regexp{orders, imperatives, european, spanishNo, germanNot, polite, musing,
		strongLine, weakLine, happyLine, failedTests, tally, choosing, deciding, ruleHead, forbids, declaration} {
		plain := regexp.MustCompile(filtered.String())
		rapid.Check(t, func(t *rapid.T) {
			s := spelled.Draw(t, "text")
			if got, want := filtered.MatchString(s), plain.MatchString(s); got != want {
				t.Fatalf("%s on %q: got %t", plain, s, got)
			}
		})
	}
}

func TestValuesLoseNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := spelled.Draw(t, "text")
		if numberShape.MatchString(s) && !unitFollows(s) {
			t.Fatalf("the number in %q is lost", s)
		}
		if hashShape.MatchString(s) && !longHex(s) {
			t.Fatalf("the hash in %q is lost", s)
		}
	})
}
