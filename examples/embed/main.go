// Embed keeps a session inside its window and prints the body of the next
// request: go run ./examples/embed SESSION.jsonl
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/compaction"
)

func main() {
	ctx := context.Background()
	s, err := coppice.Open(ctx, os.Args[1], coppice.Options{})
	check(err)
	defer s.Close()

	size, threshold, err := s.Size(ctx, 0)
	check(err)
	if size > threshold {
		out, err := s.Compact(ctx, compaction.Request{Trigger: compaction.Threshold})
		check(err)
		fmt.Fprintln(os.Stderr, out.Status, "from", size, "to", out.TokensAfter, "tokens")
	}
	body, err := s.Request(ctx, "anthropic")
	check(err)
	_, err = os.Stdout.Write(body)
	check(err)
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
