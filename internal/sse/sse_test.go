package sse

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

func collect(r io.Reader) (events []Event, err error) {
	for ev, e := range Read(r) {
		if e != nil {
			return events, e
		}
		events = append(events, ev)
	}
	return events, nil
}

func TestEvents(t *testing.T) {
	tests := []struct {
		name, in string
		want     []Event
	}{
		{"empty", "", nil},
		{"one", "data: a\n\n", []Event{{Data: []byte("a")}}},
		{"named, CRLF", "event: ping\r\ndata: {}\r\n\r\n", []Event{{Event: "ping", Data: []byte("{}")}}},
		{"no space after the colon", "data:a\n\n", []Event{{Data: []byte("a")}}},
		{"only one space is taken", "data:  a\n\n", []Event{{Data: []byte(" a")}}},
		{"several data lines", "data: a\ndata:\ndata: b\n\n", []Event{{Data: []byte("a\n\nb")}}},
		{"comment and unknown fields", ": keep-alive\n\nid: 4\nretry: 10\ndata: a\n\n", []Event{{Data: []byte("a")}}},
		{"name without data", "event: x\n\ndata: a\n\n", []Event{{Data: []byte("a")}}},
		{"colon in data", "data: a: b\n\n", []Event{{Data: []byte("a: b")}}},
		{"no blank line at the end", "data: a\n\ndata: [DONE]", []Event{{Data: []byte("a")}, {Data: []byte("[DONE]"), Cut: true}}},
		{"text that is not a stream", "<html>\nBad gateway\n</html>\n", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := collect(iotest.OneByteReader(strings.NewReader(tt.in)))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestEventsLimits(t *testing.T) {
	long := "data: " + strings.Repeat("x", 5<<20) + "\n"
	if got, err := collect(strings.NewReader(long + "\n")); err != nil || len(got) != 1 || len(got[0].Data) != 5<<20 {
		t.Errorf("5 MiB line: %d events, %v", len(got), err)
	}
	if _, err := collect(strings.NewReader(strings.Repeat("x", maxEvent+2))); !errors.Is(err, ErrTooLong) {
		t.Errorf("line: got %v", err)
	}
	if _, err := collect(strings.NewReader(strings.Repeat(long, 4))); !errors.Is(err, ErrTooLong) {
		t.Errorf("data lines: got %v", err)
	}
}

func TestEventsReadError(t *testing.T) {
	broken := errors.New("broken")
	events, err := collect(io.MultiReader(strings.NewReader("data: a\n\ndata: b"), iotest.ErrReader(broken)))
	if !errors.Is(err, broken) || len(events) != 1 {
		t.Errorf("got %v after %d events", err, len(events))
	}
}

func FuzzEvents(f *testing.F) {
	for _, s := range []string{"data: a\n\n", "event: x\r\ndata\r\n\r\n", ":\n\n\n", "data: a", "\ufeffdata: x\n\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		events, err := collect(strings.NewReader(s))
		if err != nil {
			t.Fatal(err)
		}
		for i, ev := range events {
			if ev.Cut && i != len(events)-1 {
				t.Fatal("only the last event can be cut")
			}
		}
	})
}
