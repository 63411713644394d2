package cli

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/coppice-dev/coppice/timeline"
)

func (a *app) printStats(s statsJSON, v *timeline.View) error {
	name := s.Session
	if s.Name != nil {
		name += " (" + short(*s.Name, 80) + ")"
	}
	rows := [][]string{
		{"session", name},
		{"file", s.File},
		{"entries", fmt.Sprintf("%s: %s", thousands(int64(s.Entries)), byCount(s.Types))},
		{"messages", byCount(s.Roles)},
		{"branches", fmt.Sprintf("%d, %s", s.Leaves, count(s.Compactions, "compaction", "compactions"))},
	}
	a.table([]column{{color: dim}, {}}, append(rows, spentRows(s.Usage)...))
	if len(s.Tools) > 0 {
		a.say("\n")
		a.table([]column{{color: dim}, {right: true}, {right: true}, {right: true}}, toolRows(s.Tools))
	}
	kinds, err := kindsOf(v)
	if err != nil {
		return err
	}
	a.say("\n%s\n%s\n", a.bar(kinds, s.Context.Window, s.Context.Threshold, a.barWidth()), a.legend(kinds))
	c := contextJSON{Tokens: s.Context}
	if v.Model != nil {
		c.Model = &modelName{Provider: v.Model.Provider, ID: v.Model.ModelID}
	}
	a.say("%s\n", meter(c))
	return nil
}

func toolRows(tools []toolStats) [][]string {
	rows := [][]string{{"tool", "calls", "failed", "tokens of results"}}
	byTokens := slices.SortedFunc(slices.Values(tools), func(a, b toolStats) int {
		return cmp.Or(cmp.Compare(b.ResultTokens, a.ResultTokens), strings.Compare(a.Name, b.Name))
	})
	for _, t := range byTokens {
		rows = append(rows, []string{short(t.Name, 40), thousands(int64(t.Calls)), thousands(int64(t.Errors)), thousands(t.ResultTokens)})
	}
	return rows
}

func spentRows(u *spentJSON) [][]string {
	if u == nil {
		return [][]string{{"usage", "no provider reported usage"}}
	}
	rows := [][]string{{"usage", fmt.Sprintf("%s tokens in %s: %s in, %s out, cache %s read, %s written",
		thousands(u.Total), count(u.Calls, "call", "calls"), thousands(u.Input), thousands(u.Output), thousands(u.CacheRead), thousands(u.CacheWrite))}}
	cost := "not known"
	if u.USD != nil {
		cost = fmt.Sprintf("$%.4f", *u.USD)
		if u.Unpriced > 0 {
			cost += " and " + count(u.Unpriced, "call", "calls") + " with an unknown price"
		}
	}
	return append(rows, []string{"cost", cost})
}

// byCount lists names with their counts, largest first.
func byCount(counts map[string]int) string {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), strings.Compare(a, b))
	})
	for i, n := range names {
		names[i] = fmt.Sprintf("%s %s", thousands(int64(counts[n])), short(n, 40))
	}
	return cmp.Or(strings.Join(names, ", "), "none")
}
