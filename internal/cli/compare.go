package cli

import (
	"context"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/coppice-dev/coppice/compaction"
)

func (a *app) compareCmd() *cobra.Command {
	var asJSON bool
	cmd := command(groupLook, "compare SESSION ENTRY ENTRY", "Show two branches side by side",
		`Show what two branches, each up to an entry, did since they split:
how long it is, the files it read and changed, the commands it ran, and how it
ended.`,
		"  coppice compare - 4f1c0a9b22d3e871 77aa01c2b3d4e5f6", cobra.ExactArgs(3),
		func(cmd *cobra.Command, args []string) error {
			return a.compare(cmd.Context(), args[0], args[1], args[2], asJSON)
		})
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// compareJSON is the shape of `compare --json`.
type compareJSON struct {
	AncestorID *string  `json:"ancestorId"`
	A          sideJSON `json:"a"`
	B          sideJSON `json:"b"`
}

type sideJSON struct {
	EntryID  string        `json:"entryId"`
	Entries  int           `json:"entries"`
	Turns    int           `json:"turns"`
	Tokens   int64         `json:"tokens"`
	Read     []string      `json:"read"`
	Modified []string      `json:"modified"`
	Commands []commandJSON `json:"commands"`
	Outcome  string        `json:"outcome"`
}

type commandJSON struct {
	Command string `json:"command"`
	Result  string `json:"result,omitempty"`
}

func (a *app) compare(ctx context.Context, ref, first, second string, asJSON bool) error {
	s, err := a.open(ctx, ref, false)
	if err != nil {
		return err
	}
	defer s.Close()
	var ids [2]string
	for i, id := range []string{first, second} {
		e, err := entryOf(ctx, s, id)
		if err != nil {
			return err
		}
		ids[i] = e.ID
	}
	cmp, err := s.Compare(ctx, ids[0], ids[1])
	if err != nil {
		return explain("compare", err)
	}
	out := compareJSON{A: sideOf(cmp.A), B: sideOf(cmp.B)}
	if cmp.Ancestor != nil {
		out.AncestorID = &cmp.Ancestor.ID
	}
	if asJSON {
		a.json(out)
	} else {
		a.printCompare(out)
	}
	return nil
}

func sideOf(s compaction.Side) sideJSON {
	out := sideJSON{EntryID: s.Leaf.ID, Entries: s.Entries, Turns: s.Turns, Tokens: s.Tokens, Outcome: s.Outcome,
		Read: append([]string{}, s.Read...), Modified: append([]string{}, s.Modified...), Commands: []commandJSON{}}
	for _, f := range s.Commands {
		out.Commands = append(out.Commands, commandJSON{Command: f.Text, Result: f.Note})
	}
	return out
}

// sideWidth is how wide a branch is shown.
const sideWidth = 48

func (a *app) printCompare(c compareJSON) {
	at := "nothing in common"
	if c.AncestorID != nil {
		at = *c.AncestorID
	}
	a.say("%-9s %s\n", "split at", at)
	row := func(name string, cell func(sideJSON) string) {
		a.say("%s\n", strings.TrimRight(pad(name, 9)+" "+pad(short(cell(c.A), sideWidth), sideWidth)+"  "+short(cell(c.B), sideWidth), " "))
	}
	row("", func(s sideJSON) string { return s.EntryID })
	row("entries", func(s sideJSON) string { return thousands(int64(s.Entries)) })
	row("turns", func(s sideJSON) string { return thousands(int64(s.Turns)) })
	row("tokens", func(s sideJSON) string { return thousands(s.Tokens) })
	lines := func(name string, list func(sideJSON) []string) {
		left, right := list(c.A), list(c.B)
		for i := range max(len(left), len(right), 1) {
			row(name, func(s sideJSON) string {
				switch l := list(s); {
				case i < len(l):
					return l[i]
				case i == 0:
					return "-"
				}
				return ""
			})
			name = ""
		}
	}
	lines("changed", func(s sideJSON) []string { return firstOf(s.Modified) })
	lines("read", func(s sideJSON) []string { return firstOf(s.Read) })
	lines("commands", func(s sideJSON) []string { return firstOf(commandLines(s.Commands)) })
	row("ended in", func(s sideJSON) string { return s.Outcome })
}

// mostLines is how many files or commands of a branch are shown.
const mostLines = 8

func firstOf(items []string) []string {
	if len(items) <= mostLines {
		return items
	}
	return append(append([]string{}, items[:mostLines-1]...), "and "+strconv.Itoa(len(items)-mostLines+1)+" more")
}

func commandLines(commands []commandJSON) []string {
	var out []string
	for _, c := range commands {
		line := c.Command
		if c.Result != "" {
			line += " (" + c.Result + ")"
		}
		out = append(out, line)
	}
	return out
}
