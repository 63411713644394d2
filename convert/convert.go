// Package convert imports other agents' sessions. Each agent has its own
// package below this one. This package has what they share: the Importer
// interface and the Sink that importers write to.
package convert

import (
	"context"
	"io"
	"maps"

	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
)

// Importer reads one agent's files. Implementations are stateless.
type Importer interface {
	// Name returns the agent's name for --from: claude-code, codex, …
	Name() string
	// Recognizes reports whether a file is of this agent, by its name and its
	// first bytes (up to 64 KiB).
	Recognizes(path string, head []byte) bool
	// Describe reads what the header of the new session needs. It reads no
	// more of the file than it has to.
	Describe(ctx context.Context, src Source) (session.Header, error)
	// Import walks the file once and writes what it holds to the sink. What it
	// cannot import it counts with Sink.Skip; it fails only if nothing more
	// can be read.
	Import(ctx context.Context, src Source, to *Sink) error
}

// Source is a file to import. Session names the conversation to import if the
// file has several ("": the newest, or the only one).
type Source struct {
	Path    string
	Size    int64
	Open    func() (io.ReadCloser, error)
	Session string
}

// Counts say what was imported.
type Counts struct {
	Messages    int `json:"messages"`
	Calls       int `json:"calls"`
	Results     int `json:"results"`
	Images      int `json:"images"`
	Compactions int `json:"compactions"`
	Branches    int `json:"branches"`
}

// batch is how many entries are appended at once.
const batch = 256

// Sink takes entries in order and writes them to a session in groups. The zero
// value is not usable: call NewSink.
type Sink struct {
	s       *session.Session
	counts  Counts
	skipped map[string]int
	pending []*session.Entry
	leaf    *session.Entry
	fixed   int64 // what each request had besides its messages, in tokens; 0: not known yet

	// Progress, if not nil, is called with how many bytes of the source have
	// been read.
	Progress func(read int64)
}

// NewSink returns a sink that writes to an empty session.
func NewSink(s *session.Session) *Sink {
	return &Sink{s: s, skipped: map[string]int{}}
}

// Leaf returns the entry that the next Add goes under; nil: the next one is a
// root.
func (k *Sink) Leaf() *session.Entry { return k.leaf }

// MoveTo makes the next Add go under e (nil: before the first entry). This is
// how a rewind becomes a branch.
func (k *Sink) MoveTo(e *session.Entry) {
	if e != k.leaf {
		k.counts.Branches++
	}
	k.leaf = e
}

// Add appends an entry under the leaf. Give the draft the time it happened.
func (k *Sink) Add(ctx context.Context, d session.Draft) (*session.Entry, error) {
	if d.Type == session.TypeCompaction {
		var err error
		if d, err = k.sized(ctx, d); err != nil {
			return nil, err
		}
	}
	e := k.s.Prepare(k.leaf, d)[0]
	return e, k.put(ctx, e)
}

// Copy appends an entry unchanged, under the entry that its ParentID names:
// for files that are already in our format. The entry must not be in another
// log, and must read back unchanged (session.CheckAppend).
func (k *Sink) Copy(ctx context.Context, e *session.Entry) error {
	if k.leaf != nil && e.ParentID != k.leaf.ID {
		k.counts.Branches++
	}
	return k.put(ctx, e)
}

func (k *Sink) put(ctx context.Context, e *session.Entry) error {
	k.count(e)
	k.pending = append(k.pending, e)
	k.leaf = e
	if len(k.pending) >= batch {
		return k.Flush(ctx)
	}
	return nil
}

// Skip counts something that cannot be imported, by kind.
func (k *Sink) Skip(kind string) { k.skipped[kind]++ }

// SkipBytes counts a part of the source that cannot be read.
func (k *Sink) SkipBytes(kind string, n int64) {
	k.skipped[kind]++
	k.skipped["bytes that were not read"] += int(n)
}

// Read reports how far the source has been read.
func (k *Sink) Read(n int64) {
	if k.Progress != nil {
		k.Progress(n)
	}
}

// Flush writes what is pending.
func (k *Sink) Flush(ctx context.Context) error {
	if len(k.pending) == 0 {
		return nil
	}
	_, err := k.s.Log().Append(ctx, k.pending)
	k.pending = k.pending[:0:0]
	return err
}

// Counts returns what has been imported so far, and by kind what has not.
func (k *Sink) Counts() (Counts, map[string]int) { return k.counts, maps.Clone(k.skipped) }

func (k *Sink) count(e *session.Entry) {
	if e.Type == session.TypeCompaction {
		k.counts.Compactions++
		return
	}
	m, err := e.Message()
	if m == nil || err != nil { // what is waiting to be appended is in memory
		return
	}
	k.counts.Messages++
	k.counts.Images += m.Images()
	k.counts.Calls += len(m.ToolCalls())
	if m.Role == message.RoleToolResult {
		k.counts.Results++
	}
}
