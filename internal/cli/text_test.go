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

func TestVisibleTakesOutWhatSteersATerminal(t *testing.T) {
	for in, want := range map[string]string{
		"plain\ttext\n":           "plain\ttext\n",
		"\x1b[31mred\x1b[0m":      "red",
		"\x1b]0;title\a shown":    " shown",
		"a\rb\x00c\u0085":         "abc",
		"evil\u202etxt.exe\u2066": "eviltxt.exe",
		"emoji 👩‍👩‍👧 stay \u200d": "emoji 👩‍👩‍👧 stay \u200d",
	} {
		if got := visible(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
