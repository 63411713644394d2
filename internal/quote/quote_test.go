package quote

import (
	"testing"
)

func TestSafeRemovesBidiControls(t *testing.T) {
	for _, r := range "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069" {
		if got := Safe("run " + string(r) + "עברית a.go"); got != "run עברית a.go" {
			t.Errorf("%U: %q", r, got)
		}
	}
}
