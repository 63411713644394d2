package compaction

import (
	"context"
	"fmt"

	"github.com/coppice-dev/coppice/internal/state"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/timeline"
)

// Comparison is two branches side by side.
type Comparison struct {
	Ancestor *session.Entry // where they part; nil: they have no common entry
	A, B     Side
}

// Side is what one branch did since it split from the other.
type Side struct {
	Leaf     *session.Entry // its last entry
	Entries  int
	Turns    int   // user messages
	Tokens   int64 // estimate of all messages
	Read     []string
	Modified []string
	Commands []*state.Item // latest run of each
	Outcome  string        // the last answer; "": there is none
}

// Compare returns what each of two branches did since they split, up to the
// entries a and b. It writes nothing.
func (c *Compactor) Compare(ctx context.Context, a, b string) (*Comparison, error) {
	if err := c.ready(ctx); err != nil {
		return nil, err
	}
	var ends [2]*session.Entry
	for i, id := range []string{a, b} {
		e, err := c.Session.Find(ctx, id, -1)
		if err != nil {
			return nil, fmt.Errorf("compare entry %q: %w", id, err)
		}
		ends[i] = e
	}
	ra, err := c.routeBetween(ctx, ends[0], ends[1])
	if err != nil {
		return nil, err
	}
	rb, err := c.routeBetween(ctx, ends[1], ends[0])
	if err != nil {
		return nil, err
	}
	out := &Comparison{Ancestor: ra.Ancestor}
	if out.A, err = c.side(ctx, ra); err != nil {
		return nil, err
	}
	if out.B, err = c.side(ctx, rb); err != nil {
		return nil, err
	}
	return out, nil
}

func (c *Compactor) side(ctx context.Context, r *Route) (Side, error) {
	s := Side{Leaf: r.OldLeaf, Entries: len(r.Left)}
	p, err := planBranch(r.Left, 0, c.estimator())
	if err != nil {
		return s, err
	}
	s.Tokens = p.Tokens
	msgs, err := timeline.ItemMessages(p.all)
	if err != nil {
		return s, err
	}
	for _, m := range msgs {
		switch {
		case m.Role == message.RoleUser:
			s.Turns++
		case m.Role == message.RoleAssistant && !m.Failed() && m.Text("") != "":
			s.Outcome = m.Text("\n")
		}
	}
	st, err := c.knowBranch(ctx, p)
	if err != nil {
		return s, err
	}
	s.Read, s.Modified = p.files(st).sorted()
	s.Commands = st.Of(state.Run)
	return s, nil
}
