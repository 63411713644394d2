package cli

import (
	"context"
	"strings"

	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/state"
	"github.com/spf13/cobra"
)

func (a *app) stateCmd() *cobra.Command {
	var at string
	var asJSON bool
	cmd := command(groupLook, "state SESSION", "Say what is true at the end of a session",
		"List what holds at the session's leaf, or at an entry: the current request, the rules,\nwhat failed and is still broken, how runs ended, what was changed, decided and left open.",
		"  coppice state -\n  coppice state work.jsonl --at 1a2b3c4d --json", cobra.ExactArgs(1),
		func(cmd *cobra.Command, args []string) error {
			return a.state(cmd.Context(), args[0], at, asJSON)
		})
	cmd.Flags().StringVar(&at, "at", "", "say it for this entry instead of the session's leaf")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON, what has ended included")
	return cmd
}

func (a *app) state(ctx context.Context, ref, at string, asJSON bool) error {
	s, err := a.open(ctx, ref, false)
	if err != nil {
		return err
	}
	defer s.Close()
	var leaf *session.Entry
	if at != "" {
		if leaf, err = entryOf(ctx, s, at); err != nil {
			return err
		}
	}
	w := a.work("reading " + s.Ref())
	defer w.stop()
	if leaf == nil {
		if leaf, err = s.Leaf(ctx); err != nil {
			return explain("read "+s.Ref(), err)
		}
	}
	st, err := promptly(ctx, func() (*state.State, error) { return s.State(ctx, leaf) })
	if err != nil {
		return explain("read "+s.Ref(), err)
	}
	w.stop()
	out := stateOf(st, leaf)
	if asJSON {
		a.json(out)
		return nil
	}
	a.printState(out)
	return nil
}

// stateJSON is the shape of `state --json`.
type stateJSON struct {
	LeafID *string     `json:"leafId"`
	Line   string      `json:"line"`
	Items  []stateItem `json:"items"`
}

type stateItem struct {
	Kind    string   `json:"kind"`
	Text    string   `json:"text"`
	Note    string   `json:"note,omitempty"`
	Before  string   `json:"before,omitempty"`
	Life    string   `json:"life"`
	Why     string   `json:"why,omitempty"`
	Git     string   `json:"git,omitempty"`
	Entries []string `json:"entries"`
}

func stateOf(st *state.State, leaf *session.Entry) stateJSON {
	out := stateJSON{Line: st.Line(), Items: []stateItem{}}
	if leaf != nil {
		out.LeafID = &leaf.ID
	}
	for i := range st.Items {
		it := &st.Items[i]
		out.Items = append(out.Items, stateItem{Kind: string(it.Kind), Text: it.Text, Note: it.Note, Before: it.Before, Life: string(it.Life), Why: it.Why, Git: string(it.Git), Entries: append([]string{}, it.Entries()...)})
	}
	return out
}

func (a *app) printState(out stateJSON) {
	kind := ""
	if out.Line != "" {
		a.say("%s\n\n", visible(out.Line))
	}
	for _, it := range out.Items {
		if it.Kind != kind {
			kind = it.Kind
			a.say("%s\n", kind)
		}
		line := "  " + it.Life + ": " + strings.Join(strings.Fields(it.Text), " ")
		if it.Note != "" {
			line += " — " + it.Note
		}
		a.say("%s\n", visible(line))
	}
}
