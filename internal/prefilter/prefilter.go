// Package prefilter answers most questions to a regular expression without
// running it. From the expression it takes literals of which each match holds
// at least one, and looks for those in a single quick pass; only where one is
// found does the expression run. The answers are those of package regexp.
package prefilter

import "regexp"

// Regexp is a regular expression with its filter. It is safe for concurrent
// use and never changes.
type Regexp struct {
	re   *regexp.Regexp
	scan *scanner // nil: any text may match
}

// MustCompile compiles an expression in the syntax of package regexp. It
// panics where that does.
func MustCompile(expr string) *Regexp {
	return &Regexp{re: regexp.MustCompile(expr), scan: newScanner(required(expr))}
}

// mayMatch is false only where the expression cannot match.
func (r *Regexp) mayMatch(s string) bool { return r.scan == nil || r.scan.found(s) }

// String returns the expression.
func (r *Regexp) String() string { return r.re.String() }

// MatchString is that of package regexp.
func (r *Regexp) MatchString(s string) bool { return r.mayMatch(s) && r.re.MatchString(s) }

// ReplaceAllString is that of package regexp.
func (r *Regexp) ReplaceAllString(s, repl string) string {
	if !r.mayMatch(s) {
		return s
	}
	return r.re.ReplaceAllString(s, repl)
}

// FindAllString is that of package regexp.
func (r *Regexp) FindAllString(s string, n int) []string {
	if !r.mayMatch(s) {
		return nil
	}
	return r.re.FindAllString(s, n)
}

// FindAllStringSubmatch is that of package regexp.
func (r *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	if !r.mayMatch(s) {
		return nil
	}
	return r.re.FindAllStringSubmatch(s, n)
}

// FindAllStringSubmatchIndex is that of package regexp.
func (r *Regexp) FindAllStringSubmatchIndex(s string, n int) [][]int {
	if !r.mayMatch(s) {
		return nil
	}
	return r.re.FindAllStringSubmatchIndex(s, n)
}
