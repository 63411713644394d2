// Package amount says how much tests try: little of everything by default, so
// that the tests of the module run in a minute, and all of it in .ci/long.
package amount

import (
	"flag"
	"os"

	_ "pgregory.net/rapid" // its flags
)

// full is the environment variable that asks for all.
const full = "COPPICE_FULL"

// Full reports whether the full amount is asked for.
func Full() bool { return os.Getenv(full) != "" }

// Of is how much to try: few, or all if the full amount is asked for.
func Of[T any](few, all T) T {
	if Full() {
		return all
	}
	return few
}

// Tries reports whether to try a combination of the values at these places of
// several lists: one combination in n by default, in which each value is tried
// if one of the other lists has n values.
func Tries(n int, places ...int) bool {
	sum := 0
	for _, p := range places {
		sum += p
	}
	return sum%n == 0 || Full()
}

// Tests that import this package draw large cases, so they draw fewer of them
// than rapid's default of 100. -rapid.checks says how many; .ci/long draws a
// thousand.
func init() {
	if err := flag.Set("rapid.checks", "25"); err != nil {
		panic(err) // rapid no longer has the flag
	}
}
