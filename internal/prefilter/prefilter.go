// Package prefilter answers most questions to a regular expression without
// running it. From the expression it takes literals of which each match holds
// at least one, and looks for those in a single quick pass; only where one is
// found does the expression run. The answers are those of package regexp.
package prefilter

import (
	"regexp"
	"regexp/syntax"
	"slices"
)

// Regexp is a regular expression with its filter. It is safe for concurrent
// use and never changes.
type Regexp struct {
	whole branch
	any   []branch // its alternatives, of which each can be left out
}

type branch struct {
	re   *regexp.Regexp
	scan *scanner // nil: any text may match
}

// MustCompile compiles an expression in the syntax of package regexp. It
// panics where that does.
func MustCompile(expr string) *Regexp {
	r := &Regexp{whole: newBranch(expr, parse(expr))}
	r.any = []branch{r.whole}
	if re := parse(expr); re.Op == syntax.OpAlternate {
		r.any = nil
		for _, sub := range re.Sub {
			r.any = append(r.any, newBranch(sub.String(), sub))
		}
	}
	return r
}

func newBranch(expr string, re *syntax.Regexp) branch {
	return branch{re: regexp.MustCompile(expr), scan: newScanner(required(re))}
}

// mayMatch is false only where the expression cannot match.
func (b branch) mayMatch(s string) bool { return b.scan == nil || b.scan.found(s) }

// String returns the expression.
func (r *Regexp) String() string { return r.whole.re.String() }

// MatchString is that of package regexp.
func (r *Regexp) MatchString(s string) bool {
	if !r.whole.mayMatch(s) {
		return false
	}
	return slices.ContainsFunc(r.any, func(b branch) bool { return b.mayMatch(s) && b.re.MatchString(s) })
}

// ReplaceAllString is that of package regexp.
func (r *Regexp) ReplaceAllString(s, repl string) string {
	if !r.whole.mayMatch(s) {
		return s
	}
	return r.whole.re.ReplaceAllString(s, repl)
}

// FindAllString is that of package regexp.
func (r *Regexp) FindAllString(s string, n int) []string {
	if !r.whole.mayMatch(s) {
		return nil
	}
	return r.whole.re.FindAllString(s, n)
}

// FindAllStringSubmatch is that of package regexp.
func (r *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	if !r.whole.mayMatch(s) {
		return nil
	}
	return r.whole.re.FindAllStringSubmatch(s, n)
}

// FindAllStringSubmatchIndex is that of package regexp.
func (r *Regexp) FindAllStringSubmatchIndex(s string, n int) [][]int {
	if !r.whole.mayMatch(s) {
		return nil
	}
	return r.whole.re.FindAllStringSubmatchIndex(s, n)
}
