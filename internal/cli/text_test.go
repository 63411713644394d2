package cli

import "testing"

func TestLineFlag(t *testing.T) {
	for _, tt := range []struct {
		in       string
		from, to int
		ok       bool
	}{
		{"", 0, 0, true}, {"3", 3, 3, true}, {"3-5", 3, 5, true}, {"3-", 3, 0, true}, {"1-1", 1, 1, true},
		{"0", 0, 0, false}, {"5-3", 0, 0, false}, {"-3", 0, 0, false}, {"a-b", 0, 0, false}, {"1-0", 0, 0, false}, {"1-2-3", 0, 0, false},
	} {
		from, to, err := lineFlag(tt.in)
		if from != tt.from || to != tt.to || (err == nil) != tt.ok {
			t.Errorf("%q: %d to %d, %v", tt.in, from, to, err)
		}
	}
}
