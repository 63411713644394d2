package session

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/coppice-dev/coppice/internal/guard"
)

// Store holds sessions. The file store (session/filestore) is the default;
// session/memstore is for tests and for sessions that are not kept. Every store
// passes the suite in session/storetest.
type Store interface {
	// Create starts an empty session. What the header lacks (id, version,
	// timestamp) is filled in. What is appended becomes durable with the first
	// user or assistant message; until then set-up entries wait in memory.
	Create(ctx context.Context, h Header) (Log, error)
	// Open opens a session by reference: what Info.Ref says, or, where the
	// store allows it, an id. Mode says what may be done with it.
	Open(ctx context.Context, ref string, mode Mode) (Log, error)
	// List walks the sessions, newest first, reading no more of each than
	// its head and its tail. An unreadable one is reported as an error and
	// does not end the walk.
	List(ctx context.Context) iter.Seq2[Info, error]
	// Delete removes a session and what belongs to it. mode.Force removes one
	// that another agent is using.
	Delete(ctx context.Context, ref string, mode Mode) error
}

// Mode says what a log is opened for.
type Mode struct {
	Write bool // take the writer's lock
	Force bool // write in spite of a newer format or another agent's recent change
}

// Log is one session's append-only record. All methods are safe for
// concurrent use. Entries are shared and never change.
type Log interface {
	Header() Header
	// Ref names the session in its store: a path for files.
	Ref() string
	// Leaf returns where the conversation is: the last entry in log order,
	// or nil when there is none.
	Leaf(ctx context.Context) (*Entry, error)
	// Parent returns the parent of e, or nil at a root. A reference means
	// the nearest earlier entry with that id; damage is bridged (docs/format.md).
	Parent(ctx context.Context, e *Entry) (*Entry, error)
	// Find returns the newest entry with an id. at is a place in the log that is
	// tried first, or -1. It fails with ErrNotFound if there is none.
	Find(ctx context.Context, id string, at int64) (*Entry, error)
	// All walks every entry in log order.
	All(ctx context.Context) iter.Seq2[*Entry, error]
	// Append writes entries as one group: afterwards all or none of them are in
	// the log, durably. Entries carry ID, ParentID, Type, Time and Raw; At is set
	// on return. It returns what other programs appended since the last look, in
	// log order; those entries are part of the log, not an error. Without entries
	// it only looks.
	//
	// An id that the log already has is ErrDuplicate, as far as the log can tell
	// without reading more of it. An append that reported an error may be repeated
	// with the same entries: that never doubles them. If they were written after
	// all, it succeeds or is ErrDuplicate.
	Append(ctx context.Context, entries []*Entry) (foreign []*Entry, err error)
	// Problems returns what was found wrong, each problem once. full reads the
	// whole log first.
	Problems(ctx context.Context, full bool) ([]Problem, error)
	// Close releases the lock. It may be called twice.
	Close() error
}

// Info is what a list shows of a session.
type Info struct {
	Ref          string
	ID           string
	Cwd          string
	Name         *string // nil: none, or not near the head or the tail
	Created      time.Time
	Modified     time.Time
	Bytes        int64
	FirstMessage string
}

// Problem is something wrong in a log. Reading continues after it.
type Problem struct {
	Kind    string // a word of docs/format.md, as in "damaged-line"
	Line    int    // from 1; 0 where it is not known
	EntryID string
	Detail  string // for people; it says what was done about the problem
}

var (
	// ErrNotFound says that no entry or session has that id.
	ErrNotFound = errors.New("not found")
	// ErrDuplicate says that an entry with that id is in the log already, or twice
	// in what is to be appended.
	ErrDuplicate = errors.New("another entry has this id")
	// ErrReadOnly says that the log was opened for reading, or cannot be
	// written to (no header, a folder without write permission).
	ErrReadOnly = errors.New("read-only")
	// ErrNotASession says that a file holds no session.
	ErrNotASession = errors.New("not a session")
	// ErrNewerVersion says that the file's format is newer than this
	// program knows; it is appended to only with Mode.Force.
	ErrNewerVersion = errors.New("written in a newer format")
	// ErrForeignActive says that another agent changed the file a short while ago,
	// before it was opened or since; it is written to only with Mode.Force.
	ErrForeignActive = errors.New("another agent wrote to it in the last ten minutes")
	// ErrNil says that a caller passed nil where a context, a log, a store or a
	// session is needed.
	ErrNil = guard.ErrNil
	// ErrReplaced says that the file is not the one that was opened.
	ErrReplaced = errors.New("the file was replaced or removed")
)

// LockedError says who else has the session open for writing.
type LockedError struct {
	Ref   string
	PID   int
	Host  string
	Since time.Time
}

func (e *LockedError) Error() string {
	if e.PID == 0 { // it has the lock, but has not written yet who it is
		return e.Ref + ": open for writing in another process"
	}
	return fmt.Sprintf("%s: process %d on %s has had it open for writing since %s", e.Ref, e.PID, e.Host, e.Since.Format(time.RFC3339))
}

// AmbiguousError says that an id prefix matches several sessions or entries.
type AmbiguousError struct {
	Prefix     string
	Candidates []string
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%q is ambiguous: %d candidates", e.Prefix, len(e.Candidates))
}
