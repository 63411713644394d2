// Package wiretest has helpers for the tests of all dialects.
package wiretest

import (
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/wire"
)

// Answer is a decoded stream.
type Answer struct {
	Text, Thinking string // the deltas joined
	Message        *message.Message
}

// Collect reads a decoded stream to its end and checks what is true for each: a
// message or an error comes last, and only once.
func Collect(t testing.TB, events iter.Seq2[message.Event, error]) (Answer, error) {
	t.Helper()
	var a Answer
	var err error
	for ev, e := range events {
		if err != nil || a.Message != nil {
			t.Fatal("an event after the last one")
		}
		a.Text += ev.TextDelta
		a.Thinking += ev.ThinkingDelta
		a.Message, err = ev.Message, e
	}
	if err == nil && a.Message == nil {
		t.Fatal("neither a message nor an error at the end")
	}
	return a, err
}

// Problems fails unless Validate finds problems of exactly the wanted kinds, a
// list separated by blanks; their order does not matter.
func Problems(t testing.TB, d wire.Dialect, body string, m message.Model, pending bool, want string) {
	t.Helper()
	problems := d.Validate([]byte(body), m, pending)
	var got []string
	for _, p := range problems {
		got = append(got, p.Kind)
	}
	wanted := strings.Fields(want)
	slices.Sort(got)
	slices.Sort(wanted)
	if !slices.Equal(got, wanted) {
		t.Errorf("got %q, want %q: %+v", got, wanted, problems)
	}
}

// Check fails if a rendered body is not valid JSON or if Validate finds a
// problem in it.
func Check(t testing.TB, d wire.Dialect, body []byte, m message.Model) {
	t.Helper()
	if !rawjson.Valid(body) {
		t.Fatalf("%s: not JSON: %s", d.Name(), body)
	}
	for _, p := range d.Validate(body, m, false) {
		t.Errorf("%s: %s at %s: %s\n%s", d.Name(), p.Kind, p.Where, p.Detail, body)
	}
}
