package filestore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/coppice-dev/coppice/internal/fsx"
	"github.com/coppice-dev/coppice/internal/guard"
	"github.com/coppice-dev/coppice/internal/valid"
	"github.com/coppice-dev/coppice/session"
)

// Settings say where sessions are kept and how safely (docs/settings.md,
// session.*).
type Settings struct {
	Dir  string `json:"dir"` // "": the default place
	Sync Sync   `json:"sync"`
}

// EnsureDefaults sets every empty field to its default.
func (s *Settings) EnsureDefaults() {
	if s.Sync == "" {
		s.Sync = SyncAlways
	}
}

// Validate returns an error that names the fields with wrong values.
func (s Settings) Validate() error { return valid.OneOf("sync", s.Sync, s.Sync.Values()) }

// Sync says when an append is made durable. The zero value means SyncAlways.
type Sync string

// Values are the words that a setting may have.
func (Sync) Values() []string {
	return []string{string(SyncAlways), string(SyncInterval), string(SyncOff)}
}

// When appends are synced.
const (
	SyncAlways   Sync = "always"   // before each append returns
	SyncInterval Sync = "interval" // by the first append after Options.SyncEvery, and on Close
	SyncOff      Sync = "off"      // when the operating system does so
)

// Options configure a store.
type Options struct {
	Sync      Sync
	SyncEvery time.Duration    // for SyncInterval; 0: one second
	Now       func() time.Time // nil: time.Now
}

// Sessions contain secrets, so only their owner can read them.
const (
	filePerm = 0o600
	dirPerm  = 0o700
)

// store keeps sessions below a folder, one folder a project. It is safe for
// concurrent use, also by several processes. The zero value is not usable:
// call New.
type store struct {
	root string
	opts Options
	fs   fsx.FS
	keep int64 // bytes of a file's end that are kept in memory
}

var _ session.Store = (*store)(nil)

// New returns the store of a folder that belongs to the caller: it is created
// with the first session, and only its owner can read it. With the root ""
// there is no such folder: files are opened by their paths, as files that
// belong to someone else, and sessions cannot be created.
func New(root string, opts Options) session.Store { return newStore(root, opts) }

