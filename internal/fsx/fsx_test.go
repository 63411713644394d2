package fsx

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
)

func TestOSAppendsAtTheEnd(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	f, err := OS{}.CreateExclusive(name, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := (OS{}).CreateExclusive(name, 0o600); !errors.Is(err, fs.ErrExist) {
		t.Errorf("second create: %v, want %v", err, fs.ErrExist)
	}
	g, err := OS{}.OpenAppend(name)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	for _, w := range []struct {
		f File
		s string
	}{{f, "a"}, {g, "b"}, {f, "c"}} {
		if _, err := w.f.Write([]byte(w.s)); err != nil {
			t.Fatal(err)
		}
	}
	if b, _ := os.ReadFile(name); string(b) != "abc" {
		t.Errorf("file holds %q, want abc", b)
	}
	if err := (OS{}).SyncDir(filepath.Dir(name)); err != nil {
		t.Error(err)
	}
}

func TestOSOpenAppendDoesNotCreate(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	if f, err := (OS{}).OpenAppend(name); !errors.Is(err, fs.ErrNotExist) || f != nil {
		t.Errorf("got %v, %v", f, err)
	}
}

func TestFaulty(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	x := NewFaulty(OS{})
	f, err := x.CreateExclusive(name, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	x.Inject(Fault{Op: OpWrite, Err: syscall.ENOSPC, Skip: 1, Keep: 2})
	x.Inject(Fault{Op: OpSync, Err: syscall.EIO, Stay: true})
	if n, err := f.Write([]byte("one")); n != 3 || err != nil {
		t.Errorf("first write: %d, %v", n, err)
	}
	if n, err := f.Write([]byte("two")); n != 2 || !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("second write: %d, %v", n, err)
	}
	for range 2 {
		if err := f.Sync(); !errors.Is(err, syscall.EIO) {
			t.Errorf("sync: %v", err)
		}
	}
	x.Heal()
	if err := f.Sync(); err != nil {
		t.Error(err)
	}
	x.ReadOnly()
	if _, err := f.Write([]byte("x")); !errors.Is(err, syscall.EROFS) {
		t.Errorf("read-only write: %v", err)
	}
	if err := x.Rename(name, name+"2"); !errors.Is(err, syscall.EROFS) {
		t.Errorf("read-only rename: %v", err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if b, _ := os.ReadFile(name); string(b) != "onetw" {
		t.Errorf("file holds %q", b)
	}
	want := []string{"create f", "write f 3", "write f 3 !", "sync f !", "sync f !", "sync f",
		"write f 1 !", "rename f f2 !", "close f"}
	if got := x.Record(); !slices.Equal(got, want) {
		t.Errorf("record %q\nwant   %q", got, want)
	}
}
