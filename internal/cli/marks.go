package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/session"
)

// markJSON is the shape of pin, unpin, label and name (docs/cli.md).
type markJSON struct {
	Session  string `json:"session"`
	File     string `json:"file"`
	EntryID  string `json:"entryId"`
	TargetID string `json:"targetId,omitempty"`
}

// entryCall is what a command does with an entry of an open session.
type entryCall func(s *coppice.Session, ctx context.Context, id string) (*session.Entry, error)

func (a *app) pinCmd() *cobra.Command {
	return a.markCmd(groupContext, "pin SESSION ENTRY", "Keep an entry in every view, word for word",
		"Pin an entry, together with the group of tool calls and results it belongs to. It\nstays visible to the model word for word, however often the session is compacted.\nAll pins together may take up a quarter of the threshold.",
		"  coppice pin - 4f1c0a9b22d3e871", cobra.ExactArgs(2), func([]string) entryCall { return (*coppice.Session).Pin })
}

func (a *app) unpinCmd() *cobra.Command {
	return a.markCmd(groupContext, "unpin SESSION ENTRY", "Remove a pin",
		"Remove a pin. The entry is then treated like any other.",
		"  coppice unpin - 4f1c0a9b22d3e871", cobra.ExactArgs(2), func([]string) entryCall { return (*coppice.Session).Unpin })
}

func (a *app) labelCmd() *cobra.Command {
	return a.markCmd(groupLook, "label SESSION ENTRY [NAME]", "Name an entry",
		"Give an entry a name, which coppice tree shows. Without NAME the label is removed.",
		"  coppice label - 4f1c0a9b22d3e871 'before the rewrite'", cobra.RangeArgs(2, 3),
		func(args []string) entryCall {
			name := ""
			if len(args) > 2 {
				name = args[2]
			}
			return func(s *coppice.Session, ctx context.Context, id string) (*session.Entry, error) {
				return s.Label(ctx, id, name)
			}
		})
}

// markCmd makes a command that writes one entry about another.
func (a *app) markCmd(group, use, short, long, example string, args cobra.PositionalArgs, do func(args []string) entryCall) *cobra.Command {
	var asJSON bool
	cmd := command(group, use, short, long, example, args, func(cmd *cobra.Command, args []string) error {
		return a.callForEntry(cmd, args[0], args[1], do(args), asJSON)
	})
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (a *app) callForEntry(cmd *cobra.Command, ref, id string, do entryCall, asJSON bool) error {
	ctx := cmd.Context()
	s, err := a.open(ctx, ref, true)
	if err != nil {
		return err
	}
	defer s.Close()
	target, err := entryOf(ctx, s, id)
	if err != nil {
		return err
	}
	written, err := do(s, ctx, target.ID)
	if err != nil {
		return explain(cmd.Name()+" "+target.ID, err)
	}
	a.printMark(markJSON{Session: s.ID(), File: s.Ref(), EntryID: written.ID, TargetID: target.ID}, asJSON)
	return nil
}

func (a *app) printMark(m markJSON, asJSON bool) {
	if asJSON {
		a.json(m)
		return
	}
	a.say("written to %s as %s\n", m.File, m.EntryID)
}

func (a *app) nameCmd() *cobra.Command {
	var asJSON bool
	cmd := command(groupLook, "name SESSION TEXT", "Name a session",
		"Give a session a name, which coppice sessions shows. An empty TEXT removes the\nname.",
		"  coppice name - 'OAuth migration'", cobra.ExactArgs(2),
		func(cmd *cobra.Command, args []string) error {
			return a.name(cmd.Context(), args[0], args[1], asJSON)
		})
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (a *app) name(ctx context.Context, ref, text string, asJSON bool) error {
	s, err := a.open(ctx, ref, true)
	if err != nil {
		return err
	}
	defer s.Close()
	e, err := s.SetName(ctx, text)
	if err != nil {
		return explain("name "+s.Ref(), err)
	}
	a.printMark(markJSON{Session: s.ID(), File: s.Ref(), EntryID: e.ID}, asJSON)
	return nil
}
