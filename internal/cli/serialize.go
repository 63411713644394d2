package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/summarize"
	"github.com/coppice-dev/coppice/timeline"
)

func (a *app) serializeCmd() *cobra.Command {
	var from, to string
	cmd := command(groupLook, "serialize SESSION", "Print the conversation as a summarizer gets it",
		`Print the active path, or a part of it, as the transcript that a summarizer
gets: long results shortened, secrets masked, look-alikes of our markers escaped.`,
		"  coppice serialize - > transcript.txt\n  coppice serialize work.jsonl --from 4f1c --to 9b22", cobra.ExactArgs(1),
		func(cmd *cobra.Command, args []string) error {
			return a.serialize(cmd.Context(), args[0], from, to)
		})
	cmd.Flags().StringVar(&from, "from", "", "id of the first entry (default: the root)")
	cmd.Flags().StringVar(&to, "to", "", "id of the last entry (default: the leaf)")
	return cmd
}

func (a *app) serialize(ctx context.Context, ref, from, to string) error {
	s, err := a.open(ctx, ref, false)
	if err != nil {
		return err
	}
	defer s.Close()
	path, err := s.Path(ctx, nil)
	if err != nil {
		return explain("read "+s.Ref(), err)
	}
	first, last := 0, len(path)-1
	if first, err = placeOn(ctx, s, path, from, first); err != nil {
		return err
	}
	if last, err = placeOn(ctx, s, path, to, last); err != nil {
		return err
	}
	if first > last && len(path) > 0 {
		return usagef("--from %s comes after --to %s", from, to)
	}
	v, err := s.View(ctx)
	if err != nil {
		return explain("read "+s.Ref(), err)
	}
	msgs, err := listed(path, v)
	if err != nil {
		return explain("read "+s.Ref(), err)
	}
	text := summarize.SerializeConversation(msgs[first:last+1], summarize.SerializeOptions{Mask: a.masker()})
	if a.Terminal {
		text = visible(text)
	}
	a.say("%s\n", text)
	return nil
}

// placeOn finds the place of an entry on a path. It returns otherwise if no
// entry is named.
func placeOn(ctx context.Context, s *coppice.Session, path []*session.Entry, id string, otherwise int) (int, error) {
	if id == "" {
		return otherwise, nil
	}
	e, err := entryOf(ctx, s, id)
	if err != nil {
		return 0, err
	}
	i := slices.IndexFunc(path, func(p *session.Entry) bool { return p.ID == e.ID })
	if i < 0 {
		return 0, explain("entry "+id, fmt.Errorf("%w on the active path", session.ErrNotFound))
	}
	return i, nil
}

// listed returns what a summarizer gets of each entry of a path: what the view
// lists, and unchanged messages for the part before the view.
func listed(path []*session.Entry, v *timeline.View) ([]*message.Message, error) {
	before := make([]timeline.Item, len(path)-len(v.Path))
	for i, e := range path[:len(before)] {
		if e.Type != session.TypeCompaction && e.HasMessage() && e.Role() != message.RoleSystem && !e.Meta().Excluded {
			before[i].Entry = e
		}
	}
	items, err := v.Listed()
	if err != nil {
		return nil, err
	}
	return timeline.ItemMessages(append(before, items...))
}
