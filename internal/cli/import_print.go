package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/coppice-dev/coppice/convert"
)

// longImport is the size in bytes from which on a run without a terminal says
// how far it has come.
const longImport = 16 << 20

// importProgress shows on standard error how much of a file has been read; the
// returned function ends it.
func (a *app) importProgress(src convert.Source) (progress func(int64), stop func()) {
	step, shown := int64(10), int64(0)
	switch {
	case a.Terminal:
		step = 1
	case src.Size < longImport:
		step = 101
	}
	progress = func(read int64) {
		percent := 100 * read / max(src.Size, 1)
		if percent < shown+step {
			return
		}
		shown = percent
		if a.Terminal {
			fmt.Fprintf(a.Err, "\r\x1b[Kimporting %s: %d%%", src.Path, percent)
		} else {
			fmt.Fprintf(a.Err, "importing %s: %d%%\n", src.Path, percent)
		}
	}
	return progress, func() {
		if a.Terminal && shown > 0 {
			fmt.Fprint(a.Err, "\r\x1b[K")
		}
	}
}

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
