package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/coppice-dev/coppice/internal/ledger"
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

// rows of the ledger's table; the four ways to change a file are one row.
var rows = []struct {
	name    string
	classes []ledger.Class
}{
	{"constraint", []ledger.Class{ledger.Constraint}},
	{"error", []ledger.Class{ledger.Error}},
	{"file-read", []ledger.Class{ledger.FileRead}},
	{"file-modified", []ledger.Class{ledger.FileModified, ledger.FileCreated, ledger.FileDeleted, ledger.FileMoved}},
	{"command", []ledger.Class{ledger.Command}},
	{"open", []ledger.Class{ledger.Open}},
	{"decision", []ledger.Class{ledger.Decision}},
	{"request", []ledger.Class{ledger.Request}},
	{"identifier", []ledger.Class{ledger.Identifier}},
	{"url", []ledger.Class{ledger.URL}},
	{"number", []ledger.Class{ledger.Number}},
	{"hash", []ledger.Class{ledger.Hash}},
}

// cell is what was found in a column.
type cell struct {
	Measured int                     // sessions, or own summaries
	Tokens   int64                   // of everything in place of the covered part
	Ledger   map[string]ledger.Score // by row
	Plain    map[string]ledger.Score // by class
}

func (c *cell) addLedger(class ledger.Class, s ledger.Score) {
	for _, row := range rows {
		for _, k := range row.classes {
			if k == class {
				add(c.Ledger, row.name, s)
			}
		}
	}
}

func (c *cell) addPlain(class string, s ledger.Score) { add(c.Plain, class, s) }

func add(scores map[string]ledger.Score, name string, s ledger.Score) {
	t := scores[name]
	scores[name] = ledger.Score{Facts: t.Facts + s.Facts, Kept: t.Kept + s.Kept}
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
		r.cells[c] = &cell{Ledger: map[string]ledger.Score{}, Plain: map[string]ledger.Score{}}
	}
	return r.cells[c]
}

func (r *report) add(other *report) {
	for c, from := range other.cells {
		to := r.cell(c)
		to.Measured += from.Measured
		to.Tokens += from.Tokens
		for name, s := range from.Ledger {
			add(to.Ledger, name, s)
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
	byLedger := func(c *cell) map[string]ledger.Score { return c.Ledger }
	byPlain := func(c *cell) map[string]ledger.Score { return c.Plain }
	fmt.Fprintf(&b, "Share of facts that the model still sees after one and after five compactions of %d real sessions, in percent, in the same space.\n\n",
		r.cell(replays[0]).Measured)
	r.table(&b, "facts by the ledger", names, replays, byLedger)
	b.WriteString("\n")
	r.table(&b, "facts by the plain grader", plainClasses, replays, byPlain)
	if n := r.cell(places[0]).Measured; n > 0 {
		fmt.Fprintf(&b, "\nAt the places of %d summaries that models wrote into these sessions, over the same ranges:\n\n", n)
		r.table(&b, "facts by the ledger", names, places, byLedger)
		b.WriteString("\n")
		r.table(&b, "facts by the plain grader", plainClasses, places, byPlain)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *report) table(b *strings.Builder, title string, names []string, columns []column, scores func(*cell) map[string]ledger.Score) {
	b.WriteString("| " + title + " | facts |")
	rule := "|---|---:|"
	for _, c := range columns {
		b.WriteString(" " + c.title() + " |")
		rule += "---:|"
	}
	b.WriteString("\n" + rule + "\n")
	total := map[column]ledger.Score{}
	for _, name := range names {
		facts := scores(r.cell(columns[0]))[name].Facts
		if facts == 0 {
			continue
		}
		fmt.Fprintf(b, "| %s | %d |", name, facts)
		for _, c := range columns {
			s := scores(r.cell(c))[name]
			t := total[c]
			total[c] = ledger.Score{Facts: t.Facts + s.Facts, Kept: t.Kept + s.Kept}
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

func percent(s ledger.Score) string {
	if s.Facts == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f", 100*float64(s.Kept)/float64(s.Facts))
}

// json writes the same numbers for programs.
func (r *report) json(w io.Writer) error {
	type record struct {
		Way         string                  `json:"way"`
		Compactions int                     `json:"compactions"` // 0: where the session was compacted
		Measured    int                     `json:"measured"`
		MeanTokens  int64                   `json:"meanTokens"`
		Ledger      map[string]ledger.Score `json:"ledger"`
		Plain       map[string]ledger.Score `json:"plain"`
	}
	var out []record
	for _, c := range append(slices.Clone(replays), places...) {
		k := r.cell(c)
		out = append(out, record{c.way, c.rounds, k.Measured, k.mean(), k.Ledger, k.Plain})
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(out)
}
