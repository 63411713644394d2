package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/coppice-dev/coppice/compaction"
)

func (a *app) uncompactCmd() *cobra.Command {
	var asJSON bool
	cmd := command(groupContext, "uncompact SESSION", "Undo the last compaction",
		"Undo the compaction in force: the model sees what it would have seen without it.\nNothing is removed from the file, so this works after later turns too.",
		"  coppice uncompact -", cobra.ExactArgs(1),
		func(cmd *cobra.Command, args []string) error {
			return a.uncompact(cmd.Context(), args[0], asJSON)
		})
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// undoneJSON is the shape of `uncompact --json` (docs/cli.md).
type undoneJSON struct {
	Outcome      string  `json:"outcome"`
	Reason       string  `json:"reason,omitempty"`
	File         string  `json:"file"`
	EntryID      *string `json:"entryId"`
	Undone       *string `json:"undone"`
	TokensBefore *int64  `json:"tokensBefore"`
	TokensAfter  *int64  `json:"tokensAfter"`
}

func (a *app) uncompact(ctx context.Context, ref string, asJSON bool) error {
	s, err := a.open(ctx, ref, true)
	if err != nil {
		return err
	}
	defer s.Close()
	u, err := s.Uncompact(ctx)
	if err != nil {
		return explain("uncompact "+s.Ref(), err)
	}
	if asJSON {
		a.json(undoneOf(u, s.Ref()))
	} else {
		a.printUndone(u, s.Ref())
	}
	return exitOf(u.Status, u.Reason)
}

func undoneOf(u *compaction.Undone, file string) undoneJSON {
	out := undoneJSON{Outcome: string(u.Status), Reason: string(u.Reason), File: file}
	if u.Status == compaction.Applied {
		out.EntryID, out.TokensBefore, out.TokensAfter = &u.Entry.ID, &u.TokensBefore, &u.TokensAfter
	}
	if u.Compaction != nil {
		out.Undone = &u.Compaction.ID
	}
	return out
}

func (a *app) printUndone(u *compaction.Undone, file string) {
	if u.Status != compaction.Applied {
		a.say("%s (%s): %s\n", u.Status, u.Reason, u.Detail)
		return
	}
	a.say("undid the compaction %s: the model sees %s tokens instead of %s\n", u.Compaction.ID, thousands(u.TokensAfter), thousands(u.TokensBefore))
	a.say("written to %s as %s\n", file, u.Entry.ID)
	if u.OverTarget {
		a.say("this is over the threshold of %s tokens again; to compact: coppice compact %s\n", thousands(u.Target), file)
	}
}
