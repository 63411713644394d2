package compaction

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/coppice-dev/coppice/internal/quote"
	"github.com/coppice-dev/coppice/internal/state"
	"github.com/coppice-dev/coppice/ledger"
	"github.com/coppice-dev/coppice/tokens"
)

// verified is a summary's text after the check against the state.
type verified struct {
	text           string
	coverage       ledger.Coverage
	contradictions []state.Contradiction
	residue        []*state.Item
	tokens         int64 // of corrections and residue
}

// verification is what a summary is checked against.
type verification struct {
	state   *state.State
	cut     int      // items that were made after it stay in view
	shown   string   // covered text that stays visible anyway
	lines   []string // stand in the residue whatever the budgets are
	lists   fileLists
	budgets budgets
	est     tokens.Estimator
}

// covered reports whether an item is from what the summary covers. The rest
// stays in view.
func (v verification) covered(it *state.Item) bool { return it.First < v.cut }

// verify checks the draft against what is true at the end of its path.
func (a *attempt) verify(ctx context.Context, d *draft) verified {
	v := verification{state: d.known.input.State, cut: d.known.cut(), shown: d.shown, lines: a.plan.olderCalls(), lists: d.lists, budgets: a.budgets, est: a.estimator()}
	if d.edited != "" {
		return v.judge(ctx, d.edited)
	}
	return v.complete(ctx, d.body)
}

// judge says which facts a text has and what it contradicts. It does not change
// the text.
func (v verification) judge(ctx context.Context, text string) verified {
	t := state.NewText(text + "\n\n" + v.shown)
	return verified{text: text, coverage: t.Cover(ctx, v.state, v.covered), contradictions: state.NewText(text).Contradictions(ctx, v.state)}
}

// complete adds to a summary, within the budgets: corrections of what it has
// wrong, what it lost and is still needed, and the file lists
// (docs/compaction.md).
func (v verification) complete(ctx context.Context, body string) verified {
	body = strings.TrimSpace(body)
	tail := v.lists.text(v.est)
	wrong := state.NewText(body).Contradictions(ctx, v.state)
	t := state.NewText(body + "\n\n" + tail + "\n\n" + v.shown)
	missing := t.Missing(ctx, v.state, v.covered)
	var rules, others []*state.Item
	for _, it := range missing {
		if it.Kind == state.Rule {
			rules = append(rules, it)
		} else {
			others = append(others, it)
		}
	}
	out := verified{contradictions: wrong}
	corrections, left := v.corrections(wrong)
	lines := append(slices.Clone(v.lines), out.take(rules, v.budgets.constraints, v.est, true)...)
	lines = append(lines, out.take(others, left, v.est, false)...)
	parts := []string{body}
	for _, part := range []struct {
		heading string
		lines   []string
	}{{correctionsHeading, corrections}, {state.ResidueHeading, lines}} {
		if len(part.lines) > 0 {
			text := part.heading + "\n" + strings.Join(part.lines, "\n")
			out.tokens += v.est.Text(text)
			parts = append(parts, text)
		}
	}
	if tail != "" {
		parts = append(parts, tail)
	}
	judged := v.judge(ctx, strings.Join(parts, "\n\n"))
	out.text, out.coverage = judged.text, judged.coverage
	return out
}

// correctionsHeading is the heading of the corrections of a summary.
const correctionsHeading = "## Corrections"

// corrections writes what is true instead of what a summary says, within half
// of the residue's budget, and returns what is left of it.
func (v verification) corrections(wrong []state.Contradiction) (lines []string, left int64) {
	left = v.budgets.residue
	half := left / 2
	for _, c := range wrong {
		line := "- " + quote.Safe(c.Right)
		n := v.est.Text(line) + 1
		if slices.Contains(lines, line) || left-n < half {
			continue
		}
		left -= n
		lines = append(lines, line)
	}
	return lines, left
}

// take picks items, those that matter most first, until the budget is used up,
// and returns their lines oldest first. With rest, those that found no room
// become one line that says how many and where to read them.
func (v *verified) take(items []*state.Item, budget int64, est tokens.Estimator, rest bool) []string {
	var lines []string
	var left []*state.Item
	used := int64(0)
	for _, it := range slices.Backward(items) {
		line := "- " + quote.Safe(it.Line())
		n := est.Text(line) + 1
		if used+n > budget {
			left = append(left, it)
			continue
		}
		used += n
		lines = append(lines, line)
		v.residue = append(v.residue, it)
	}
	slices.Reverse(lines)
	if rest && len(left) > 0 {
		lines = append([]string{olderLine(left)}, lines...)
	}
	return lines
}

// olderPaths is how many places a line about older facts names at most.
const olderPaths = 8

func olderLine(items []*state.Item) string {
	var paths []string
	for _, it := range items {
		if ids := it.Entries(); len(ids) > 0 {
			if p := "en:" + ids[0]; !slices.Contains(paths, p) && len(paths) < olderPaths {
				paths = append(paths, p)
			}
		}
	}
	return fmt.Sprintf("- %d older rules are not repeated here; read them at %s", len(items), strings.Join(paths, ", "))
}
