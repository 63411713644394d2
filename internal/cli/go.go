package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/summarize"
)

// goFlags are the flags of go.
type goFlags struct {
	summarize, json bool
	focus, label    string
}

func (a *app) goCmd() *cobra.Command {
	var f goFlags
	cmd := command(groupContext, "go SESSION ENTRY", "Continue the conversation from another entry",
		`Continue the conversation at ENTRY. Nothing is removed from the file: the part
that you leave stays as a branch. If ENTRY is a prompt, the conversation continues
before it, and its text is printed so that you can change it and send it again.

With --summarize a summary of the branch that is left, checked like that of a
compaction, goes to the new place. Without the flag branchSummary.enabled
decides. A hook may cancel, or provide the summary.`,
		"  coppice go - 4f1c0a9b22d3e871\n  coppice go work.jsonl 4f1c --summarize --focus 'what failed' --label 'second try'", cobra.ExactArgs(2),
		func(cmd *cobra.Command, args []string) error {
			if !cmd.Flags().Changed("summarize") {
				f.summarize = a.settings().branches.Enabled
			}
			if f.focus != "" && !f.summarize {
				return usagef("--focus: there is no summary without --summarize")
			}
			return a.goTo(cmd.Context(), args[0], args[1], f)
		})
	fl := cmd.Flags()
	fl.BoolVar(&f.summarize, "summarize", false, "summarize the branch that you leave (default: from the settings)")
	fl.StringVar(&f.focus, "focus", "", "what the summary must keep above all")
	fl.StringVar(&f.label, "label", "", "name for the summary or, without one, for ENTRY")
	fl.BoolVar(&f.json, "json", false, "print JSON")
	return cmd
}

// goJSON is the shape of `go --json` (docs/cli.md).
type goJSON struct {
	File           string               `json:"file"`
	EditorText     string               `json:"editorText,omitempty"`
	Cancelled      bool                 `json:"cancelled"`
	Aborted        bool                 `json:"aborted,omitzero"`
	LeafID         *string              `json:"leafId"`
	SummaryEntryID string               `json:"summaryEntryId,omitempty"`
	Unheeded       []summarize.Unheeded `json:"notHonoured,omitempty"` // guidance that the summary did not follow
}

func (a *app) goTo(ctx context.Context, ref, entry string, f goFlags) error {
	l := &ladder{}
	s, err := a.open(ctx, ref, true, a.asking, l.writes)
	if err != nil {
		return err
	}
	defer s.Close()
	target, err := entryOf(ctx, s, entry)
	if err != nil {
		return err
	}
	stop := func() {}
	if f.summarize { // without it nothing may be sent anywhere
		if stop, err = a.ready(l); err != nil {
			return err
		}
	}
	n, err := s.Navigate(ctx, compaction.Navigation{Target: target.ID, Summarize: &f.summarize, Focus: f.focus, Label: f.label})
	stop()
	if err != nil {
		return explain("go to "+target.ID, err)
	}
	a.warnUnheeded(n.Unheeded)
	if n.Status == compaction.Failed {
		return &failure{Code: codeFailed, What: "go to " + target.ID, Why: visible(n.Detail), File: s.Ref()}
	}
	a.printGo(n, s.Ref(), f.json)
	if n.Status == compaction.Cancelled {
		return exitOf(n.Status, n.Reason)
	}
	return nil
}

func (a *app) printGo(n *compaction.Navigated, file string, asJSON bool) {
	out := goJSON{File: file, Unheeded: n.Unheeded, Cancelled: n.Status == compaction.Cancelled, Aborted: n.Reason == compaction.Interrupted}
	if n.Leaf != nil {
		out.LeafID = &n.Leaf.ID
	}
	if n.Summary != nil {
		out.SummaryEntryID = n.Summary.ID
	}
	if n.Status == compaction.Applied {
		out.EditorText = n.Route.EditorText
	}
	switch {
	case asJSON:
		a.json(out)
		return
	case n.Status != compaction.Applied:
		a.say("%s (%s): %s\n", n.Status, n.Reason, visible(n.Detail))
		return
	}
	a.say("%s\n", a.whereNow(n.Route))
	if n.Summary != nil {
		a.say("%s\n", summaryLine(n))
	}
	if out.EditorText != "" {
		fmt.Fprintf(a.Out, "\n%s\n", visible(out.EditorText))
	}
}

// whereNow says where the conversation continues.
func (a *app) whereNow(r *compaction.Route) string {
	if r.NewLeaf == nil {
		return "the conversation starts over from the beginning"
	}
	where := "the conversation continues from " + r.NewLeaf.ID
	m, err := r.NewLeaf.Message()
	if err != nil {
		return where // the move is done; only its line cannot be read
	}
	p := previewer{home: a.home(), calls: map[string]string{}}
	return where + " " + short(p.of(r.NewLeaf, m), previewError)
}

// summaryLine describes a branch summary.
func summaryLine(n *compaction.Navigated) string {
	by := n.Rung
	if n.Model.ID != "" {
		by += " " + n.Model.Key()
	}
	return visible(fmt.Sprintf("summary of the branch up to %s written as %s (%s)", n.Summary.BranchSummary().FromID, n.Summary.ID, by))
}
