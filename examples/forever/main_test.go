package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/internal/testkit/o200k"
	"github.com/coppice-dev/coppice/provider/fake"
)

// The README's agent works on a hundred tickets of 3,000 tokens each; no request
// exceeds its window, and one session file has them all.
func TestForever(t *testing.T) {
	t.Chdir(t.TempDir())
	server := fake.New(fake.Step{Answer: func(r fake.Request) fake.Step {
		switch text := r.Text(); {
		case !bytes.Contains(r.Body, []byte(`"tools"`)):
			return fake.Say("## Goal\nWork on tickets.\n\n## Progress\nThe pages load slowly; the queries are measured first.")
		case strings.LastIndex(text, "Work on the next ticket.") > strings.LastIndex(text, "The page loads slowly."):
			return fake.Call("next", "next_ticket", "{}")
		}
		return fake.Say("Measure the queries.")
	}})
	defer server.Close()
	server.Window, server.Count = 32_000, o200k.Count
	model := server.Bind("anthropic")

	ctx, stop := context.WithCancel(t.Context())
	const tickets = 40
	n := 0
	err := forever(ctx, model, func() string {
		if n++; n == tickets {
			stop()
		}
		return fmt.Sprintf("Ticket %d. ", n) + strings.Repeat("The page loads slowly. ", 600)
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	requests := server.Requests()
	var seen int64
	for _, r := range requests {
		seen = max(seen, r.Tokens)
		if len(r.Problems) > 0 || r.Tokens > 32_000 {
			t.Errorf("a request of %d tokens: %v", r.Tokens, r.Problems)
		}
	}
	if n != tickets || seen < 16_000 {
		t.Errorf("%d requests, the largest of %d tokens", len(requests), seen)
	}
	files, err := os.ReadDir("sessions")
	if err != nil || len(files) != 1 {
		t.Errorf("%v, %v", files, err)
	}
}
