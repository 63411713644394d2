package ledger

import (
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

// spelled draws texts made of what the expressions look for, in all spellings and
// cut apart, between other words.
var spelled = rapid.Custom(func(t *rapid.T) string {
	pieces := []string{" ", " ", " ", "\n", ". ", ", ", ": ", ":", "(", ")", "'", "’", "\"", "`", "-", "!", "?", "ſ", "\u212a", "\xff", "0", "12", "3.5", "1,000",
		"must", "never", "do not", "don't", "make sure", "keep", "use", "uses", "not", "please", "leave", "alone", "only", "would like", "read-only",
		"i", "we", "know", "can you", "müssen", "Müssen", "nicht", "Ändere", "kein", "vermeide", "jamais", "évitez", "n’", "pas", "sólo", "no toques", "não faça", "só",
		"Error", "TypeError:", "error TS", "error", "failed", "FAIL", "--- FAIL", "panic: ", "assert", "command not found", "a.go:12:3", "exit code", "at ",
		"decided to", "going with", "I'll use", "rather than using", "rules", "conventions", "option", "go with", "func ", "class ", "type ",
		"ms", "µs", "GiB", "%", "€", "files", "tok/s", "deadbeef", "0123abc", "x"}
	var b strings.Builder
	for range rapid.IntRange(0, 10).Draw(t, "pieces") {
		b.WriteString(respell(t, rapid.SampledFrom(pieces).Draw(t, "piece")))
	}
	return b.String()
})

func respell(t *rapid.T, p string) string {
	switch rapid.IntRange(0, 6).Draw(t, "spelling") {
	case 0:
		return strings.ToUpper(p)
	case 1:
		return strings.ToTitle(p[:len(p)/2]) + p[len(p)/2:]
	case 2:
		return strings.Map(unicode.SimpleFold, p)
	case 3:
		return p[:rapid.IntRange(0, len(p)).Draw(t, "cut")]
	}
	return p
}

// patterns are all that have words.
var patterns = []*pattern{&orders, &imperatives, &noneOf, &european, &spanishNo, &germanNot, &polite, &musing,
	&strongStart, &strongWord, &crosses, &weakLine, &noFailures, &failedRunner, &stackFrame, &inFunction, &failedTests, &deciding}

// A pattern finds the same with its word filter as without: in matching texts,
// between others, in other spellings.
func TestWordsLoseNothing(t *testing.T) {
	for _, p := range patterns {
		matching, matched := rapid.StringMatching(p.String()), 0
		rapid.Check(t, func(t *rapid.T) {
			// Expressions that begin a line match only where nothing is before them.
			s := matching.Draw(t, "match")
			if rapid.Bool().Draw(t, "with text before") {
				s = spelled.Draw(t, "before") + s
			}
			if rapid.Bool().Draw(t, "with more") {
				s += spelled.Draw(t, "after")
			}
			if p.regexp().MatchString(s) {
				matched++
				if !p.mayMatch(s, plain(s)) {
					t.Fatalf("%s on %q: its words miss it", p, s)
				}
			}
		})
		if matched == 0 {
			t.Errorf("%s matched nothing that was drawn for it", p)
		}
	}
}

// Text without a match is recognized without running an expression.
func TestWordsTell(t *testing.T) {
	const text = "A line of words that has nothing to say, or 12 of them"
	for _, p := range patterns {
		if p.mayMatch(text, plain(text)) {
			t.Errorf("%s runs on plain words", p)
		}
	}
}

func TestStart(t *testing.T) {
	for expr, want := range map[string]string{
		`never`: " never ", `must(?:n['’]?t)?`: " must", `wants?`: " want", `use\b.{1,80}?\bnot`: " use ", `leave .{1,40} as`: " leave ",
		`'d like`: " d like ", `n’\p{L}+`: " n ", `müssen`: " m ssen ", `évite[zr]?`: " vite", `só`: " s ", `deberá\w*`: " deber ", `don['’]?t`: " don", `deve[m]?`: " deve",
	} {
		if got := start(expr); got != want {
			t.Errorf("%s: got %q, want %q", expr, got, want)
		}
	}
}

func TestValuesLoseNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := spelled.Draw(t, "text")
		if numberShape().MatchString(s) && !unitFollows(s) {
			t.Fatalf("the number in %q is lost", s)
		}
		if hashShape().MatchString(s) && !longHex(s) {
			t.Fatalf("the hash in %q is lost", s)
		}
	})
}
