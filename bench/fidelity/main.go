// Command fidelity measures what a model still sees of a conversation after
// compactions without a model, and compares it with what simpler ways would have
// left visible in the same space.
//
// # What is measured
//
// Each session of a folder is replayed: its entries are appended to an empty
// session, in one part and in five parts, and after each part everything but
// the newest tenth (at most 20,000 tokens) is compacted by extraction. After
// the last compaction two graders look for facts in what the model sees.
//
// The facts are those of everything summarized by then, that is, of the messages
// before the first kept entry. What the model sees is the summary with its
// residue and file lists, covered messages that stay shown (the open request),
// and the kept tail.
//
//   - full: the facts that package facts finds in the whole covered range, so
//     that replaced facts do not count, and its rule for what a text holds. It
//     judges by rules of its own, but reads commands, arguments of tools and
//     lines of prose with the code that extraction uses.
//   - plain: a second grader that shares no code with either (see plain.go).
//
// # What it is compared with
//
//   - head + tail keeps the beginning and the end of the covered text.
//   - user messages keeps what the user said, the newest.
//   - own summary: if a session has summaries written by a model, each is graded where it was made, with the tail kept then, next to extraction over exactly the same range.
//
// The first two get exactly the tokens that our summary and the covered
// messages next to it took at the same compaction, and see the same tail. With
// several compactions they work on what they had left and what came after, as
// extraction does. A model's summary has its own size; the mean sizes are
// printed.
//
// Shares are weighted by facts: all visible facts divided by all facts, over all
// sessions. The output depends only on the files.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/coppice-dev/coppice/bench/internal/corpus"
	"github.com/coppice-dev/coppice/bench/internal/page"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "fidelity:", err)
		os.Exit(1)
	}
}

// rounds are the numbers of compactions that a replay makes, one column each.
var rounds = []int{1, 5}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	given, err := corpus.Parse("fidelity", args, stderr)
	if err != nil {
		return err
	}
	total := newReport()
	for _, file := range given.Files {
		r, err := measureFile(ctx, file)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if given.Verbose {
			fmt.Fprintf(stderr, "\n%s\n", filepath.Base(file))
			if err := r.markdown(stderr); err != nil {
				return err
			}
		}
		total.add(r)
	}
	if given.JSON {
		return total.json(stdout)
	}
	var tables strings.Builder
	if err := total.markdown(&tables); err != nil {
		return err
	}
	if err := page.Write(given.Write, "fidelity", tables.String()); err != nil {
		return err
	}
	_, err = io.WriteString(stdout, tables.String())
	return err
}
