package main

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
)

// row is a job, done by all programs.
type row struct {
	job
	results [][]result // by program
}

// agree returns an error if the programs gave different answers: then they did
// not do the same work.
func (r row) agree() error {
	answer := r.results[0][0].Answer
	for _, results := range r.results[1:] {
		if other := results[0].Answer; !failed(results) && other != answer {
			return fmt.Errorf("%s: the answers differ: %s, and %s", r.name(), answer, other)
		}
	}
	return nil
}

// progress is the line printed when a row is done.
func (r row) progress(programs []*program) string {
	line := r.name() + ":"
	for i, p := range programs {
		if failed(r.results[i]) {
			line += fmt.Sprintf(" %s: no result;", p.name)
			continue
		}
		line += fmt.Sprintf(" %s %s ms, %s MB;", p.name, number(median(times(r.results[i]))), number(memory(p, r.results[i])))
	}
	return strings.TrimSuffix(line, ";")
}

// times are the milliseconds of every repeat, sorted.
func times(results []result) []float64 {
	var all []float64
	for _, r := range results {
		all = append(all, r.Milliseconds...)
	}
	slices.Sort(all)
	return all
}

func median[T any](sorted []T) T { return sorted[len(sorted)/2] }

// memory is the median peak above that of an idle process, in MB; negative if
// unknown.
func memory(p *program, results []result) float64 {
	var peaks []int64
	for _, r := range results {
		peaks = append(peaks, r.PeakBytes)
	}
	slices.Sort(peaks)
	if peaks[0] == 0 {
		return -1
	}
	return max(0, float64(median(peaks)-p.idle)/(1<<20))
}

// printTables prints the ratios, then which aims were reached, then all numbers.
// Writing to w must not fail.
func printTables(w io.Writer, programs []*program, rows []row) {
	if len(programs) > 1 {
		printRatios(w, programs, rows)
		printAims(w, programs, rows)
	}
	printFigures(w, programs, rows)
}

// printRatios prints one line for each step and one column for each size: how
// many times faster ours is by the medians, and how many times less memory it
// takes.
func printRatios(w io.Writer, programs []*program, rows []row) {
	var sizes []int
	var lines [][]row // of the same step and kind
	for _, r := range rows {
		if r.kind != kindFolder && !slices.Contains(sizes, r.entries) {
			sizes = append(sizes, r.entries)
		}
		i := slices.IndexFunc(lines, func(l []row) bool { return l[0].title() == r.title() })
		if i < 0 {
			i, lines = len(lines), append(lines, nil)
		}
		lines[i] = append(lines[i], r)
	}
	slices.Sort(sizes)
	slices.SortStableFunc(lines, func(a, b []row) int { return order(a[0]) - order(b[0]) })
	fmt.Fprint(w, "| times faster / times less memory |")
	for _, n := range sizes {
		fmt.Fprintf(w, " %s entries |", size(n))
	}
	fmt.Fprintf(w, "\n|---|%s\n", strings.Repeat("---|", len(sizes)))
	for _, line := range lines {
		if line[0].kind == kindFolder {
			continue
		}
		fmt.Fprintf(w, "| %s |", line[0].title())
		for _, n := range sizes {
			i := slices.IndexFunc(line, func(r row) bool { return r.entries == n })
			if i < 0 {
				fmt.Fprint(w, " |")
				continue
			}
			fmt.Fprintf(w, " %s |", line[i].ratios(programs))
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintln(w)
	for _, line := range lines {
		if line[0].kind == kindFolder {
			fmt.Fprintf(w, "A list of %d sessions of mixed sizes: %s.\n", line[0].entries, line[0].ratios(programs))
		}
	}
	for _, r := range rows {
		if failed(r.results[1]) {
			fmt.Fprintf(w, "%s gave no result for %s: `%s`.\n", programs[1].name, r.name(), r.results[1][len(r.results[1])-1].failure)
		}
	}
	fmt.Fprintln(w)
}

// order is the position of a step's lines in the table.
func order(r row) int {
	return slices.Index([]step{stepContext, stepPlan, stepTree, stepAppend, stepSynced, stepList}, r.step)
}

// title names a line of the table of ratios.
func (r row) title() string {
	switch r.step {
	case stepAppend:
		return "append"
	case stepSynced:
		return "append, synced"
	}
	return fmt.Sprintf("%s, %s", r.step, r.kind)
}

// ratios is a cell of that table.
func (r row) ratios(programs []*program) string {
	if failed(r.results[1]) {
		return fmt.Sprintf("%s ms / %s MB, alone", number(median(times(r.results[0]))), number(memory(programs[0], r.results[0])))
	}
	return r.faster().String() + " / " + r.smaller(programs).String()
}

// faster is how many times faster ours is, by the medians.
func (r row) faster() ratio {
	return ratio{median(times(r.results[1])), median(times(r.results[0])), 0}
}

// smaller is how many times less memory ours takes.
func (r row) smaller(programs []*program) ratio {
	return ratio{memory(programs[1], r.results[1]), memory(programs[0], r.results[0]), 0.1}
}

func printFigures(w io.Writer, programs []*program, rows []row) {
	fmt.Fprintln(w, "<details><summary>Milliseconds, and megabytes above an idle process</summary>")
	fmt.Fprint(w, "\n| |")
	rule := "|---|"
	for _, p := range programs {
		fmt.Fprintf(w, " %s: median ms | minimum ms | memory MB |", p.name)
		rule += "---|---|---|"
	}
	fmt.Fprint(w, " result |\n"+rule+"---|\n")
	turns := 0
	for _, r := range rows {
		fmt.Fprintf(w, "| %s |", r.name())
		for i, p := range programs {
			if failed(r.results[i]) {
				fmt.Fprint(w, " none | | |")
				continue
			}
			t := times(r.results[i])
			fmt.Fprintf(w, " %s | %s | %s |", number(median(t)), number(t[0]), number(memory(p, r.results[i])))
		}
		fmt.Fprintf(w, " %s |\n", r.results[0][0].Answer)
		turns = max(turns, len(r.results[0]))
	}
	fmt.Fprintf(w, "\n%d turns of up to %d repeats, one turn for a million entries; %s/%s, %d processors.\n</details>\n",
		turns, repeats, runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
}

// ratio is theirs divided by ours. least is the smallest value that can be
// distinguished from zero.
type ratio struct{ theirs, ours, least float64 }

func (r ratio) value() float64 { return r.theirs / max(r.ours, r.least) }

func (r ratio) known() bool { return r.theirs >= 0 && r.ours >= 0 }

func (r ratio) String() string {
	switch {
	case !r.known():
		return "?"
	case r.ours < r.least:
		return "> " + number(r.value()) + " ×"
	}
	return number(r.value()) + " ×"
}

// number prints three significant digits.
func number(x float64) string {
	switch {
	case x < 0:
		return "?"
	case x < 0.1:
		return fmt.Sprintf("%.3f", x)
	case x < 10:
		return fmt.Sprintf("%.2f", x)
	case x < 100:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.0f", x)
}
