package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/coppice-dev/coppice/compaction"
)

// row is what a session costs in a window at a provider, under each policy.
type row struct {
	Session string          `json:"session"`
	Window  int64           `json:"window"` // tokens
	Tariff  string          `json:"tariff"`
	Calls   int             `json:"calls"`   // of the session's own
	Largest int64           `json:"largest"` // largest request without reduction, in tokens
	Bills   map[string]bill `json:"bills"`   // by policy
	Made    map[string]int  `json:"made"`    // requests for summaries, by policy
}

// measure replays a session in a window, once for each policy.
func measure(ctx context.Context, t *trace, window int64) ([]row, error) {
	prices, err := tariffs()
	if err != nil {
		return nil, err
	}
	calls, made := map[string][]call{}, map[string]int{}
	for _, name := range names {
		s, err := play(ctx, t, window, newPolicy(name))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		calls[name] = s.calls
		for _, c := range s.calls {
			if c.summary {
				made[name]++
			}
		}
	}
	var rows []row
	for _, at := range prices {
		r := row{Session: t.name, Window: window, Tariff: at.name, Calls: len(calls[nothing]), Bills: map[string]bill{}, Made: made}
		for _, c := range calls[nothing] {
			r.Largest = max(r.Largest, c.size())
		}
		for _, name := range names {
			r.Bills[name] = at.bill(calls[name])
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// fits reports whether the session is possible without a reduction.
func (r row) fits() bool { return r.Largest <= r.Window }

// needless reports whether our policies had no reason to reduce.
func (r row) needless() bool { return r.Largest <= compaction.Settings{}.Threshold(r.Window) }

// near is how far above the lowest bill still counts as low.
const near = 1.05

// low reports whether a policy's bill is the lowest of the possible ones, or
// close to it.
func (r row) low(name string) bool {
	lowest := r.Bills[serialized].Total
	for _, n := range names {
		if n != nothing || r.fits() {
			lowest = min(lowest, r.Bills[n].Total)
		}
	}
	return r.Bills[name].Total <= near*lowest && (name != nothing || r.fits())
}

// excess is how much more a policy costs than no reduction, as a share.
func (r row) excess(name string) float64 {
	if r.Bills[nothing].Total == 0 {
		return 0
	}
	return r.Bills[name].Total/r.Bills[nothing].Total - 1
}

// report is the bills of all sessions.
type report struct{ rows []row }

// sum is a line of the table: one window at one provider.
type sum struct {
	window            int64
	tariff            string
	sessions, reduced int
	total             map[string]float64
	low               map[string]int
	excess            map[string]float64 // the largest where nothing was needed
}

func (r report) sums() []*sum {
	var out []*sum
	find := func(row row) *sum {
		for _, s := range out {
			if s.window == row.Window && s.tariff == row.Tariff {
				return s
			}
		}
		s := &sum{window: row.Window, tariff: row.Tariff, total: map[string]float64{}, low: map[string]int{}, excess: map[string]float64{}}
		out = append(out, s)
		return s
	}
	for _, w := range windows { // all windows together
		for _, row := range r.rows {
			if row.Window != w {
				continue
			}
			s := find(row)
			s.sessions++
			if !row.needless() {
				s.reduced++
			}
			for _, n := range names {
				s.total[n] += row.Bills[n].Total
				if row.low(n) {
					s.low[n]++
				}
				if row.needless() {
					s.excess[n] = max(s.excess[n], row.excess(n))
				}
			}
		}
	}
	return out
}

// markdown is the table of all sessions.
func (r report) markdown() string {
	var b strings.Builder
	b.WriteString("| window and prices |")
	rule := "|---|"
	for _, n := range names {
		b.WriteString(" " + n + " |")
		rule += "---:|"
	}
	b.WriteString("\n" + rule + "\n")
	worst := map[string]float64{}
	for _, s := range r.sums() {
		fmt.Fprintf(&b, "| %dk, %s |", s.window/1000, s.tariff)
		for _, n := range names {
			fmt.Fprintf(&b, " $%.2f, %d/%d |", s.total[n], s.low[n], s.sessions)
			worst[n] = max(worst[n], s.excess[n])
		}
		b.WriteString("\n")
	}
	b.WriteString("| most above no reduction, where none was needed |")
	for _, n := range names {
		fmt.Fprintf(&b, " %.1f %% |", 100*worst[n])
	}
	b.WriteString("\n")
	return b.String()
}

// sessions prints the bill of each session, with the number of summaries.
func (r report) sessions(w io.Writer) error {
	var b strings.Builder
	b.WriteString("| session | window | prices | calls | largest request |")
	rule := "|---|---:|---|---:|---:|"
	for _, n := range names {
		b.WriteString(" " + n + " |")
		rule += "---:|"
	}
	b.WriteString("\n" + rule + "\n")
	for _, row := range r.rows {
		fmt.Fprintf(&b, "| %s | %dk | %s | %d | %d |", row.Session, row.Window/1000, row.Tariff, row.Calls, row.Largest)
		for _, n := range names {
			mark := ""
			if !row.low(n) {
				mark = " !"
			}
			fmt.Fprintf(&b, " %.3f (%d: %.3f)%s |", row.Bills[n].Total, row.Made[n], row.Bills[n].Summary, mark)
		}
		b.WriteString("\n")
	}
	b.WriteString("\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func (r report) json(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(r.rows)
}
