// Package lazy compiles regular expressions when they are first used: a
// program does not pay at its start for what it may never do.
package lazy

import (
	"regexp"
	"sync"
)

// Regexp returns a function that compiles an expression at its first call. It
// panics then where regexp.MustCompile does.
func Regexp(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
