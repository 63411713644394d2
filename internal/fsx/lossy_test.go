package fsx

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/coppice-dev/coppice/internal/testkit/must"
)

// A power failure leaves what was synced, under the names that were.
func TestLossy(t *testing.T) {
	base := t.TempDir()
	x := NewLossy(OS{}, base)
	path := func(name string) string { return filepath.Join(base, filepath.FromSlash(name)) }
	left := func(step string, want ...string) {
		t.Helper()
		to := t.TempDir()
		if err := x.Crash(to); err != nil {
			t.Fatal(err)
		}
		var got []string
		err := fs.WalkDir(os.DirFS(to), ".", func(name string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() {
				got = append(got, name+"="+string(must.Get(os.ReadFile(filepath.Join(to, name)))))
			}
			return err
		})
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: left %q, want %q, %v", step, got, want, err)
		}
	}
	do := func(errs ...error) {
		t.Helper()
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
	}
	do(x.MkdirAll(path("d/e"), 0o700))
	f := must.Get(x.CreateExclusive(path("d/e/f"), 0o600))
	defer f.Close()
	must.Get(f.Write([]byte("one")))
	left("nothing is synced")
	do(f.Sync(), x.SyncDir(path("d/e")), x.SyncDir(base))
	left("a folder is not in its parent")
	do(x.SyncDir(path("d")))
	left("synced", "d/e/f=one")
	must.Get(f.Write([]byte("two")))
	left("more was written", "d/e/f=one")
	g := must.Get(x.OpenAppend(path("d/e/f")))
	defer g.Close()
	do(g.Sync())
	left("synced through another handle", "d/e/f=onetwo")
	do(x.Rename(path("d/e/f"), path("d/g")))
	left("renamed", "d/e/f=onetwo")
	do(x.SyncDir(path("d/e")), x.SyncDir(path("d")))
	left("renamed durably", "d/g=onetwo")
	do(x.Remove(path("d/g")))
	left("removed", "d/g=onetwo")
	do(x.SyncDir(path("d")))
	left("removed durably")
}