func newStore(root string, opts Options) *store {
	if opts.Sync == "" {
		opts.Sync = SyncAlways
	}
	if opts.SyncEvery == 0 {
		opts.SyncEvery = time.Second
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if abs, err := filepath.Abs(root); err == nil && root != "" {
		root = abs
	}
	return &store{root: root, opts: opts, fs: fsx.OS{}, keep: keepBytes}
}

// Create starts an empty session. Its file appears, under the name
// <timestamp>_<id>.jsonl, with the first user or assistant message; h.Cwd
// decides the folder.
func (s *store) Create(ctx context.Context, h session.Header) (session.Log, error) {
	if err := guard.Ready(ctx); err != nil {
		return nil, err
	}
	if s.root == "" {
		return nil, errors.New("create a session: the store has no folder")
	}
	h = h.Complete(s.opts.Now())
	if !validID(h.ID) {
		return nil, fmt.Errorf("session id %q: letters, digits, '.', '_' and '-' only, a letter or digit at both ends", h.ID)
	}
	x := newIndex(0, h)
	x.whole = true
	l := &openLog{store: s, mode: session.Mode{Write: true}, header: h, x: x,
		path: filepath.Join(s.root, projectDir(h.Cwd), fileName(h))}
	l.show()
	return l, nil
}

// Open opens a session by the path of its file, by its id, or by a prefix that
// no other id in the store begins with (*session.AmbiguousError). Reading
// takes no lock and changes nothing on disk. A file of format 1 that was
// written to goes on in a file next to it: that one is opened for writing, and
// for reading the old one, with a problem that names the new one.
func (s *store) Open(ctx context.Context, ref string, mode session.Mode) (session.Log, error) {
	path, err := s.resolve(ctx, ref)
	if err != nil {
		return nil, err
	}
	return s.open(ctx, path, mode)
}

// Delete removes the file of a session, its lock and the folder of large
// outputs next to it. A session that is open for writing is not removed, nor
// one that another agent is using unless mode.Force is set, nor a file that is
// not a session.
func (s *store) Delete(ctx context.Context, ref string, mode session.Mode) error {
	path, err := s.resolve(ctx, ref)
	if err != nil {
		return err
	}
	l, err := s.open(ctx, path, session.Mode{})
	if err != nil {
		return err
	}
	if !mode.Force {
		err = l.checkForeign(ctx)
	}
	if err := errors.Join(err, l.Close()); err != nil {
		return err
	}
	lock, err := acquire(path, s.opts.Now())
	if err != nil {
		return err
	}
	defer lock.release()
	// The session goes last, so that an interrupted delete can be repeated.
	if err := errors.Join(s.fs.RemoveAll(SideDir(path)), s.fs.Remove(path)); err != nil {
		return fmt.Errorf("delete session %s: %w", path, err)
	}
	return s.fs.SyncDir(filepath.Dir(path))
}

func (s *store) open(ctx context.Context, path string, mode session.Mode) (_ *openLog, err error) {
	if err := guard.Ready(ctx); err != nil {
		return nil, err
	}
	l := &openLog{store: s, mode: mode, path: path}
	l.show()
	defer func() {
		if err != nil {
			l.Close()
		}
	}()
	if l.info, err = s.fs.Stat(path); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("session %s: %w", path, session.ErrNotFound)
		}
		return nil, l.wrap(err)
	}
	if l.info.IsDir() {
		return nil, fmt.Errorf("%s: a folder: %w", path, session.ErrNotASession)
	}
	if l.file, err = s.fs.Open(path); err != nil {
		return nil, l.wrap(err)
	}
	if err := l.start(ctx); err != nil {
		return nil, err
	}
	if mode.Write && !l.readOnly {
		if err := l.mayWrite(ctx); err != nil {
			return nil, err
		}
	}
	if l.header.Version < 2 && !l.readOnly {
		if next := l.successor(ctx); next != "" && mode.Write {
			l.Close()
			return s.open(ctx, next, mode)
		} else if next != "" {
			l.noteSuccessor(next)
		}
	}
	if mode.Write && !l.readOnly {
		if err := l.openForWriting(ctx); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// mayWrite fails if a session is written to only with force, in its own file or
// in the one in which it goes on.
func (l *openLog) mayWrite(ctx context.Context) error {
	switch {
	case l.mode.Force:
		return nil
	case l.header.Version > session.Version:
		return l.wrap(session.ErrNewerVersion)
	}
	return l.checkForeign(ctx)
}

// openForWriting takes the lock and opens the file for appending. A file of
// format 1 needs neither, because nothing is appended to it.
func (l *openLog) openForWriting(ctx context.Context) error {
	if l.header.Version < 2 {
		return nil
	}
	s := l.store
	var err error
	if l.lock, err = acquire(l.path, s.opts.Now()); err != nil {
		return err
	}
	w, err := s.fs.OpenAppend(l.path)
	if err != nil {
		return l.wrap(readOnlyError(err))
	}
	l.old = append(l.old, l.file)
	l.file, l.scanners = w, nil
	if dir := filepath.Dir(l.path); l.ours() { // the modes of someone else's are kept
		s.restrict(l.path, l.info, filePerm)
		// The root may be any folder that the user named. Those below it are the
		// store's.
		if info, err := s.fs.Stat(dir); err == nil && dir != s.root {
			s.restrict(dir, info, dirPerm)
		}
	}
	// Someone may have written between the first look and the lock.
	if l.info, err = w.Stat(); err != nil {
		return l.wrap(err)
	}
	if l.info.Size() != l.end {
		return l.start(ctx)
	}
	return nil
}

// restrict removes the permissions of group and others. If that fails, the
// session can still be used.
func (s *store) restrict(path string, info fs.FileInfo, perm fs.FileMode) {
	if info.Mode().Perm()&^perm != 0 {
		_ = s.fs.Chmod(path, info.Mode().Perm()&perm)
	}
}

// readOnlyError marks the errors that mean that the file cannot be written to.
func readOnlyError(err error) error {
	if errors.Is(err, fs.ErrPermission) || isReadOnlyFS(err) {
		return fmt.Errorf("%w: %w", session.ErrReadOnly, err)
	}
	return err
}

// SideDir returns the folder next to a session file that holds its large
// outputs.
func SideDir(path string) string {
	return strings.TrimSuffix(path, ".jsonl") + ".d"
}

func isPath(ref string) bool {
	return strings.ContainsRune(ref, '/') || strings.ContainsRune(ref, os.PathSeparator) || strings.HasSuffix(ref, ".jsonl")
}
