// Package stage replays conversations into an empty session and compacts them
// there by extraction, for measurements of what is left of them.
package stage

import (
	"context"
	"strings"
	"time"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/internal/testkit/replay"
	"github.com/coppice-dev/coppice/internal/thread"
	"github.com/coppice-dev/coppice/ledger"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/memstore"
	"github.com/coppice-dev/coppice/timeline"
)

// Stage is a session that is being replayed. The fields describe the result of
// the latest compaction.
type Stage struct {
	log session.Log

	Summary string
	Covered []ledger.Source // messages before the first kept entry
	Visible string          // everything the model sees
	Tail    string          // the part of Visible that was kept
	Budget  int64           // tokens of the rest of Visible
}

func now() time.Time { return time.Unix(0, 0) }

// New returns an empty session with a working directory.
func New(cwd string) (*Stage, error) {
	log, err := memstore.New(now).Create(context.Background(), session.Header{Cwd: cwd})
	if err != nil {
		return nil, err
	}
	return &Stage{log: log}, nil
}

// Grow appends entries.
func (s *Stage) Grow(ctx context.Context, part []*session.Entry) error {
	_, err := s.Append(ctx, replay.Drafts(part)...)
	return err
}

// Append appends drafts, and returns the last of their entries.
func (s *Stage) Append(ctx context.Context, drafts ...session.Draft) (*session.Entry, error) {
	entries, err := session.New(s.log, session.Options{Now: now}).Append(ctx, drafts...)
	if err != nil || len(entries) == 0 {
		return nil, err
	}
	return entries[len(entries)-1], nil
}

// Engine is the engine over the session. Closing it closes the session.
func (s *Stage) Engine() (*coppice.Session, error) {
	return coppice.New(s.log, coppice.Options{Facts: message.Model{Window: 200_000, MaxOutput: 16_384}, Mask: strings.Clone, Now: now})
}

// Compact compacts by extraction, up to the entry to if it is set. It reports
// whether there was something to gain.
func (s *Stage) Compact(ctx context.Context, keep int64, to string) (bool, error) {
	e, err := s.Engine()
	if err != nil {
		return false, err
	}
	req := compaction.Request{Trigger: compaction.Overflow, To: to} // whatever it gains
	if to == "" {
		req.Keep = &keep
	}
	out, err := e.Compact(ctx, req)
	if err != nil || out.Status != compaction.Applied {
		return false, err
	}
	s.Summary = out.Summary
	s.look(out.View)
	return true, s.cover(ctx, e, out.Plan.FirstKept)
}

// look splits what the model sees into the kept tail and the rest.
func (s *Stage) look(v *timeline.View) {
	var rest, tail []string
	for _, it := range v.Items {
		text := PlainText(timeline.ToLLM(must.Get(it.Message())))
		if it.Pos >= 0 {
			tail = append(tail, text)
		} else {
			rest = append(rest, text)
		}
	}
	s.Tail = strings.Join(tail, "\n\n")
	covered := strings.Join(rest, "\n\n")
	s.Visible, s.Budget = covered+"\n\n"+s.Tail, Size(covered)
}

// cover lists the messages before the first kept entry.
func (s *Stage) cover(ctx context.Context, e *coppice.Session, firstKept *session.Entry) error {
	path, err := e.Path(ctx, nil)
	if err != nil {
		return err
	}
	s.Covered = nil
	for _, e := range path {
		if firstKept != nil && e.ID == firstKept.ID {
			break
		}
		if thread.IsMessage(e) && e.Type != session.TypeCompaction {
			s.Covered = append(s.Covered, ledger.Source{EntryID: e.ID, Message: must.Get(e.Message())})
		}
	}
	return nil
}

// PlainText is all readable text of a message: texts, names and arguments of
// calls, results.
func PlainText(m *message.Message) string {
	if m == nil {
		return ""
	}
	parts := []string{m.Text("\n")}
	for _, c := range m.ToolCalls() {
		parts = append(parts, c.Name, values(c.Arguments, 8))
	}
	return strings.TrimSpace(strings.Join(parts, "\n"))
}

// values are the strings and numbers of a JSON value, without its quoting.
func values(v []byte, depth int) string {
	var parts []string
	switch kind := rawjson.Kind(v); {
	case kind == '"':
		return rawjson.String(v)
	case kind == '{' && depth > 0:
		for name, e := range rawjson.Members(v) {
			parts = append(parts, name+": "+values(e, depth-1))
		}
	case kind == '[' && depth > 0:
		for e := range rawjson.Elements(v) {
			parts = append(parts, values(e, depth-1))
		}
	default:
		return string(v)
	}
	return strings.Join(parts, "\n")
}
