package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/coppice-dev/coppice/bench/internal/facts"
)

// column is one way to reduce, and how many compactions it went through; 0: as
// often as the session itself was compacted.
type column struct {
	way    string
	rounds int
}

// columns of the two tables: replays, and the places of the session's own
// summaries.
var (
	replays = []column{{extraction, 1}, {extraction, 5}, {headTail, 1}, {headTail, 5}, {usersOnly, 1}, {usersOnly, 5}}
	places  = []column{{extraction, 0}, {ownSummary, 0}}
)

// rows of the full grader's table; the four ways to change a file are one row.
var rows = []struct {
	name    string
	classes []facts.Class
}{
	{"constraint", []facts.Class{facts.Constraint}},
	{"error", []facts.Class{facts.Error}},
	{"file-read", []facts.Class{facts.FileRead}},
	{"file-modified", []facts.Class{facts.FileModified, facts.FileCreated, facts.FileDeleted, facts.FileMoved}},
	{"command", []facts.Class{facts.Command}},
	{"open", []facts.Class{facts.Open}},
	{"decision", []facts.Class{facts.Decision}},
	{"request", []facts.Class{facts.Request}},
	{"identifier", []facts.Class{facts.Identifier}},
	{"url", []facts.Class{facts.URL}},
	{"number", []facts.Class{facts.Number}},
	{"hash", []facts.Class{facts.Hash}},
}

// score says how many facts there are and how many of them a text holds.
type score struct {
	Facts int `json:"facts"`
	Kept  int `json:"kept"`
}

// cell is what was found in a column.
type cell struct {
	Measured int              // sessions, or own summaries
	Tokens   int64            // of everything in place of the covered part
	Full     map[string]score // by row
	Plain    map[string]score // by class
}

// addFull counts one fact of the full grader.
func (c *cell) addFull(class facts.Class, held bool) {
	s := score{Facts: 1}
	if held {
		s.Kept = 1
	}
	for _, row := range rows {
		if slices.Contains(row.classes, class) {
			add(c.Full, row.name, s)
		}
	}
}

func (c *cell) addPlain(class string, s score) { add(c.Plain, class, s) }

func add(scores map[string]score, name string, s score) {
	t := scores[name]
	scores[name] = score{Facts: t.Facts + s.Facts, Kept: t.Kept + s.Kept}
}

func (c *cell) mean() int64 {
	if c.Measured == 0 {
		return 0
	}
	return c.Tokens / int64(c.Measured)
}

// report is what was found, over one session or many.
type report struct {
	cells map[column]*cell
}

func newReport() *report { return &report{cells: map[column]*cell{}} }

func (r *report) cell(c column) *cell {
	if r.cells[c] == nil {
		r.cells[c] = &cell{Full: map[string]score{}, Plain: map[string]score{}}
	}
	return r.cells[c]
}

func (r *report) add(other *report) {
	for c, from := range other.cells {
		to := r.cell(c)
		to.Measured += from.Measured
		to.Tokens += from.Tokens
		for name, s := range from.Full {
			add(to.Full, name, s)
		}
		for name, s := range from.Plain {
			add(to.Plain, name, s)
		}
	}
}

// markdown writes both tables.
func (r *report) markdown(w io.Writer) error {
	var b strings.Builder
	var names []string
	for _, row := range rows {
		names = append(names, row.name)
	}
	byFull := func(c *cell) map[string]score { return c.Full }
	byPlain := func(c *cell) map[string]score { return c.Plain }
	fmt.Fprintf(&b, "Share of facts that the model still sees after one and after five compactions of %d real sessions, in percent, in the same space.\n\n",
		r.cell(replays[0]).Measured)
	r.table(&b, "facts by the full grader", names, replays, byFull)
	b.WriteString("\n")
	r.table(&b, "facts by the plain grader", plainClasses, replays, byPlain)
	if n := r.cell(places[0]).Measured; n > 0 {
		fmt.Fprintf(&b, "\nAt the places of %d summaries that models wrote into these sessions, over the same ranges:\n\n", n)
		r.table(&b, "facts by the full grader", names, places, byFull)
		b.WriteString("\n")
		r.table(&b, "facts by the plain grader", plainClasses, places, byPlain)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *report) table(b *strings.Builder, title string, names []string, columns []column, scores func(*cell) map[string]score) {
	b.WriteString("| " + title + " | facts |")
	rule := "|---|---:|"
	for _, c := range columns {
		b.WriteString(" " + c.title() + " |")
		rule += "---:|"
	}
	b.WriteString("\n" + rule + "\n")
	total := map[column]score{}
	for _, name := range names {
		facts := scores(r.cell(columns[0]))[name].Facts
		if facts == 0 {
			continue
		}
		fmt.Fprintf(b, "| %s | %d |", name, facts)
		for _, c := range columns {
			s := scores(r.cell(c))[name]
			t := total[c]
			total[c] = score{Facts: t.Facts + s.Facts, Kept: t.Kept + s.Kept}
			b.WriteString(" " + percent(s) + " |")
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(b, "| **all** | %d |", total[columns[0]].Facts)
	for _, c := range columns {
		b.WriteString(" **" + percent(total[c]) + "** |")
	}
	b.WriteString("\n| mean tokens | |")
	for _, c := range columns {
		fmt.Fprintf(b, " %d |", r.cell(c).mean())
	}
	b.WriteString("\n")
}

func (c column) title() string {
	if c.rounds == 0 {
		return c.way
	}
	return fmt.Sprintf("%s, %d×", c.way, c.rounds)
}

func percent(s score) string {
	if s.Facts == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f", 100*float64(s.Kept)/float64(s.Facts))
}

// json writes the same numbers for programs.
func (r *report) json(w io.Writer) error {
	type record struct {
		Way         string           `json:"way"`
		Compactions int              `json:"compactions"` // 0: where the session was compacted
		Measured    int              `json:"measured"`
		MeanTokens  int64            `json:"meanTokens"`
		Full        map[string]score `json:"full"`
		Plain       map[string]score `json:"plain"`
	}
	var out []record
	for _, c := range append(slices.Clone(replays), places...) {
		k := r.cell(c)
		out = append(out, record{c.way, c.rounds, k.Measured, k.mean(), k.Full, k.Plain})
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(out)
}
