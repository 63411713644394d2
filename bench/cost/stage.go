package main

import (
	"context"
	"hash/maphash"
	"strings"
	"sync"
	"time"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/internal/codec"
	"github.com/coppice-dev/coppice/internal/render"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/memstore"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/tokens"
)

// call is a model call as a provider bills it.
type call struct {
	at       time.Time
	parts    []part // system prompt, parameters, messages
	marks    []int  // cache points: indices in parts; each covers everything up to it
	output   int64
	detached bool // asks for nothing to be cached
	summary  bool // for a compaction
}

// part is a piece of a request, compared as a whole.
type part struct {
	id     uint64
	size   int64 // tokens
	places int   // positions that it takes when a provider looks back for a cached prefix
}

func (c call) size() int64 {
	var n int64
	for _, p := range c.parts {
		n += p.size
	}
	return n
}

// stage is a session that is being replayed.
type stage struct {
	log   session.Log
	model message.Model

	mu    sync.Mutex // parts of a summary are requested concurrently
	calls []call
	seed  maphash.Seed
	known map[*message.Message]part
}

// now is the time of entries that the replay adds. It is before everything
// recorded, so no cache expires because of them.
func now() time.Time { return time.Unix(0, 0) }

func newStage(t *trace, window int64) (*stage, error) {
	log, err := memstore.New(now).Create(context.Background(), session.Header{Cwd: "/"})
	if err != nil {
		return nil, err
	}
	m := t.model
	m.Window = window
	if m.MaxOutput >= window {
		m.MaxOutput = 0
	}
	return &stage{log: log, model: m, seed: maphash.MakeSeed(), known: map[*message.Message]part{}}, nil
}

// engine returns an engine over the session, with options.
func (s *stage) engine(o coppice.Options) (*coppice.Session, error) {
	o.Facts, o.Now = s.model, now
	return coppice.New(s.log, o)
}

func (s *stage) project(ctx context.Context) (*timeline.View, error) {
	e, err := s.engine(coppice.Options{})
	if err != nil {
		return nil, err
	}
	return e.View(ctx)
}

func (s *stage) append(ctx context.Context, drafts ...session.Draft) error {
	_, err := session.New(s.log, session.Options{Now: now}).Append(ctx, drafts...)
	return err
}

// call sends the current view and returns its size in tokens.
func (s *stage) call(ctx context.Context, at time.Time, output int64) (int64, error) {
	v, err := s.project(ctx)
	if err != nil {
		return 0, err
	}
	req, err := v.Request(true)
	req.CachePoints = render.CachePoints(req.Messages)
	if err != nil {
		return 0, err
	}
	return s.send(call{at: at, output: output}, req, v.Thinking()), nil
}

// send records a call with its request.
func (s *stage) send(c call, req timeline.Request, thinking string) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	head := part{id: s.hash(req.System), size: tokens.Default{}.Text(req.System) + tokens.Tools(req.Tools)}
	for _, t := range req.Tools {
		head.id ^= s.hash(string(codec.EncodeTool(t)))
	}
	// A changed thinking level invalidates the messages and leaves the prompt.
	c.parts = append(c.parts, head, part{id: s.hash(thinking)})
	if req.System != "" {
		c.marks = append(c.marks, 0)
	}
	for i, m := range req.Messages {
		p := s.part(m)
		if p.places = places(m); i > 0 && m.Role == message.RoleToolResult && req.Messages[i-1].Role == message.RoleToolResult {
			p.places = 0 // results of one batch are one position
		}
		c.parts = append(c.parts, p)
	}
	for _, i := range req.CachePoints {
		c.marks = append(c.marks, i+2)
	}
	s.calls = append(s.calls, c)
	return c.size()
}

func (s *stage) part(m *message.Message) part {
	if p, ok := s.known[m]; ok {
		return p
	}
	p := part{id: s.hash(string(m.Role), m.ToolCallID, string(codec.EncodeContent(m.Content))), size: tokens.Default{}.Message(m)}
	s.known[m] = p
	return p
}

func (s *stage) hash(texts ...string) uint64 {
	return maphash.String(s.seed, strings.Join(texts, "\x00"))
}

// places counts blocks; all calls of a message count as one.
func places(m *message.Message) int {
	if m.Role == message.RoleToolResult {
		return 1
	}
	n, calls := 0, 0
	for _, b := range m.Content {
		if _, ok := b.(message.ToolCall); ok {
			calls = 1
			continue
		}
		n++
	}
	return n + calls
}
