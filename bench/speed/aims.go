package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// aim is how many times faster than the other program a row should be.
type aim struct {
	what string
	job  job
	want float64
}

var aims = []aim{
	{"open with context, 100k, a compaction near the end", job{kindCompacted, 100_000, stepContext}, 300},
	{"open with context, 100k, none", job{kindPlain, 100_000, stepContext}, 15},
	{"plan, 100k, a compaction near the end", job{kindCompacted, 100_000, stepPlan}, 50},
	{"plan, 100k, none", job{kindPlain, 100_000, stepPlan}, 50},
	{"tree, 100k", job{kindPlain, 100_000, stepTree}, 10},
	{"list of 100 sessions", job{kindFolder, listed, stepList}, 50},
}

const (
	wantMemory = 10  // times less, in each row of 100k entries
	wantLevel  = 1.5 // upper limit of the time at a million entries divided by that at a thousand; the aim is 1, the rest is noise
)

// printAims says for each measured aim whether it was reached.
func printAims(w io.Writer, programs []*program, rows []row) {
	find := func(j job) (row, bool) {
		i := slices.IndexFunc(rows, func(r row) bool { return r.job == j })
		if i < 0 {
			return row{}, false
		}
		return rows[i], true
	}
	var b strings.Builder
	line := func(what, want, got string, reached bool) {
		verdict := "missed"
		if reached {
			verdict = "reached"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", what, want, got, verdict)
	}
	for _, a := range aims {
		if r, ok := find(a.job); ok && !failed(r.results[1]) {
			line(a.what, fmt.Sprintf("%.0f ×", a.want), r.faster().String(), r.faster().value() >= a.want)
		}
	}
	small, ok1 := find(job{kindCompacted, 1_000, stepContext})
	large, ok2 := find(job{kindCompacted, million, stepContext})
	if ok1 && ok2 {
		level := median(times(large.results[0])) / median(times(small.results[0]))
		line("open with context, 1M entries relative to 1k, a compaction near the end", fmt.Sprintf("1, ± noise: ≤ %.1f", wantLevel), number(level), level <= wantLevel)
	}
	for _, r := range rows {
		if m := r.smaller(programs); r.entries == 100_000 && !failed(r.results[1]) && m.known() {
			line("memory, 100k, "+r.title(), fmt.Sprintf("%d ×", wantMemory), m.String(), m.value() >= wantMemory)
		}
	}
	if b.Len() > 0 {
		fmt.Fprintf(w, "| aim | wanted | measured | |\n|---|---|---|---|\n%s\n", b.String())
	}
}
