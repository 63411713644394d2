package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/summarize"
)

func (a *app) mergeCmd() *cobra.Command {
	var from, focus string
	var asJSON bool
	cmd := command(groupContext, "merge SESSION --from ENTRY", "Bring notes over from another branch",
		`Add a summary of another branch, up to ENTRY, to the current branch: what was
said and done there since the two split, checked like the summary of a
compaction. The conversation stays where it is.`,
		"  coppice merge - --from 4f1c0a9b22d3e871", cobra.ExactArgs(1),
		func(cmd *cobra.Command, args []string) error {
			return a.merge(cmd.Context(), args[0], from, focus, asJSON)
		})
	cmd.Flags().StringVar(&from, "from", "", "last entry of the other branch")
	cmd.Flags().StringVar(&focus, "focus", "", "what the summary must keep above all")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	_ = cmd.MarkFlagRequired("from")
	return cmd
}

// mergeJSON is the shape of `merge --json`.
type mergeJSON struct {
	Outcome  string               `json:"outcome"`
	Reason   string               `json:"reason,omitempty"`
	File     string               `json:"file"`
	EntryID  *string              `json:"entryId"`
	FromID   string               `json:"fromId"`
	Summary  string               `json:"summary,omitempty"`
	Rung     string               `json:"rung,omitempty"`
	Unheeded []summarize.Unheeded `json:"notHonoured,omitempty"` // guidance that the summary did not follow
}

func (a *app) merge(ctx context.Context, ref, from, focus string, asJSON bool) error {
	l := &ladder{}
	s, err := a.open(ctx, ref, true, l.writes)
	if err != nil {
		return err
	}
	defer s.Close()
	e, err := entryOf(ctx, s, from)
	if err != nil {
		return err
	}
	stop, err := a.ready(l)
	if err != nil {
		return err
	}
	n, err := s.Merge(ctx, compaction.Merge{From: e.ID, Focus: focus})
	stop()
	if err == nil && n.Route == nil { // interrupted before there was anything to report
		err = n.Err
	}
	if err != nil {
		return explain("merge "+e.ID, err)
	}
	a.warnUnheeded(n.Unheeded)
	a.printMerge(n, s.Ref(), asJSON)
	return exitOf(n.Status, n.Reason)
}

func (a *app) printMerge(n *compaction.Navigated, file string, asJSON bool) {
	if asJSON {
		out := mergeJSON{Outcome: string(n.Status), Reason: string(n.Reason), File: file, FromID: n.Route.Target.ID, Rung: n.Rung, Unheeded: n.Unheeded}
		if n.Summary != nil {
			out.EntryID, out.Summary = &n.Summary.ID, n.Summary.BranchSummary().Summary
		}
		a.json(out)
		return
	}
	if n.Status != compaction.Applied {
		a.say("%s (%s): %s\n", n.Status, n.Reason, visible(n.Detail))
		return
	}
	a.say("%s\n\n%s\n", summaryLine(n), visible(n.Summary.BranchSummary().Summary))
}
