package main

import (
	"context"
	"fmt"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/bench/internal/stage"
	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
)

// The arms: who writes the summary.
const (
	extraction = "extraction"
	headTail   = "head + tail"
	ownSummary = "own summary"
)

// arm is a summary, next to the rest of what the reader sees.
type arm struct {
	summary, rest string
	tokens        int64 // of the summary
}

// arms makes the summaries of a case.
func (c *handCase) arms(ctx context.Context) (map[string]arm, error) {
	s, cut, err := c.play(ctx)
	if err != nil {
		return nil, err
	}
	applied, err := s.Compact(ctx, 0, cut)
	if err != nil {
		return nil, err
	}
	if !applied {
		return nil, fmt.Errorf("nothing was compacted")
	}
	return armsOf(s), nil
}

// armsOf are the summaries at the place of the latest compaction.
func armsOf(s *stage.Stage) map[string]arm {
	heads := &stage.HeadAndTail{}
	heads.Take(s.Covered, stage.Size(s.Summary))
	return map[string]arm{
		extraction: {s.Summary, s.Visible, stage.Size(s.Summary)},
		headTail:   {heads.Text, s.Tail, stage.Size(heads.Text)},
	}
}

// play makes a session of a case, and returns the last entry before the cut.
func (c *handCase) play(ctx context.Context) (s *stage.Stage, cut string, err error) {
	if s, err = stage.New(c.cwd); err != nil {
		return nil, "", err
	}
	var leaf *session.Entry
	fork, left := "", ""
	for i, p := range c.parts {
		if drafts := c.drafts(p, i); len(drafts) > 0 {
			if leaf, err = s.Append(ctx, drafts...); err != nil {
				return nil, "", err
			}
		}
		switch p.then {
		case "%cut":
			cut = leaf.ID
		case "%branch":
			fork = leaf.ID
		case "%back", "%back summary":
			left = leaf.ID
			leaf, err = navigate(ctx, s, func(e *coppice.Session) (*compaction.Navigated, error) {
				return e.Navigate(ctx, compaction.Navigation{Target: fork, Summarize: new(p.then == "%back summary")})
			})
		case "%merge":
			leaf, err = navigate(ctx, s, func(e *coppice.Session) (*compaction.Navigated, error) {
				return e.Merge(ctx, compaction.Merge{From: left})
			})
		}
		if err != nil {
			return nil, "", err
		}
	}
	return s, cut, nil
}

// drafts are the messages of a part; calls have ids of their own in each.
func (c *handCase) drafts(p part, n int) []session.Draft {
	var out []session.Draft
	for _, m := range p.scene.Messages() {
		for i, b := range m.Content {
			if call, ok := b.(message.ToolCall); ok {
				call.ID = fmt.Sprintf("%s_%d", call.ID, n)
				m.Content[i] = call
			}
		}
		if m.ToolCallID != "" {
			m.ToolCallID = fmt.Sprintf("%s_%d", m.ToolCallID, n)
		}
		if m.Role == message.RoleCustom {
			out = append(out, session.CustomMessageDraft(m.CustomType, m.Content))
			continue
		}
		out = append(out, session.MessageDraft(m))
	}
	return out
}

// navigate moves the session, and returns where it is then.
func navigate(ctx context.Context, s *stage.Stage, move func(*coppice.Session) (*compaction.Navigated, error)) (*session.Entry, error) {
	e, err := s.Engine()
	if err != nil {
		return nil, err
	}
	out, err := move(e)
	if err != nil {
		return nil, err
	}
	if out.Status != compaction.Applied {
		return nil, fmt.Errorf("%s: %s", out.Reason, out.Detail)
	}
	return out.Leaf, nil
}
