package storetest_test

import (
	"context"
	"errors"
	"iter"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/filestore"
	"github.com/coppice-dev/coppice/session/memstore"
)

// hasty lets a session be opened that has only set-up entries.
type hasty struct {
	session.Store
	waiting map[string]session.Log // open sessions by reference
}

func newHasty(s session.Store) session.Store { return hasty{s, map[string]session.Log{}} }

func (s hasty) Create(ctx context.Context, h session.Header) (session.Log, error) {
	l, err := s.Store.Create(ctx, h)
	if err != nil {
		return nil, err
	}
	s.waiting[l.Ref()] = l
	return hastyLog{l, s.waiting}, nil
}

func (s hasty) Open(ctx context.Context, ref string, mode session.Mode) (session.Log, error) {
	l, err := s.Store.Open(ctx, ref, mode)
	if waiting := s.waiting[ref]; errors.Is(err, session.ErrNotFound) && waiting != nil {
		return waiting, nil
	}
	return l, err
}

type hastyLog struct {
	session.Log
	waiting map[string]session.Log
}

func (l hastyLog) Close() error {
	delete(l.waiting, l.Ref())
	return l.Log.Close()
}

// noLock opens a session for a second writer.
type noLock struct{ session.Store }

func (s noLock) Open(ctx context.Context, ref string, mode session.Mode) (session.Log, error) {
	l, err := s.Store.Open(ctx, ref, mode)
	if locked := (*session.LockedError)(nil); errors.As(err, &locked) {
		return s.Store.Open(ctx, ref, session.Mode{})
	}
	return l, err
}

// opensFirst does not ask which of several sessions is meant.
type opensFirst struct{ session.Store }

func (s opensFirst) Open(ctx context.Context, ref string, mode session.Mode) (session.Log, error) {
	l, err := s.Store.Open(ctx, ref, mode)
	if several := (*session.AmbiguousError)(nil); errors.As(err, &several) {
		return s.Store.Open(ctx, several.Candidates[0], mode)
	}
	return l, err
}

type oldestFirst struct{ session.Store }

func (s oldestFirst) List(ctx context.Context) iter.Seq2[session.Info, error] {
	return func(yield func(session.Info, error) bool) {
		var infos []session.Info
		for info, err := range s.Store.List(ctx) {
			if err != nil {
				yield(info, err)
				return
			}
			infos = append(infos, info)
		}
		for _, info := range slices.Backward(infos) {
			if !yield(info, nil) {
				return
			}
		}
	}
}

// keepsAll only says that it deleted a session.
type keepsAll struct{ session.Store }

func (s keepsAll) Delete(ctx context.Context, ref string, _ session.Mode) error {
	l, err := s.Open(ctx, ref, session.Mode{Write: true})
	if err != nil {
		return err
	}
	return l.Close()
}

func inFolder(dir string) session.Store { return filestore.New(dir, filestore.Options{}) }

// lockedInProcess removes the locks of other processes.
func lockedInProcess(dir string) session.Store { return &ownLocks{Store: inFolder(dir)} }

type ownLocks struct {
	session.Store
	held sync.Map // references that this process writes to
}

func (s *ownLocks) Create(ctx context.Context, h session.Header) (session.Log, error) {
	l, err := s.Store.Create(ctx, h)
	if err == nil {
		s.held.Store(l.Ref(), true)
	}
	return l, err
}

func (s *ownLocks) Open(ctx context.Context, ref string, mode session.Mode) (session.Log, error) {
	if _, held := s.held.LoadOrStore(ref, true); !held && mode.Write {
		os.Remove(ref + ".lock")
	}
	return s.Store.Open(ctx, ref, mode)
}

var errLost = errors.New("the connection was lost")

// unsure makes stores whose answers may be lost. If doubling is set, entries
// whose append is repeated come twice.
func unsure(doubling bool) func(*testing.T) (session.Store, func()) {
	return func(*testing.T) (session.Store, func()) {
		lost := false
		log := func(l session.Log) session.Log { return &unsureLog{Log: l, doubling: doubling, lost: &lost} }
		return withLogs{memstore.New(nil), log}, func() { lost = true }
	}
}

type unsureLog struct {
	session.Log
	doubling bool
	lost     *bool
	twice    []*session.Entry
}

func (l *unsureLog) Append(ctx context.Context, entries []*session.Entry) ([]*session.Entry, error) {
	foreign, err := l.Log.Append(ctx, entries)
	if l.doubling && errors.Is(err, session.ErrDuplicate) {
		l.twice = append(l.twice, entries...)
		return nil, nil
	}
	if err == nil && *l.lost {
		*l.lost, err = false, errLost
	}
	return foreign, err
}

func (l *unsureLog) All(ctx context.Context) iter.Seq2[*session.Entry, error] {
	return func(yield func(*session.Entry, error) bool) {
		for e, err := range l.Log.All(ctx) {
			if !yield(e, err) {
				return
			}
		}
		for _, e := range l.twice {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// onDisk makes stores that keep in a second one what is on the disk. Unless
// they sync, that is only what a session began with.
func onDisk(syncs bool) func(*testing.T) (session.Store, func() session.Store) {
	return func(*testing.T) (session.Store, func() session.Store) {
		s := diskStore{memstore.New(nil), memstore.New(nil), syncs}
		return s, func() session.Store { return s.disk }
	}
}

type diskStore struct {
	session.Store
	disk  session.Store
	syncs bool
}

func (s diskStore) Create(ctx context.Context, h session.Header) (session.Log, error) {
	l, err := s.Store.Create(ctx, h)
	if err != nil {
		return nil, err
	}
	disk, err := s.disk.Create(ctx, l.Header())
	return diskLog{l, disk, s.syncs}, err
}

func (s diskStore) Open(ctx context.Context, ref string, mode session.Mode) (session.Log, error) {
	l, err := s.Store.Open(ctx, ref, mode)
	if err != nil {
		return nil, err
	}
	disk, err := s.disk.Open(ctx, ref, mode)
	return diskLog{l, disk, s.syncs}, err
}

type diskLog struct {
	session.Log
	disk  session.Log
	syncs bool
}

func (l diskLog) Append(ctx context.Context, entries []*session.Entry) ([]*session.Entry, error) {
	said, err := l.disk.Leaf(ctx)
	if err != nil {
		return nil, err
	}
	if l.syncs || said == nil || !said.Speaks() {
		if _, err := l.disk.Append(ctx, entries); err != nil {
			return nil, err
		}
	}
	return l.Log.Append(ctx, entries)
}

func (l diskLog) Close() error { return errors.Join(l.disk.Close(), l.Log.Close()) }
