// Command cost replays recorded sessions through the price rules of model
// providers and prints what each way to reduce a context would have cost.
//
// # What is replayed
//
// Each assistant message on the path of a session that neither failed nor was
// aborted is one model call. It is sent when the last entry before it was
// recorded, with the messages before it as the model sees them, and its output
// is what was recorded. Compactions in the recording are left out: the replay
// makes its own. System prompt and tools, which pi does not record, are as
// large as the first call's recorded prompt is above its messages. Every
// message has the size of tokens.Default; edits and compactions are real
// entries of the replayed session, and every request is that of package render.
//
// # What is compared
//
//   - no reduction: everything is sent, as if the window had no end. Where a
//     request would not have fitted, the bill is printed but does not count as
//     the lowest, since no one can choose it.
//   - pi: above window − 16,384 tokens, everything but the newest 20,000 is
//     summarized by a request of its own, which no cache helps.
//   - oh-my-pi: above window − max(15 %, 16,384), results older than 40,000
//     tokens of results give way, if that saves 20,000; reads that are
//     superseded when at most 8,000 tokens come after them or nothing was
//     said for 90 minutes; then, still above, a compaction like pi's.
//   - ours: render.Next decides, package compaction compacts, with the
//     requests that package summarize sends: serialized, or with the prefix
//     that the session's own requests have in the cache.
//
// All are asked before each call and after each final answer. Whoever writes a
// summary writes 1,200 tokens, and 400 of the beginning of a split turn, at
// most a quarter of what is summarized, without any of its facts, so that ours
// carries its full residue next to it.
//
// # How it is billed
//
// See tariff and cache: prices of the catalogue; prefixes are found as far as
// the provider finds them, between the request's marks where it wants marks,
// as long as they live. Another thinking level voids what is cached of the
// messages; a budget that follows the room left in the window is not simulated.
package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/coppice-dev/coppice/bench/internal/corpus"
	"github.com/coppice-dev/coppice/bench/internal/page"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "cost:", err)
		os.Exit(1)
	}
}

// windows are the context windows that sessions are replayed in, in tokens.
var windows = []int64{200_000, 64_000}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	given, err := corpus.Parse("cost", args, stderr)
	if err != nil {
		return err
	}
	var r report
	for _, file := range given.Files {
		t, err := readTrace(ctx, file)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		for _, window := range windows {
			rows, err := measure(ctx, t, window)
			if err != nil {
				return fmt.Errorf("%s in a window of %d: %w", file, window, err)
			}
			r.rows = append(r.rows, rows...)
		}
	}
	if given.JSON {
		return r.json(stdout)
	}
	if given.Verbose {
		if err := r.sessions(stderr); err != nil {
			return err
		}
	}
	table := r.markdown()
	if err := page.Write(given.Write, "cost", table); err != nil {
		return err
	}
	_, err = io.WriteString(stdout, table)
	return err
}
