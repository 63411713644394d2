package main

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
)

// row is a step on a file, by all programs.
type row struct {
	kind    string
	entries int
	step    step
	results [][]result // by program
}

// agree reports an error where the programs came to different answers: then
// they did not do the same work.
func (r row) agree() error {
	answer := r.results[0][0].Answer
	for _, results := range r.results[1:] {
		if other := results[0].Answer; other != answer {
			return fmt.Errorf("%s of %s with %d entries: the answers differ: %s, and %s", r.step, r.kind, r.entries, answer, other)
		}
	}
	return nil
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

// memory is the median peak over that of an idle process, in MB; negative
// where it is not known.
func memory(p *program, results []result) float64 {
	var peaks []int64
	for _, r := range results {
		peaks = append(peaks, r.PeakBytes)
	}
	slices.Sort(peaks)
	if peaks[0] == 0 {
		return -1
	}
	return float64(median(peaks)-p.idle) / (1 << 20)
}

func printTables(w io.Writer, programs []*program, rows []row) error {
	var b strings.Builder
	if len(programs) > 1 {
		b.WriteString("| session | step | faster (median) | faster (minimum) | less memory |\n|---|---|---|---|---|\n")
		for _, r := range rows {
			ours, theirs := times(r.results[0]), times(r.results[1])
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", r.session(), r.step, ratio(median(theirs), median(ours)), ratio(theirs[0], ours[0]),
				ratio(memory(programs[1], r.results[1]), memory(programs[0], r.results[0])))
		}
		b.WriteString("\n")
	}
	b.WriteString("| session | step |")
	rule := "|---|---|"
	for _, p := range programs {
		fmt.Fprintf(&b, " %s: median ms | minimum ms | memory MB |", p.name)
		rule += "---|---|---|"
	}
	b.WriteString(" result |\n" + rule + "---|\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s | %s |", r.session(), r.step)
		for i, p := range programs {
			t := times(r.results[i])
			fmt.Fprintf(&b, " %s | %s | %s |", number(median(t)), number(t[0]), number(memory(p, r.results[i])))
		}
		fmt.Fprintf(&b, " %s |\n", r.results[0][0].Answer)
	}
	fmt.Fprintf(&b, "\n%d turns of %d repeats each, %s/%s, %d processors.\n", len(rows[0].results[0]), repeats, runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	_, err := io.WriteString(w, b.String())
	return err
}

func (r row) session() string { return fmt.Sprintf("%s, %dk entries", r.kind, r.entries/1000) }

func ratio(theirs, ours float64) string {
	switch {
	case theirs < 0 || ours < 0:
		return "?"
	case ours < 0.1: // below what can be told from nothing
		return "> " + number(theirs/0.1) + " ×"
	}
	return number(theirs/ours) + " ×"
}

// number prints three digits that mean something.
func number(x float64) string {
	switch {
	case x < 0:
		return "?"
	case x < 10:
		return fmt.Sprintf("%.2f", x)
	case x < 100:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.0f", x)
}
