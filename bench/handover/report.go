package main

import (
	"fmt"
	"io"
)

// score is what summaries are worth: what the reader must know and sees, lines
// that are stale, tokens.
type score struct {
	musts, met, stale int
	tokens            int64
}

// report adds scores up, by row and arm.
type report struct {
	arms  []string
	rows  []string
	size  map[string]int // summaries in a row
	cells map[[2]string]score
}

func newReport(arms ...string) *report {
	return &report{arms: arms, size: map[string]int{}, cells: map[[2]string]score{}}
}

// count notes one more summary in a row.
func (r *report) count(row string) {
	if r.size[row] == 0 {
		r.rows = append(r.rows, row)
	}
	r.size[row]++
}

func (r *report) all() int {
	n := 0
	for _, k := range r.size {
		n += k
	}
	return n
}

func (r *report) add(row, arm string, s score) {
	for _, at := range []string{row, ""} {
		c := r.cells[[2]string{at, arm}]
		r.cells[[2]string{at, arm}] = score{c.musts + s.musts, c.met + s.met, c.stale + s.stale, c.tokens + s.tokens}
	}
}

// markdown writes a table: of each arm musts met, stale lines and the mean of
// its tokens.
func (r *report) markdown(w io.Writer, title, things string) {
	fmt.Fprintf(w, "| %s | %s | musts |", title, things)
	rule := "|---|---:|---:|"
	for _, arm := range r.arms {
		fmt.Fprintf(w, " %s: met | stale lines | tokens |", arm)
		rule += "---:|---:|---:|"
	}
	fmt.Fprintf(w, "\n%s\n", rule)
	for _, row := range r.rows {
		r.line(w, row, row, r.size[row], "")
	}
	r.line(w, "**all "+things+"**", "", r.all(), "**")
}

func (r *report) line(w io.Writer, title, row string, n int, bold string) {
	fmt.Fprintf(w, "| %s | %d | %d |", title, n, r.cells[[2]string{row, r.arms[0]}].musts)
	for _, arm := range r.arms {
		c := r.cells[[2]string{row, arm}]
		fmt.Fprintf(w, " %s%d%s | %s%d%s | %d |", bold, c.met, bold, bold, c.stale, bold, c.tokens/int64(max(n, 1)))
	}
	fmt.Fprintln(w)
}
