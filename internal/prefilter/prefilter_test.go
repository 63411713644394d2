package prefilter

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

// expressions have all that the analysis knows.
var expressions = []string{
	`(?i)\b(?:must(?:n['’]?t)?|never|do not|don['’]?t|leave .{1,40} (?:alone|as)|['’]d like|use\b.{1,80}?\bnot)\b`,
	`(?i)(?:^|[,;:.(–—-] ?|\b(?:please|and)\s+)(?:not|use|stop|wait (?:for|until))\b|(?i)^no \p{L}`,
	`(?i)(?:^|[^\p{L}])(?:muss|müssen|stell\w* sicher|n['’]\p{L}+ (?:pas|rien)|só|kein(?:e|en)?)(?:$|[^\p{L}])`,
	`^\s*(?:panic: |FAIL[: \t]|E   +\S|[Ee]rror(?:\[\w+\])?: |✗ )|\b[A-Z]\w*(?:Error|Exception)\b(?::| \[)|^\S+?[:(]\d+(?:[:,]\d+)?\)?: |: command not found$`,
	`(?m)^--- FAIL|^FAIL\b|\b[1-9]\d* (?:failed|errors?)\b`,
	`(?:^|[^\w.])(\d+)\s?(ms|files?)(?:$|[^\w/])`,
	`(?i)kelvin|sisk`, `(foo|ba+r)+baz`, `(?:ab|)(?:cd|)ef`, `x(?:yz)*zz`, `(?s)a.b\B.cd`, `\Aab\z`, `[^a]bc`, `(?i)straße`, `ab?c+d`,
	`(?:ab\b)+cd`, `ab(?:$|,)`, `a{2,3}b`, `K\x{17f}x`,
}

func TestRequired(t *testing.T) {
	tests := []struct {
		expr string
		want literals
	}{
		{`foo|bar`, literals{{"bar", flush, flush}, {"foo", flush, flush}}},
		{`\bfoo\b.*x`, literals{{"foo", bounded, bounded}}},
		{`\b'd\b`, literals{{"'d", free, bounded}}},
		{`Error\b(?::| \[)`, literals{{"error [", flush, flush}, {"error:", flush, flush}}},
		{`(?:^|[^\p{L}])só`, literals{{"só", bounded, flush}}},
		{`(?i)Ü.`, literals{{"Ü", flush, free}, {"ü", flush, free}}},
		{`a(?:b|c)?d`, literals{{"abd", flush, flush}, {"acd", flush, flush}, {"ad", flush, flush}}},
		{`ab.*cdef`, literals{{"cdef", free, flush}}},
		{`(?:ab)+c`, literals{{"ab", flush, free}}},
		{`\p{L}+`, nil},
		{`(?:foo|.)`, nil},
		{`foo|`, literals{{"", flush, flush}, {"foo", flush, flush}}},
	}
	for _, tt := range tests {
		if got := required(parse(tt.expr)); !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.expr, got, tt.want)
		}
	}
}

func TestExpressionsHaveFilters(t *testing.T) {
	for _, expr := range expressions[:5] {
		r := MustCompile(expr)
		if r.whole.scan == nil {
			t.Errorf("%s has no filter", expr)
			continue
		}
		if r.whole.mayMatch("A line of words that has nothing to say") {
			t.Errorf("%s is not told from plain words", expr)
		}
	}
}

// text draws texts that hold the literals of an expression in all spellings,
// whole and torn, between other characters.
func text(expr string) *rapid.Generator[string] {
	pieces := []string{" ", "\n", ".", ", ", ": ", "a", "x", "é", "ſ", "\u212a", "\xff", "ü", "0", "12", "_", "'", "’", "Error", "no ", "not"}
	re, _ := syntax.Parse(expr, syntax.Perl)
	pieces = append(pieces, words(re)...)
	for _, l := range required(parse(expr)) {
		pieces = append(pieces, l.text)
	}
	return rapid.Custom(func(t *rapid.T) string {
		var b strings.Builder
		for range rapid.IntRange(0, 12).Draw(t, "pieces") {
			p := rapid.SampledFrom(pieces).Draw(t, "piece")
			switch rapid.IntRange(0, 5).Draw(t, "spelling") {
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
}

// words are the literals in an expression.
func words(re *syntax.Regexp) []string {
	var out []string
	if re.Op == syntax.OpLiteral {
		out = append(out, string(re.Rune))
	}
	for _, sub := range re.Sub {
		out = append(out, words(sub)...)
	}
	return out
}

// The filter changes no answer.
func TestAnswersAreThoseOfRegexp(t *testing.T) {
	for _, expr := range expressions {
		want, got, texts := regexp.MustCompile(expr), MustCompile(expr), text(expr)
		rapid.Check(t, func(t *rapid.T) {
			s := texts.Draw(t, "text")
			if want.MatchString(s) != got.MatchString(s) {
				t.Fatalf("%s on %q: got %t", expr, s, got.MatchString(s))
			}
			if a, b := want.FindAllString(s, -1), got.FindAllString(s, -1); !slices.Equal(a, b) {
				t.Fatalf("%s on %q: got %q, want %q", expr, s, b, a)
			}
			if a, b := want.ReplaceAllString(s, " "), got.ReplaceAllString(s, " "); a != b {
				t.Fatalf("%s on %q: got %q, want %q", expr, s, b, a)
			}
		})
	}
}

func FuzzMatch(f *testing.F) {
	for _, expr := range expressions {
		f.Add(expr, "You must not use no 12 files: FAIL error")
	}
	f.Fuzz(func(t *testing.T, expr, s string) {
		if len(expr) > 200 {
			return
		}
		want, err := regexp.Compile(expr)
		if err != nil {
			return
		}
		if got := MustCompile(expr).MatchString(s); got != want.MatchString(s) {
			t.Fatalf("%s on %q: got %t", expr, s, got)
		}
	})
}
