package main

import (
	"context"
	"strings"
	"time"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/internal/ledger"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/internal/testkit/replay"
	"github.com/coppice-dev/coppice/internal/thread"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/memstore"
	"github.com/coppice-dev/coppice/timeline"
)

// stage is a session that is being replayed. The fields after log describe the
// result of the latest compaction.
type stage struct {
	log session.Log

	covered []ledger.Source // messages before the first kept entry
	visible string          // everything the model sees
	tail    string          // the part of visible that was kept
	budget  int64           // tokens of the rest of visible
}

func now() time.Time { return time.Unix(0, 0) }

func newStage() (*stage, error) {
	log, err := memstore.New(now).Create(context.Background(), session.Header{Cwd: "/"})
	if err != nil {
		return nil, err
	}
	return &stage{log: log}, nil
}

func (s *stage) grow(ctx context.Context, part []*session.Entry) error {
	_, err := session.New(s.log, session.Options{Now: now}).Append(ctx, replay.Drafts(part)...)
	return err
}

// compact compacts by extraction, up to the entry to if it is set. It reports
// whether there was something to gain.
func (s *stage) compact(ctx context.Context, keep int64, to string) (bool, error) {
	e, err := coppice.New(s.log, coppice.Options{Facts: message.Model{Window: 200_000, MaxOutput: 16_384}, Mask: strings.Clone, Now: now})
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
	s.look(out.View)
	return true, s.cover(ctx, e, out.Plan.FirstKept)
}

// look splits what the model sees into the kept tail and the rest.
func (s *stage) look(v *timeline.View) {
	var rest, tail []string
	for _, it := range v.Items {
		text := plainText(timeline.ToLLM(must.Get(it.Message())))
		if it.Pos >= 0 {
			tail = append(tail, text)
		} else {
			rest = append(rest, text)
		}
	}
	s.tail = strings.Join(tail, "\n\n")
	covered := strings.Join(rest, "\n\n")
	s.visible, s.budget = covered+"\n\n"+s.tail, size(covered)
}

// cover lists the messages before the first kept entry.
func (s *stage) cover(ctx context.Context, e *coppice.Session, firstKept *session.Entry) error {
	path, err := e.Path(ctx, nil)
	if err != nil {
		return err
	}
	s.covered = nil
	for _, e := range path {
		if firstKept != nil && e.ID == firstKept.ID {
			break
		}
		if thread.IsMessage(e) && e.Type != session.TypeCompaction {
			s.covered = append(s.covered, ledger.Source{EntryID: e.ID, Message: must.Get(e.Message())})
		}
	}
	return nil
}

// plainText is all readable text of a message: texts, names and arguments of
// calls, results.
func plainText(m *message.Message) string {
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
