package cli

import (
	"maps"
	"slices"
	"strings"
)

func (a *app) printImport(out importJSON, agent string, asJSON bool) {
	if asJSON {
		a.json(out)
		return
	}
	c := out.Counts
	parts := []string{count(c.Messages, "message", "messages")}
	for _, p := range []struct {
		n         int
		one, many string
	}{
		{c.Calls, "call", "calls"}, {c.Results, "result", "results"}, {c.Images, "image", "images"},
		{c.Compactions, "compaction", "compactions"}, {c.Branches, "branch", "branches"},
	} {
		if p.n > 0 {
			parts = append(parts, count(p.n, p.one, p.many))
		}
	}
	a.say("%s from %s with %s: %s\n", out.Session, agent, strings.Join(parts, ", "), out.File)
	if len(out.NotCarried) == 0 {
		return
	}
	a.say("\nnot carried over:\n")
	for _, kind := range slices.Sorted(maps.Keys(out.NotCarried)) {
		a.say("  %6s  %s\n", thousands(int64(out.NotCarried[kind])), short(kind, 80))
	}
}
