// Command cost replays recorded sessions through the price rules of model
// providers and prints what each way to reduce the context would have cost.
//
// # What is replayed
//
// Each assistant message on the path of a session that neither failed nor was
// aborted is one model call. It is sent when the last entry before it was
// recorded, with the messages before it as the model sees them, and its output
// is what was recorded. Compactions in the recording are left out: the replay
// makes its own. pi does not record the system prompt and tools: their size is
// taken from the first call's recorded prompt, minus its messages. Every message
// has its size by tokens.Default; edits and compactions are real entries of the
// replayed session, and every request is that of package render.
//
// # What is compared
//
//   - no reduction: everything is sent, as if the window were unlimited. If a request would not have fitted, the bill is printed but never counts as the lowest, since no one could choose it.
//   - pi: above window − 16,384 tokens, everything but the newest 20,000 is summarized by a separate request, which no cache serves.
//   - oh-my-pi: above window − max(15 %, 16,384), results older than the newest 40,000 tokens of results are dropped, if that saves 20,000; superseded reads are dropped when at most 8,000 tokens come after them or nothing was said for 90 minutes; then, still above, a compaction like pi's.
//   - ours: render.Next decides, package compaction compacts, with the
//     requests that package summarize sends: serialized, or with the prefix
//     that the session's own requests have in the cache.
//
// All run before each call and after each final answer. Every summary has 1,200
// tokens, and 400 for the beginning of a split turn, at most a quarter of what it
// covers. It has none of the facts, so that ours carries its full residue next to
// it.
//
// # How it is billed
//
// See tariff and cache: prices from the catalogue; cached prefixes are found as
// the provider finds them, at the request's marks if it needs marks, until they
// expire. A changed thinking level invalidates the cached messages; a budget that
// follows the room left in the window is not simulated.
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
