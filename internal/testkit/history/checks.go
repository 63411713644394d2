package history

import "flag"

// A test that draws histories makes many of them, each with hundreds of
// entries, so fewer are drawn than by rapid's own default of 100.
// -rapid.checks says how many; .ci/long draws a thousand.
func init() {
	if err := flag.Set("rapid.checks", "25"); err != nil {
		panic(err) // rapid no longer has the flag
	}
}
