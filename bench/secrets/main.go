// Command secrets prints how much of a set of made-up secrets is masked where
// coppice writes, and how much is masked that is none, as Markdown:
//
//	go run ./bench/secrets [-seed 1] [-write docs/benchmarks.md]
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/coppice-dev/coppice/bench/internal/page"
)

func main() {
	seed := flag.Uint64("seed", 1, "draws the set")
	document := flag.String("write", "", "put the table into the section <!-- secrets --> of this document too")
	flag.Parse()
	var table strings.Builder
	err := run(context.Background(), io.MultiWriter(os.Stdout, &table), os.Stderr, *seed)
	if err == nil {
		err = page.Write(*document, "secrets", table.String())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "secrets:", err)
		os.Exit(1)
	}
}

// run prints the table to w and what is wrong to problems.
func run(ctx context.Context, w, problems io.Writer, seed uint64) error {
	rows, err := measure(ctx, set(seed))
	if err != nil {
		return err
	}
	fmt.Fprint(w, "| texts | number | right ")
	for _, p := range spots {
		fmt.Fprintf(w, "| in %s ", p)
	}
	fmt.Fprint(w, "|\n|---|--:|--:")
	for range spots {
		fmt.Fprint(w, "|--:")
	}
	fmt.Fprintln(w, "|")
	for _, r := range rows {
		fmt.Fprintf(w, "| %s | %d | %.1f %% ", r.group, r.n, percent(r.right, r.n))
		for i := range spots {
			fmt.Fprintf(w, "| %d ", r.in[i])
		}
		fmt.Fprintln(w, "|")
		for _, p := range r.wrong {
			fmt.Fprintln(problems, "wrong:", p)
		}
	}
	return nil
}

func percent(part, all int) float64 { return 100 * float64(part) / float64(max(1, all)) }
