// Package lazy compiles regular expressions when they are first used: a program
// does not pay at its start for what it may never use.
package lazy

import (
	"regexp"
	"sync"
)

// Expr is an expression that is compiled when it is first used. A variable of it
// costs nothing at the start, where a function of Regexp is allocated.
type Expr struct {
	Of   string
	once sync.Once
	re   *regexp.Regexp
}

// Get returns the expression. It panics if regexp.MustCompile does.
func (e *Expr) Get() *regexp.Regexp {
	e.once.Do(func() { e.re = regexp.MustCompile(e.Of) })
	return e.re
}

// Regexp returns a function that compiles an expression at its first call. It
// then panics if regexp.MustCompile does.
func Regexp(expr string) func() *regexp.Regexp {
	return compile(expr, func(s string) string { return s })
}

// Made is Regexp for an expression that is made when it is first needed, by
// name.
func Made(name string, expr func(name string) string) func() *regexp.Regexp {
	return compile(name, expr)
}

// compile does without sync.OnceValue, which allocates more often: there are
// hundreds of expressions.
func compile(name string, expr func(string) string) func() *regexp.Regexp {
	var p struct {
		once sync.Once
		re   *regexp.Regexp
	}
	return func() *regexp.Regexp {
		p.once.Do(func() { p.re = regexp.MustCompile(expr(name)) })
		return p.re
	}
}
