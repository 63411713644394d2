package facts

import (
	"testing"

	"github.com/coppice-dev/coppice/internal/prose"
)

func TestRequestOf(t *testing.T) {
	tests := []struct{ in, want string }{
		{"Fix the login form", "Fix the login form"},
		{"Good morning. Rules for this repository, they hold today:\n\n- Never push.\n- Short answers.\n\nFirst job: totals are wrong. Fix it.", "First job: totals are wrong. Fix it."},
		{"Hi Claude, please look at it", "Hi Claude, please look at it"},
		{"Hello!\n\nCan you add a flag?", "Can you add a flag?"},
		{"Ok. Now write the docs", "Now write the docs"},
		{"Third job: clients pay twice. We want a key. From the ticket:\n\n1. Optional.\n2. At most 128 bytes.", "Third job: clients pay twice. We want a key."},
		{"Fourth, from support:\n\n> a quotation\n\nThe name is cut in the middle.", "Fourth, from support: The name is cut in the middle."},
		{"Requirements:\n- Two columns", "Requirements:"},
		{"thanks", ""},
		{"Good morning.", "Good morning."},
	}
	for _, tt := range tests {
		if got := requestOf(prose.Lines(prose.Own(tt.in).Own)); got != tt.want {
			t.Errorf("%q asks for %q, want %q", tt.in, got, tt.want)
		}
	}
}

// A skill that a program put before the user's words can be read again.
func TestSkill(t *testing.T) {
	var talk talk
	talk.user("<skill name=\"design\" location=\"/s/SKILL.md\">\nAlways x.\n</skill>\n\non the whole code base, but do not implement yet")
	l := talk.find()
	equal(t, texts(l, Request), []string{"/skill:design on the whole code base, but do not implement yet"})
	equal(t, texts(l, FileRead), []string{"/s/SKILL.md"})
	equal(t, texts(l, Constraint), []string{"on the whole code base, but do not implement yet"})
}

// The last run of an attempt counts, whatever its flags.
func TestAttempt(t *testing.T) {
	tests := []struct {
		then string
		want []string
	}{
		{"go test ./x", nil},
		{"go test -count 1 -run A ./x", []string{"panic: boom"}},
	}
	for _, tt := range tests {
		var talk talk
		talk.runs(bash("go test -v ./x"), "panic: boom", true)
		talk.runs(bash(tt.then), "ok", false)
		equal(t, texts(talk.find(), Error), tt.want)
	}
}

func TestTally(t *testing.T) {
	out := "FAILED a.py::one\nFAILED a.py::two\nFAILED a.py::three\nFAILED a.py::four\n3 failed, 190 passed in 2.34s\n"
	equal(t, telling(out, nil, true), []string{"FAILED a.py::one", "FAILED a.py::four", "3 failed, 190 passed in 2.34s"})
	equal(t, telling("E   NameError: x\n2 errors in 0.5s", nil, true), []string{"E   NameError: x", "2 errors in 0.5s"})
}
