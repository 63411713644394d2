package filestore

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/coppice-dev/coppice/internal/fsx"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/storetest"
)

func TestStore(t *testing.T) {
	open := func(t *testing.T) session.Store { return New(t.TempDir(), Options{}) }
	storetest.Run(t, open, storetest.Options{
		Place: func(dir string) session.Store { return New(dir, Options{}) },
		Unsure: func(t *testing.T) (session.Store, func()) {
			s, disk := faulty(t.TempDir(), Options{})
			return s, func() { disk.Inject(fsx.Fault{Op: fsx.OpSync, Err: syscall.EIO}) }
		},
		PowerFailure: func(t *testing.T) (session.Store, func() session.Store) { return lossy(t, SyncAlways) },
	})
}

// lossy returns a store in a folder that does not exist yet, and a function that
// returns what a power failure would leave of it.
func lossy(t *testing.T, sync Sync) (session.Store, func() session.Store) {
	base := t.TempDir()
	within := filepath.Join("below", "sessions")
	s := newStore(filepath.Join(base, within), Options{Sync: sync})
	disk := fsx.NewLossy(s.fs, base)
	s.fs = disk
	return s, func() session.Store {
		after := t.TempDir()
		if err := disk.Crash(after); err != nil {
			t.Fatal(err)
		}
		return New(filepath.Join(after, within), Options{})
	}
}
