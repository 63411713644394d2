package outcome

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Figure is a number that a benchmark or a coverage tool told, with its unit.
type Figure struct {
	Name  string // of what; "" where it is of the whole run
	Value string
}

// Bounds of the figures of one output, and of the lines that they come from.
const (
	maxFigures     = 8
	maxFigureLines = 64
)

// figureLines are the shapes of lines with a figure: a name, where the shape has
// one, and the number.
var figureLines = sync.OnceValue(func() (l struct{ goBench, goCover, criterion, hyperfine, covered, labelled *regexp.Regexp }) {
	l.goBench = regexp.MustCompile(`^(Benchmark\S*?)(?:-\d+)?\s+\d+\s+([\d.]+ \S+/op(?:\s+[\d.]+ \S+)*)`)
	l.goCover = regexp.MustCompile(`^ok\s+(\S+)\s.*coverage: ([\d.]+%)`)
	l.criterion = regexp.MustCompile(`^(\S+)\s+time:\s+\[(?:[\d.]+ \S+) ([\d.]+ \S+) (?:[\d.]+ \S+)\]`)
	l.hyperfine = regexp.MustCompile(`^Time \(mean ± σ\):\s+([\d.]+ \S+ ±\s+[\d.]+ \S+)`)
	// the sum of pytest-cov, nyc, jest and llvm-cov
	l.covered = regexp.MustCompile(`^(?:TOTAL\s.*?|All files\s*\|\s*|Statements\s*:\s*|[\d.]+% coverage, )([\d.]+%?)(?:\s*$|\s*\||\s*\()`)
	l.labelled = regexp.MustCompile(`^([A-Za-z][\w /().-]{1,40}?)(?:\s*[:=]\s*|\s{2,})(\d[\d.,]*\s?(?:ms|µs|us|ns|s|sec|seconds|MB/s|GB/s|KB/s|req/s|rps|ops/s|ops/sec|qps|fps|tokens/s|[KMG]i?B|[KMG]|%)?)(?:$|\s(?:per|avg|mean|median|total|\()[^=]*$)`)
	return l
})

// Figures reads the numbers that an output measures: of benchmarks, coverage
// and, where the command measures, lines with a name and a number.
func Figures(output string, measures bool) []Figure {
	var all []Figure
	subject := ""
	for line := range strings.SplitSeq(Plain(Edges(output)), "\n") {
		line = strings.TrimSpace(line)
		if len(line) > maxTallyLine || !strings.ContainsAny(line, "0123456789") {
			continue
		}
		if rest, ok := strings.CutPrefix(line, "Benchmark "); ok && strings.Contains(rest, ": ") {
			_, subject, _ = strings.Cut(rest, ": ")
			continue
		}
		if f, ok := figure(line, subject, measures); ok && len(all) < maxFigureLines {
			all = append(all, f)
		}
	}
	return medians(all)
}

// medians are the figures, of a name that was measured more than once the one in
// the middle.
func medians(all []Figure) []Figure {
	var out []Figure
	for i, f := range all {
		if slices.ContainsFunc(all[:i], func(o Figure) bool { return o.Name == f.Name }) || len(out) == maxFigures {
			continue
		}
		same := slices.DeleteFunc(slices.Clone(all), func(o Figure) bool { return o.Name != f.Name })
		slices.SortStableFunc(same, func(a, b Figure) int { return cmp.Compare(a.number(), b.number()) })
		out = append(out, same[len(same)/2])
	}
	return out
}

func (f Figure) number() float64 {
	first, _, _ := strings.Cut(f.Value, " ")
	n, _ := strconv.ParseFloat(strings.TrimRight(first, "%"), 64) // what is not a number comes first
	return n
}

func figure(line, subject string, measures bool) (Figure, bool) {
	squeeze := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	switch {
	case strings.HasPrefix(line, "Benchmark"):
		if m := figureLines().goBench.FindStringSubmatch(line); m != nil {
			return Figure{m[1], squeeze(m[2])}, true
		}
	case strings.HasPrefix(line, "Time (mean"):
		if m := figureLines().hyperfine.FindStringSubmatch(line); m != nil {
			return Figure{subject, squeeze(m[1])}, true
		}
	case strings.HasPrefix(line, "ok"):
		if m := figureLines().goCover.FindStringSubmatch(line); m != nil {
			return Figure{"coverage of " + m[1], m[2]}, true
		}
	}
	if m := figureLines().covered.FindStringSubmatch(line); m != nil {
		return Figure{"coverage", strings.TrimSuffix(m[1], "%") + "%"}, true
	}
	if strings.Contains(line, "time:") {
		if m := figureLines().criterion.FindStringSubmatch(line); m != nil {
			return Figure{m[1], m[2]}, true
		}
	}
	if measures {
		if m := figureLines().labelled.FindStringSubmatch(line); m != nil {
			return Figure{squeeze(m[1]), squeeze(m[2])}, true
		}
	}
	return Figure{}, false
}
