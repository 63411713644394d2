// Package memstore keeps sessions in memory, for tests and for sessions that
// are not kept. It behaves like the file store, without files: a log is in the
// store from the first user or assistant message on, has one writer at a time,
// and can be opened again after it is closed.
package memstore

import (
	"context"
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coppice-dev/coppice/internal/guard"
	"github.com/coppice-dev/coppice/session"
)

// store holds sessions in memory. It is safe for concurrent use. The zero
// value is not usable: call New.
type store struct {
	now func() time.Time

	mu       sync.Mutex
	sessions map[string]*record
}

var _ session.Store = (*store)(nil)

// record is a session; its Store's mutex guards it.
type record struct {
	header  session.Header
	entries []*session.Entry
	byID    map[string]int // position of the entry with an id
	parents []int          // position of each entry's parent, -1 at a root
	writer  *openLog
	since   time.Time
}

// New returns an empty store. now may be nil: time.Now.
func New(now func() time.Time) session.Store {
	if now == nil {
		now = time.Now
	}
	return &store{now: now, sessions: map[string]*record{}}
}

// Create starts an empty session; it is in the store from the first user or
// assistant message on.
func (s *store) Create(ctx context.Context, h session.Header) (session.Log, error) {
	if err := guard.Ready(ctx); err != nil {
		return nil, err
	}
	h = h.Complete(s.now())
	l := &openLog{store: s, write: true, rec: &record{header: h, byID: map[string]int{}, since: s.now()}}
	l.rec.writer = l
	return l, nil
}

// Open opens a session by its id or by a prefix that no other id begins with.
func (s *store) Open(ctx context.Context, ref string, mode session.Mode) (session.Log, error) {
	if err := guard.Ready(ctx); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	rec, err := s.find(ref)
	if err != nil {
		return nil, err
	}
	l := &openLog{store: s, write: mode.Write, rec: rec}
	if mode.Write {
		if err := rec.free(); err != nil {
			return nil, err
		}
		rec.writer, rec.since = l, s.now()
	}
	return l, nil
}

func (s *store) find(ref string) (*record, error) {
	if rec := s.sessions[ref]; rec != nil {
		return rec, nil
	}
	var ids []string
	for id := range s.sessions {
		if ref != "" && strings.HasPrefix(id, ref) {
			ids = append(ids, id)
		}
	}
	switch len(ids) {
	case 0:
		return nil, fmt.Errorf("session %q: %w", ref, session.ErrNotFound)
	case 1:
		return s.sessions[ids[0]], nil
	}
	slices.Sort(ids)
	return nil, &session.AmbiguousError{Prefix: ref, Candidates: ids}
}

// free returns a *session.LockedError while another log is writing.
func (r *record) free() error {
	if r.writer == nil {
		return nil
	}
	host, _ := os.Hostname()
	return &session.LockedError{Ref: r.header.ID, PID: os.Getpid(), Host: host, Since: r.since}
}

// List walks the sessions, newest first.
func (s *store) List(ctx context.Context) iter.Seq2[session.Info, error] {
	return func(yield func(session.Info, error) bool) {
		for _, info := range s.infos() {
			if err := guard.Ready(ctx); err != nil {
				yield(session.Info{}, err)
				return
			}
			if !yield(info, nil) {
				return
			}
		}
	}
}

func (s *store) infos() []session.Info {
	s.mu.Lock()
	defer s.mu.Unlock()
	infos := make([]session.Info, 0, len(s.sessions))
	for id, rec := range s.sessions {
		h := rec.header
		info := session.Info{Ref: id, ID: id, Cwd: h.Cwd, Created: h.Time, Modified: h.Time, Bytes: int64(len(h.Raw)) + 1}
		for _, e := range rec.entries {
			raw, _ := e.Raw() // in memory
			info.Bytes += int64(len(raw)) + 1
		}
		info.Describe(rec.entries, nil)
		infos = append(infos, info)
	}
	slices.SortFunc(infos, func(a, b session.Info) int {
		if c := b.Modified.Compare(a.Modified); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	return infos
}

// Delete removes a session. One that is open for writing is not removed.
func (s *store) Delete(_ context.Context, ref string, _ session.Mode) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	rec, err := s.find(ref)
	if err != nil {
		return err
	}
	if err := rec.free(); err != nil {
		return err
	}
	delete(s.sessions, rec.header.ID)
	return nil
}
