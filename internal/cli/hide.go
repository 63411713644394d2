package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/spf13/cobra"
)

func (a *app) hideCmd() *cobra.Command {
	return a.markCmd(groupContext, "hide SESSION PATH", "Leave an entry out of what the model sees",
		`Leave an entry out of the view. It stays in the file and can be read. Hiding an
answer hides its calls and their results too. A hidden tool result leaves a note,
because its call needs a result.`,
		"  coppice hide - en:4f1c0a9b22d3e871", cobra.ExactArgs(2), func([]string) mark { return a.hide })
}

func (a *app) unhideCmd() *cobra.Command {
	return a.markCmd(groupContext, "unhide SESSION PATH", "Show an entry to the model as it was said",
		"Show an entry again as it is in the file, whether it was hidden, pruned or\nshortened.",
		"  coppice unhide - en:4f1c0a9b22d3e871", cobra.ExactArgs(2), func([]string) mark { return a.unhide })
}

func (a *app) hide(ctx context.Context, s *session.Session, target *session.Entry) (*session.Entry, error) {
	v, err := a.editable(ctx, s, target)
	if err != nil {
		return nil, err
	}
	if ed := v.EditOf(target.ID); ed != nil && ed.Omit {
		return nil, errors.New("it is hidden already")
	}
	return appendOne(ctx, s, session.OmitDraft(target.ID))
}

// unhide puts the original back: an edit with the content that stands in the
// log counts as none (spec/context.md).
func (a *app) unhide(ctx context.Context, s *session.Session, target *session.Entry) (*session.Entry, error) {
	v, err := a.editable(ctx, s, target)
	if err != nil {
		return nil, err
	}
	if v.EditOf(target.ID) == nil {
		return nil, errors.New("it is shown as it was said")
	}
	m, err := target.Message()
	if err != nil {
		return nil, err
	}
	return appendOne(ctx, s, session.EditDraft(target.ID, m.Content))
}

// editable is the view in which an entry may be edited (spec/context.md,
// Projection 6): a message on the active path that is not covered or pinned.
func (a *app) editable(ctx context.Context, s *session.Session, target *session.Entry) (*timeline.View, error) {
	v, _, err := a.project(ctx, s, nil)
	if err != nil {
		return nil, err
	}
	on := slices.ContainsFunc(v.Path, func(e *session.Entry) bool { return e.ID == target.ID && e.At == target.At })
	switch o := target.Outline(); {
	case !on:
		return nil, fmt.Errorf("%w in what the model sees of the active path", session.ErrNotFound)
	case v.Pinned(target.ID):
		return nil, errors.New("it is pinned")
	case o == nil || !slices.Contains([]message.Role{message.RoleUser, message.RoleAssistant, message.RoleToolResult, message.RoleCustom}, o.Role):
		return nil, errors.New("it is not a message of the conversation")
	}
	return v, nil
}
