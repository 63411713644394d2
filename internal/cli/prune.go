package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/prune"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/tokens"
)

func (a *app) pruneCmd() *cobra.Command {
	var plan, asJSON bool
	cmd := command(groupContext, "prune SESSION", "Show less of old tool output, without a model",
		`Replace old tool output, reads that a later read repeats, and results in which
nothing was found, in what the model sees. The originals stay in the file and can
be read; each replacement says where.`,
		"  coppice prune - --plan\n  coppice prune work.jsonl", cobra.ExactArgs(1),
		func(cmd *cobra.Command, args []string) error {
			return a.prune(cmd.Context(), args[0], plan, asJSON)
		})
	cmd.Flags().BoolVar(&plan, "plan", false, "show what would happen, write nothing")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// pruneJSON is the shape of `prune --json` (docs/cli.md).
type pruneJSON struct {
	Outcome string          `json:"outcome"`
	Reason  string          `json:"reason,omitempty"`
	File    string          `json:"file"`
	Edits   []pruneEditJSON `json:"edits"`
	Saved   int64           `json:"saved"`

	TokensBefore int64 `json:"tokensBefore"` // of the next request, as context says
	TokensAfter  int64 `json:"tokensAfter"`
}

type pruneEditJSON struct {
	EntryID string `json:"entryId"`
	Kind    string `json:"kind"`
	Before  int64  `json:"before"`
	After   int64  `json:"after"`
}

// nothingToPrune is the reason when there is nothing to do.
const nothingToPrune = "nothing-to-prune"

func (a *app) prune(ctx context.Context, ref string, plan, asJSON bool) error {
	s, err := a.open(ctx, ref, !plan)
	if err != nil {
		return err
	}
	defer s.Close()
	do := s.Prune
	if plan {
		do = s.PrunePlan
	}
	v, err := s.View(ctx)
	if err != nil {
		return explain("prune "+s.Ref(), err)
	}
	edits, err := do(ctx)
	if err != nil {
		return explain("prune "+s.Ref(), err)
	}
	out := pruneJSON{Outcome: "applied", Edits: []pruneEditJSON{}, Saved: prune.Saved(edits)}
	for _, e := range edits {
		out.Edits = append(out.Edits, pruneEditJSON{EntryID: e.Entry.ID, Kind: string(e.Kind), Before: e.Before, After: e.After})
	}
	switch {
	case len(edits) == 0:
		out.Outcome, out.Reason = "skipped", nothingToPrune
	case plan:
		out.Outcome = "planned"
	}
	if out.TokensBefore, out.TokensAfter, err = pruned(ctx, s, v, edits); err != nil {
		return err
	}
	out.File = s.Ref()
	if asJSON {
		a.json(out)
	} else {
		a.printPrune(ref, prune.Switches(edits), out)
	}
	if out.Reason != "" {
		return codeNothing
	}
	return nil
}

// pruned returns how big the next request is before and after edits, in tokens.
func pruned(ctx context.Context, s *coppice.Session, v *timeline.View, edits []prune.Edit) (before, after int64, err error) {
	m, err := s.Measure(ctx, v)
	if err != nil {
		return 0, 0, err
	}
	drafts := make([]session.Draft, len(edits))
	for i, e := range edits {
		drafts[i] = e.Draft()
	}
	w, err := v.With(ctx, s.Log(), session.New(s.Log(), session.Options{}).Prepare(v.Leaf, drafts...)...)
	if err != nil {
		return 0, 0, err
	}
	size, err := w.Size(tokens.Default{}, 0)
	return m.Decision(), size.Decision(), err
}

// aboutPruning says how to see what was pruned, and how to switch that off.
func aboutPruning(ref, entry string, switches []string) string {
	return fmt.Sprintf("see one with coppice read %s en:%s, put it back with coppice unhide; switch off with %s", ref, entry, strings.Join(switches, ", "))
}

func (a *app) printPrune(ref string, switches []string, out pruneJSON) {
	if out.Reason != "" {
		a.say("nothing to prune: there is no old tool output worth pruning\n")
		return
	}
	for _, e := range out.Edits {
		a.say("%-17s %-12s %8s -> %s tokens\n", e.EntryID, e.Kind, thousands(e.Before), thousands(e.After))
	}
	verb, tokens := "saved", out.Saved
	if out.Outcome == "planned" {
		verb = "would save"
	}
	if tokens < 0 { // the stub of a small image is larger than the image
		verb, tokens = strings.NewReplacer("saved", "added", "save", "add").Replace(verb), -tokens
	}
	a.say("%s %s tokens in %d edits: the context has %s instead of %s\n", verb, thousands(tokens), len(out.Edits), thousands(out.TokensAfter), thousands(out.TokensBefore))
	if out.Outcome == "applied" {
		a.say("written to %s\n", out.File)
		ref = out.File
	}
	a.say("%s\n", aboutPruning(ref, out.Edits[0].EntryID, switches))
}
