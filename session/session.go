package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/coppice-dev/coppice/internal/fsx"
	"github.com/coppice-dev/coppice/internal/guard"
	"github.com/coppice-dev/coppice/internal/kinds"
)

// Session is a log with a place in it: the leaf, where the conversation
// continues. It is safe for concurrent use. The zero value is not usable: call
// New.
type Session struct {
	log Log
	now func() time.Time

	busy   guard.Lock      // held while the log is written or its end is read; guards what follows
	at     bool            // leaf is set
	leaf   *Entry          // nil: before the first entry
	failed map[string]bool // ids of entries whose append failed; it may have left some in the log
	growth []growth        // what the watchers do not know yet

	mu      sync.Mutex // guards watches
	watches []func(foreign []*Entry, joined bool)
}

// Options configure a Session.
type Options struct {
	Now func() time.Time // nil: time.Now
}

// New returns the session of a log. Closing it closes the log. Without a log
// (nil) every call fails with ErrNil.
func New(log Log, opts Options) *Session {
	if log == nil {
		log = noLog{}
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	return &Session{log: log, now: opts.Now}
}

// Log returns the log below the session.
func (s *Session) Log() Log { return s.log }

// ID returns the session id.
func (s *Session) ID() string { return s.log.Header().ID }

// Ref names the session in its store: a path for files. It changes when the
// first write to a file of format 1 creates a new file next to it.
func (s *Session) Ref() string { return s.log.Ref() }

// Close closes the log.
func (s *Session) Close() error { return s.log.Close() }

// OnForeign makes the session call f with entries that other programs appended
// while it was open, in log order, after the append that noticed them. joined
// says that they continue this conversation, which now goes on after them;
// otherwise they are on a branch of their own. f is called in the goroutine of
// that append, and may use the session.
func (s *Session) OnForeign(f func(foreign []*Entry, joined bool)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watches = append(s.watches, f)
}

// lock waits for calls that are writing. It fails, with the cause, if ctx ends
// first.
func (s *Session) lock(ctx context.Context) error {
	if err := s.busy.Lock(ctx); err != nil {
		return fmt.Errorf("waiting for another call that writes: %w", err)
	}
	return nil
}

// unlock ends a call that may have appended, and tells the watchers about
// foreign entries.
func (s *Session) unlock() {
	growth := s.growth
	s.growth = nil
	s.busy.Unlock()
	s.mu.Lock()
	watches := s.watches
	s.mu.Unlock()
	for _, g := range growth {
		for _, f := range watches {
			f(g.entries, g.joined)
		}
	}
}

// Leaf returns where the conversation is, or nil in an empty session.
func (s *Session) Leaf(ctx context.Context) (*Entry, error) {
	if err := s.lock(ctx); err != nil {
		return nil, err
	}
	defer s.busy.Unlock()
	return s.leafLocked(ctx)
}

func (s *Session) leafLocked(ctx context.Context) (*Entry, error) {
	if s.at {
		return s.leaf, nil
	}
	leaf, err := s.log.Leaf(ctx)
	if err != nil {
		return nil, err
	}
	s.leaf, s.at = leaf, true
	return leaf, nil
}

// Parent returns the parent of e, or nil at a root.
func (s *Session) Parent(ctx context.Context, e *Entry) (*Entry, error) {
	return s.log.Parent(ctx, e)
}

// Find returns an entry by id; at is a place in the log that is tried first, or
// -1.
func (s *Session) Find(ctx context.Context, id string, at int64) (*Entry, error) {
	return s.log.Find(ctx, id, at)
}

// Path returns the entries from the root to leaf (nil: the session's leaf).
// It reads the whole path; a projection reads only what it needs.
func (s *Session) Path(ctx context.Context, leaf *Entry) ([]*Entry, error) {
	if leaf == nil {
		var err error
		if leaf, err = s.Leaf(ctx); err != nil {
			return nil, err
		}
	}
	var path []*Entry
	for e := leaf; e != nil; {
		path = append(path, e)
		next, err := s.log.Parent(ctx, e)
		if err != nil {
			return nil, err
		}
		e = next
	}
	for i, j := 0, len(path)-1; i < j; i, j = i+1, j-1 {
		path[i], path[j] = path[j], path[i]
	}
	return path, nil
}

// Append adds drafts as a chain under the leaf, all or none, and makes the last
// one the leaf. If other programs have continued the conversation meanwhile, it
// goes on after their entries. When it returns without an error, the entries are
// in the log, durably.
func (s *Session) Append(ctx context.Context, drafts ...Draft) ([]*Entry, error) {
	if len(drafts) == 0 {
		return nil, nil
	}
	if err := s.lock(ctx); err != nil {
		return nil, err
	}
	defer s.unlock()
	if _, err := s.look(ctx); err != nil {
		return nil, err
	}
	leaf, err := s.leafLocked(ctx)
	if err != nil {
		return nil, err
	}
	entries := s.Prepare(leaf, drafts...)
	return entries, s.commitLocked(ctx, entries)
}

// appendTo adds drafts as a chain under parent (nil: as a root) and makes the
// last one the leaf. This is how a branch begins.
func (s *Session) appendTo(ctx context.Context, parent *Entry, drafts ...Draft) ([]*Entry, error) {
	if err := s.lock(ctx); err != nil {
		return nil, err
	}
	defer s.unlock()
	if _, err := s.leafLocked(ctx); err != nil {
		return nil, err
	}
	entries := s.Prepare(parent, drafts...)
	return entries, s.commitLocked(ctx, entries)
}

// Prepare makes the entries that drafts would become as a chain under parent,
// without writing them. Commit writes them; until then timeline.View.With
// shows what they would change.
func (s *Session) Prepare(parent *Entry, drafts ...Draft) []*Entry {
	id := ""
	if parent != nil {
		id = parent.ID
	}
	now := s.now()
	entries := make([]*Entry, len(drafts))
	for i, d := range drafts {
		entries[i] = d.entry(id, now)
		id = entries[i].ID
	}
	return entries
}

// ErrLeafMoved says that the conversation has moved since the entries were
// prepared: to another branch, or on to what another program appended.
var ErrLeafMoved = errors.New("the conversation has moved on")

// Commit writes prepared entries if their parent is still the leaf, and makes
// the last one the leaf. It fails with ErrLeafMoved otherwise.
func (s *Session) Commit(ctx context.Context, entries []*Entry) error {
	if len(entries) == 0 {
		return nil
	}
	return s.commitIf(ctx, entries[0].ParentID, entries)
}

// CommitFrom writes prepared entries, wherever in the tree their parent is, if
// leaf (nil: before the first entry) is still the leaf, and makes the last one
// the leaf.
func (s *Session) CommitFrom(ctx context.Context, leaf *Entry, entries []*Entry) error {
	id := ""
	if leaf != nil {
		id = leaf.ID
	}
	return s.commitIf(ctx, id, entries)
}

// commitIf writes entries if the leaf is the one with that id ("": there is none).
func (s *Session) commitIf(ctx context.Context, id string, entries []*Entry) error {
	if err := s.lock(ctx); err != nil {
		return err
	}
	defer s.unlock()
	leaf, err := s.leafLocked(ctx)
	if err != nil {
		return err
	}
	if leaf == nil && id != "" || leaf != nil && id != leaf.ID {
		return ErrLeafMoved
	}
	if moved, err := s.look(ctx); err != nil {
		return err
	} else if moved {
		return ErrLeafMoved
	}
	return s.commitLocked(ctx, entries)
}

func (s *Session) commitLocked(ctx context.Context, entries []*Entry) error {
	if len(entries) == 0 {
		return nil
	}
	if err := guard.Given("the context", ctx); err != nil {
		return err
	}
	foreign, err := s.log.Append(ctx, entries)
	s.note(foreign, false)
	if err != nil && (errors.Is(err, fsx.ErrNotSynced) || !s.written(ctx, entries)) {
		s.noteFailed(entries)
		return err
	}
	s.leaf = entries[len(entries)-1]
	return nil
}

// written reports whether entries are in the log although their append failed,
// as when a database commits and its answer is lost. Repeating such an append
// would write the same words twice.
func (s *Session) written(ctx context.Context, entries []*Entry) bool {
	last := entries[len(entries)-1]
	found, err := s.log.Find(context.WithoutCancel(ctx), last.ID, -1)
	if err != nil || found == nil {
		return false
	}
	there, err := found.Raw()
	ours, ownErr := last.Raw()
	return err == nil && ownErr == nil && bytes.Equal(there, ours)
}

// MoveTo continues the conversation at e (nil: before the first entry). The
// move is an entry of the log, so it survives a restart. Moving to the leaf
// does nothing.
func (s *Session) MoveTo(ctx context.Context, e *Entry) error {
	leaf, err := s.Leaf(ctx)
	if err != nil {
		return err
	}
	if leaf == e || leaf != nil && e != nil && leaf.ID == e.ID {
		return nil
	}
	_, err = s.appendTo(ctx, e, CustomDraft(kinds.CustomLeaf, nil))
	return err
}

// SetLabel labels an entry; an empty label clears. An unknown target is ErrNotFound.
func (s *Session) SetLabel(ctx context.Context, target, label string) (*Entry, error) {
	if _, err := s.log.Find(ctx, target, -1); err != nil {
		return nil, fmt.Errorf("label %s: %w", target, err)
	}
	return s.appendOne(ctx, LabelDraft(target, label))
}

// SetName names the session; an empty name clears.
func (s *Session) SetName(ctx context.Context, name string) (*Entry, error) {
	return s.appendOne(ctx, NameDraft(oneLine(name)))
}

func (s *Session) appendOne(ctx context.Context, d Draft) (*Entry, error) {
	entries, err := s.Append(ctx, d)
	if err != nil {
		return nil, err
	}
	return entries[0], nil
}

// Labels returns the label of each labelled entry. It reads the whole log.
func (s *Session) Labels(ctx context.Context) (map[string]string, error) {
	labels := map[string]string{}
	for e, err := range s.log.All(ctx) {
		if err != nil {
			return nil, err
		}
		if l := e.Label(); l != nil {
			if l.Label == "" {
				delete(labels, l.TargetID)
			} else {
				labels[l.TargetID] = l.Label
			}
		}
	}
	return labels, nil
}

// oneLine trims s and replaces line breaks with a space, because names are
// shown in lists.
func oneLine(s string) string {
	return strings.TrimSpace(strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' }), " "))
}
