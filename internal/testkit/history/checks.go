package history

import "flag"

// Each history has hundreds of entries, so tests draw fewer of them than rapid's
// default of 100. -rapid.checks says how many; .ci/long draws a thousand.
func init() {
	if err := flag.Set("rapid.checks", "25"); err != nil {
		panic(err) // rapid no longer has the flag
	}
}
