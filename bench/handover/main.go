// Command handover measures whether a summary says what is true at its end: what
// the next reader must know, and what no longer holds and must not be said.
//
// # The set
//
// The cases in testdata are small sessions, in nine languages and in the shapes
// of five agents' tools. Each is compacted by extraction, and lists what the
// reader must see and what no line may say. A line is judged as a claim of what
// holds now, by the heading that it is under; words such as "was" excuse
// nothing. Extraction is compared with as many tokens of the head and the tail of
// the text.
//
// # Summaries of models
//
// With -corpus, the summaries that models wrote into real sessions are judged,
// at their places, next to extraction and head and tail over the same ranges.
// What the reader must know and what is stale is then told by package state: the
// rules in force, open work, failures, questions and refusals that were made in
// the range, and the lines that contradict a state by exact things. State is our
// own grader, and extraction writes from it.
//
// The output depends only on the files.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/coppice-dev/coppice/bench/internal/page"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "handover:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("handover", flag.ContinueOnError)
	flags.SetOutput(stderr)
	folder := flags.String("corpus", "", "folder of sessions of any agent, with those below; models' summaries in them are judged too")
	only := flags.String("case", "", "only the cases whose family or name contains this")
	verbose := flags.Bool("v", false, "print each summary and what is wrong with it")
	write := flags.String("write", "", "put the tables into the section <!-- handover --> of this document too")
	if err := flags.Parse(args); err != nil {
		return err
	}
	log := io.Discard
	if *verbose {
		log = stderr
	}
	var tables strings.Builder
	if err := measureSet(ctx, &tables, *only, log); err != nil {
		return err
	}
	if *folder != "" {
		if err := measureCorpus(ctx, &tables, *folder, log); err != nil {
			return err
		}
	}
	if err := page.Write(*write, "handover", tables.String()); err != nil {
		return err
	}
	_, err := io.WriteString(stdout, tables.String())
	return err
}

// measureSet judges the cases of the set.
func measureSet(ctx context.Context, w io.Writer, only string, log io.Writer) error {
	cases, err := readCases()
	if err != nil {
		return err
	}
	r := newReport(extraction, headTail)
	langs, agents := map[string]bool{}, map[string]bool{}
	for _, c := range cases {
		if !strings.Contains(c.family+"/"+c.name, only) {
			continue
		}
		arms, err := c.arms(ctx)
		if err != nil {
			return fmt.Errorf("%s/%s: %w", c.family, c.name, err)
		}
		langs[c.lang], agents[c.agent] = true, true
		r.count(c.family)
		for _, name := range r.arms {
			v := c.judge(arms[name].summary, arms[name].rest)
			r.add(c.family, name, score{len(c.must), len(c.must) - len(v.Missing), len(v.Stale), arms[name].tokens})
			if name == extraction {
				v.print(log, c.family+"/"+c.name, arms[name].summary)
			}
		}
	}
	fmt.Fprintf(w, "%d cases in %d languages and the shapes of %d agents' tools:\n\n", r.all(), len(langs), len(agents))
	r.markdown(w, "what it is about", "cases")
	return nil
}

func (v *verdict) print(w io.Writer, name, summary string) {
	fmt.Fprintf(w, "\n==== %s\n%s\n", name, summary)
	for _, m := range v.Missing {
		fmt.Fprintf(w, "MISSING %s\n", m)
	}
	for _, s := range v.Stale {
		fmt.Fprintf(w, "STALE %s\n", s)
	}
}
