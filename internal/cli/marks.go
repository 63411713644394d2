package cli

import (
	"context"
	"errors"
	"slices"

	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/tokens"
	"github.com/spf13/cobra"
)

// markJSON is the shape of pin, unpin, label and name (spec/cli.md).
type markJSON struct {
	Session  string `json:"session"`
	File     string `json:"file"`
	EntryID  string `json:"entryId"`
	TargetID string `json:"targetId,omitempty"`
}

// mark is what the four commands share: open, write one entry, report it.
type mark func(ctx context.Context, s *session.Session, target *session.Entry) (*session.Entry, error)

func (a *app) pinCmd() *cobra.Command {
	return a.markCmd(groupContext, "pin SESSION ENTRY", "Keep an entry in every view, word for word",
		"Pin an entry, with the whole group of tool calls and results that it belongs to:\nit stays visible to the model word for word, however often the session is\ncompacted. All pins together may take a quarter of the threshold.",
		"  coppice pin - 4f1c0a9b22d3e871", cobra.ExactArgs(2), func([]string) mark { return a.pin })
}

func (a *app) unpinCmd() *cobra.Command {
	return a.markCmd(groupContext, "unpin SESSION ENTRY", "Remove a pin",
		"Remove a pin. The entry is then treated like any other.",
		"  coppice unpin - 4f1c0a9b22d3e871", cobra.ExactArgs(2), func([]string) mark { return a.unpin })
}

func (a *app) labelCmd() *cobra.Command {
	return a.markCmd(groupLook, "label SESSION ENTRY [NAME]", "Name an entry",
		"Give an entry a name, by which coppice tree shows it. Without NAME the label is\nremoved.",
		"  coppice label - 4f1c0a9b22d3e871 'before the rewrite'", cobra.RangeArgs(2, 3),
		func(args []string) mark {
			name := ""
			if len(args) > 2 {
				name = a.masker()(args[2])
			}
			return func(ctx context.Context, s *session.Session, target *session.Entry) (*session.Entry, error) {
				return s.SetLabel(ctx, target.ID, name)
			}
		})
}

// markCmd makes a command that writes one entry about another.
func (a *app) markCmd(group, use, short, long, example string, args cobra.PositionalArgs, do func(args []string) mark) *cobra.Command {
	var asJSON bool
	cmd := command(group, use, short, long, example, args, func(cmd *cobra.Command, args []string) error {
		return a.mark(cmd, args[0], args[1], do(args), asJSON)
	})
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (a *app) mark(cmd *cobra.Command, ref, id string, do mark, asJSON bool) error {
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
	written, err := do(ctx, s, target)
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

// pin pins an entry with its tool group, if there is room.
func (a *app) pin(ctx context.Context, s *session.Session, target *session.Entry) (*session.Entry, error) {
	group, err := timeline.PinGroup(ctx, s, nil, target.ID)
	if err != nil {
		return nil, err
	}
	v, t, err := a.project(ctx, s, nil)
	if err != nil {
		return nil, err
	}
	if err := timeline.CheckPin(v, group, tokens.Default{}, t.settings.Threshold(t.model.Window)); err != nil {
		return nil, err
	}
	return appendOne(ctx, s, session.PinDraft(target.ID, true, timeline.Refs(group)))
}

// unpin takes the pin that holds an entry, which may be set on another member
// of its tool group.
func (a *app) unpin(ctx context.Context, s *session.Session, target *session.Entry) (*session.Entry, error) {
	v, _, err := a.project(ctx, s, nil)
	if err != nil {
		return nil, err
	}
	holds := func(r session.Ref) bool {
		return r.ID == target.ID || slices.ContainsFunc(r.Group, func(g session.Ref) bool { return g.ID == target.ID })
	}
	pins := v.PinRefs()
	i := slices.IndexFunc(pins, holds)
	if i < 0 {
		return nil, errors.New("it is not pinned")
	}
	return appendOne(ctx, s, session.PinDraft(pins[i].ID, false, nil))
}

func appendOne(ctx context.Context, s *session.Session, d session.Draft) (*session.Entry, error) {
	entries, err := s.Append(ctx, d)
	if err != nil {
		return nil, err
	}
	return entries[0], nil
}

func (a *app) nameCmd() *cobra.Command {
	var asJSON bool
	cmd := command(groupLook, "name SESSION TEXT", "Name a session",
		"Give a session a name, by which coppice sessions lists it. An empty TEXT removes\nthe name.",
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
	e, err := s.SetName(ctx, a.masker()(text))
	if err != nil {
		return explain("name "+s.Ref(), err)
	}
	a.printMark(markJSON{Session: s.ID(), File: s.Ref(), EntryID: e.ID}, asJSON)
	return nil
}
