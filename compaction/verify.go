package compaction

import (
	"fmt"
	"slices"
	"strings"

	"github.com/coppice-dev/coppice/internal/ledger"
	"github.com/coppice-dev/coppice/tokens"
)

// verified is a summary's text after the check against the ledger.
type verified struct {
	text     string
	coverage ledger.Coverage
	facts    []ledger.Fact // in the residue
	tokens   int64         // of the residue
}

// verify completes a summary: lost facts of the classes that matter are added
// under it word for word, within the budgets, then the file lists
// (docs/compaction.md, Verify). shown is covered text that stays visible
// anyway: pins and the open request. lines are in the residue whatever the
// budgets are.
func verify(body, shown string, lines []string, facts *ledger.Ledger, lists fileLists, b budgets, est tokens.Estimator) verified {
	body = strings.TrimSpace(body)
	tail := lists.text(est)
	visible := body + "\n\n" + tail + "\n\n" + shown
	var constraints, others []ledger.Fact
	for _, f := range facts.Missing(visible) {
		switch {
		case f.Class == ledger.Constraint:
			constraints = append(constraints, f)
		case ledger.Essential(f.Class):
			others = append(others, f)
		}
	}
	var v verified
	lines = append(lines, v.take(constraints, b.constraints, est, true)...)
	lines = append(lines, v.take(others, b.residue, est, false)...)
	parts := []string{body}
	if len(lines) > 0 {
		residue := ledger.ResidueHeading + "\n" + strings.Join(lines, "\n")
		v.tokens = est.Text(residue)
		parts = append(parts, residue)
	}
	if tail != "" {
		parts = append(parts, tail)
	}
	v.text = strings.Join(parts, "\n\n")
	v.coverage = facts.Cover(v.text + "\n\n" + shown)
	return v
}

// take picks facts, newest first, until the budget is used up, and returns
// their lines oldest first. With rest, those without room become one line that
// says how many they are and where to read them.
func (v *verified) take(facts []ledger.Fact, budget int64, est tokens.Estimator, rest bool) []string {
	var lines []string
	var left []ledger.Fact
	used := int64(0)
	for _, f := range slices.Backward(facts) {
		line := "- " + f.Line()
		n := est.Text(line) + 1
		if used+n > budget {
			left = append(left, f)
			continue
		}
		used += n
		lines = append(lines, line)
		v.facts = append(v.facts, f)
	}
	slices.Reverse(lines)
	if rest && len(left) > 0 {
		lines = append([]string{olderLine(left)}, lines...)
	}
	return lines
}

// olderPaths is how many places a line about older facts names at most.
const olderPaths = 8

func olderLine(facts []ledger.Fact) string {
	var paths []string
	for _, f := range facts {
		if len(f.Entries) > 0 {
			if p := "en:" + f.Entries[0]; !slices.Contains(paths, p) && len(paths) < olderPaths {
				paths = append(paths, p)
			}
		}
	}
	return fmt.Sprintf("- %d older constraints are not repeated here; read them at %s", len(facts), strings.Join(paths, ", "))
}
