package main

import (
	"context"
	"path/filepath"
	"strings"
	"time"

	"github.com/coppice-dev/coppice/internal/codec"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/internal/testkit/replay"
	"github.com/coppice-dev/coppice/internal/thread"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/provider"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/filestore"
	"github.com/coppice-dev/coppice/tokens"
)

// trace is a recorded session that can be replayed.
type trace struct {
	name  string
	model message.Model // that it ran on, as the catalogue knows it
	fixed int64         // system prompt and tools, in tokens
	path  []*session.Entry
}

func readTrace(ctx context.Context, file string) (*trace, error) {
	log, err := filestore.New(filepath.Dir(file), filestore.Options{}).Open(ctx, file, session.Mode{})
	if err != nil {
		return nil, err
	}
	defer log.Close()
	s := session.New(log, session.Options{})
	path, err := s.Path(ctx, nil)
	if err != nil {
		return nil, err
	}
	return newTrace(strings.TrimSuffix(filepath.Base(file), ".jsonl"), path), nil
}

func newTrace(name string, path []*session.Entry) *trace {
	t := &trace{name: name}
	known := false
	for _, e := range path {
		if e.Type == session.TypeCompaction || e.Type == session.TypeModelChange {
			continue // one model answers everything
		}
		t.path = append(t.path, e)
		if m := must.Get(e.Message()); m != nil {
			known = known || m.Role == message.RoleSystem
		}
	}
	first := -1
	for i, e := range t.path {
		m := must.Get(e.Message())
		if m == nil || m.Role != message.RoleAssistant {
			continue
		}
		t.model = provider.NewCatalog(provider.Config{}, nil).Lookup(m.Provider, m.Model)
		if first < 0 && isCall(e) && m.Usage.Prompt() > 0 {
			first = i
		}
	}
	if first >= 0 && !known {
		prompt := must.Get(t.path[first].Message()).Usage.Prompt()
		t.fixed = max(0, prompt-replay.Size(t.path[:first]))
	}
	return t
}

// isCall reports whether an entry is an answer of a model.
func isCall(e *session.Entry) bool {
	m := must.Get(e.Message())
	return m != nil && m.Role == message.RoleAssistant && !m.Failed()
}

// output is the billed output of an answer: the recorded count, which includes
// hidden thinking, else its size.
func output(m *message.Message) int64 {
	if m.Usage != nil && m.Usage.Output > 0 {
		return m.Usage.Output
	}
	return tokens.Default{}.Message(m)
}

// prompt is a system prompt of the size of the fixed part.
func (t *trace) prompt() session.Draft {
	return session.MessageDraft(&message.Message{Role: message.RoleSystem,
		Content: []message.Block{message.Text{Text: strings.Repeat("rule", int(t.fixed))}}})
}

// draft is an entry of the replay, where one model answers everything. What the
// provider counted then does not apply here: an answer gets the size of its
// request instead.
func (t *trace) draft(e *session.Entry, prompt int64) session.Draft {
	d := replay.Draft(e)
	m := rawjson.Get(d.Body, "message")
	switch {
	case m == nil:
	case isCall(e):
		u := &message.Usage{Input: prompt, Output: tokens.Default{}.Message(must.Get(e.Message()))}
		u.TotalTokens = u.Input + u.Output
		m = rawjson.Set(m, "usage", codec.EncodeUsage(u))
		m = rawjson.Set(rawjson.Set(m, "provider", rawjson.Quote(t.model.Provider)), "model", rawjson.Quote(t.model.ID))
		d.Body = rawjson.Set(d.Body, "message", m)
	default:
		d.Body = rawjson.Set(d.Body, "message", rawjson.Delete(m, "usage"))
	}
	return d
}

// play replays a trace in a window, under a policy. It returns the calls that
// were made.
func play(ctx context.Context, t *trace, window int64, p policy) (*stage, error) {
	s, err := newStage(t, window)
	if err != nil {
		return nil, err
	}
	if t.fixed > 0 {
		if err := s.append(ctx, t.prompt()); err != nil {
			return nil, err
		}
	}
	var at time.Time
	for _, e := range t.path {
		prompt := int64(0)
		if isCall(e) {
			if err := p.reduce(ctx, s, at); err != nil {
				return nil, err
			}
			if prompt, err = s.call(ctx, at, output(must.Get(e.Message()))); err != nil {
				return nil, err
			}
		}
		if err := s.append(ctx, t.draft(e, prompt)); err != nil {
			return nil, err
		}
		if thread.IsMessage(e) {
			at = e.Time
		}
		if m := must.Get(e.Message()); m != nil && m.FinalAnswer() {
			if err := p.reduce(ctx, s, at); err != nil {
				return nil, err
			}
		}
	}
	return s, nil
}
