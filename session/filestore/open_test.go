package filestore

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coppice-dev/coppice/session"
)

func mode(t *testing.T, path string) os.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().Perm()
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func TestPermissions(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs Unix permissions")
	}
	root := filepath.Join(t.TempDir(), "sessions")
	s := newStore(root, Options{})
	l, err := s.Create(bg, session.Header{Cwd: "/srv/p"})
	if err != nil {
		t.Fatal(err)
	}
	mustAppend(t, l, entry("a", ""))
	for path, want := range map[string]os.FileMode{root: 0o700, filepath.Dir(l.Ref()): 0o700, l.Ref(): 0o600, lockPath(l.Ref()): 0o600} {
		if got := mode(t, path); got != want {
			t.Errorf("%s has %o, want %o", path, got, want)
		}
	}
	l.Close()
	if err := errors.Join(os.Chmod(l.Ref(), 0o644), os.Chmod(filepath.Dir(l.Ref()), 0o755)); err != nil {
		t.Fatal(err)
	}
	r, err := s.Open(bg, l.Ref(), session.Mode{})
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	if got := mode(t, l.Ref()); got != 0o644 {
		t.Errorf("reading changed the permissions to %o", got)
	}
	w, err := s.Open(bg, l.Ref(), session.Mode{Write: true})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if f, d := mode(t, l.Ref()), mode(t, filepath.Dir(l.Ref())); f != 0o600 || d != 0o700 {
		t.Errorf("open for writing left %o in a folder with %o", f, d)
	}
}

func TestReadingCreatesNothing(t *testing.T) {
	file := write(t, text(chain(3)...))
	l := open(t, file, session.Mode{})
	path(t, l)
	kindsOf(t, l)
	l.Close()
	if got := names(t, filepath.Dir(file)); len(got) != 1 {
		t.Errorf("files %q", got)
	}
	s := newStore(filepath.Join(t.TempDir(), "none"), Options{})
	for _, err := range s.List(bg) {
		t.Errorf("list: %v", err)
	}
	if _, err := os.Stat(s.root); !errors.Is(err, os.ErrNotExist) {
		t.Error("list made the folder")
	}
}

func TestLockNamesItsOwner(t *testing.T) {
	now := time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)
	file := write(t, text(chain(3)...))
	s := newStore(filepath.Dir(file), Options{Now: func() time.Time { return now }})
	// The text left by a dead owner is not a lock.
	if err := os.WriteFile(lockPath(file), []byte(`{"pid":1,"host":"elsewhere","since":"2020-01-01T00:00:00Z","token":"x"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := s.Open(bg, file, session.Mode{Write: true})
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Open(bg, file, session.Mode{Write: true})
	var locked *session.LockedError
	host, _ := os.Hostname()
	if !errors.As(err, &locked) || locked.PID != os.Getpid() || locked.Host != host || !locked.Since.Equal(now) || locked.Ref != file {
		t.Errorf("second writer: %+v", err)
	}
	if _, err := s.Open(bg, file, session.Mode{Write: true, Force: true}); !errors.As(err, &locked) {
		t.Errorf("force broke a lock: %v", err)
	}
	l.Close()
	if got := names(t, filepath.Dir(file)); len(got) != 1 {
		t.Errorf("the lock is still there: %q", got)
	}
}

// The lock file goes away with its lock; that must not let two in at once.
func TestLockIsExclusive(t *testing.T) {
	file := filepath.Join(t.TempDir(), "s.jsonl")
	var inside, taken atomic.Int32
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 200 {
				l, err := acquire(file, time.Time{})
				if err != nil {
					if locked := (*session.LockedError)(nil); !errors.As(err, &locked) {
						t.Error(err)
					}
					continue
				}
				if inside.Add(1) != 1 {
					t.Error("two have the lock")
				}
				taken.Add(1)
				inside.Add(-1)
				l.release()
			}
		})
	}
	wg.Wait()
	if taken.Load() == 0 {
		t.Error("no one got the lock")
	}
}

func TestNewerVersion(t *testing.T) {
	lines := chain(2)
	lines[0] = strings.Replace(lines[0], `"version":3`, `"version":4`, 1)
	file := write(t, text(lines...))
	s := newStore(filepath.Dir(file), Options{})
	if _, err := s.Open(bg, file, session.Mode{Write: true}); !errors.Is(err, session.ErrNewerVersion) {
		t.Errorf("open for writing: %v, want %v", err, session.ErrNewerVersion)
	}
	l := open(t, file, session.Mode{Write: true, Force: true})
	mustAppend(t, l, entry("n", "e1"))
	l.Close()
	l = open(t, file, session.Mode{})
	if l.Header().Version != 4 {
		t.Errorf("version %d", l.Header().Version)
	}
	checkPath(t, "path", l, "e0 e1 n")
}

func TestWithoutHeaderIsReadOnly(t *testing.T) {
	file := write(t, text(chain(2)[1:]...))
	l := open(t, file, session.Mode{Write: true, Force: true})
	checkPath(t, "path", l, "e0 e1")
	if _, err := l.Append(bg, []*session.Entry{entry("n", "e1")}); !errors.Is(err, session.ErrReadOnly) {
		t.Errorf("append: %v, want %v", err, session.ErrReadOnly)
	}
	if content(t, file) != text(chain(2)[1:]...) {
		t.Error("the file was changed")
	}
}

func TestAnotherAgentsFile(t *testing.T) {
	home := t.TempDir()
	now := time.Now()
	s := newStore(filepath.Join(home, "coppice"), Options{Now: func() time.Time { return now }})
	for folder, agents := range map[string]bool{".pi/agent/sessions/--srv-p--": true, ".claude/projects": true, "work": false, "coppice/.pi": true, "coppice/work": false} {
		file := filepath.Join(home, folder, "s.jsonl")
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text(chain(2)...)), 0o600); err != nil {
			t.Fatal(err)
		}
		try := func(mode session.Mode, age time.Duration) error {
			if err := os.Chtimes(file, now.Add(-age), now.Add(-age)); err != nil {
				t.Fatal(err)
			}
			l, err := s.Open(bg, file, mode)
			if err == nil {
				l.Close()
			}
			return err
		}
		if err := try(session.Mode{Write: true}, 9*time.Minute); errors.Is(err, session.ErrForeignActive) != agents {
			t.Errorf("%s: %v", folder, err)
		}
		for _, err := range []error{try(session.Mode{Write: true}, 11*time.Minute), try(session.Mode{Write: true, Force: true}, 0), try(session.Mode{}, 0)} {
			if err != nil {
				t.Errorf("%s: %v", folder, err)
			}
		}
	}
}

func TestReadOnlyFolder(t *testing.T) {
	if os.Getuid() == 0 || runtime.GOOS == "windows" {
		t.Skip("needs a user whom permissions bind, not root")
	}
	file := write(t, text(chain(2)...))
	if err := os.Chmod(filepath.Dir(file), 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(filepath.Dir(file), 0o700) })
	if _, err := newStore(t.TempDir(), Options{}).Open(bg, file, session.Mode{Write: true}); !errors.Is(err, session.ErrReadOnly) {
		t.Errorf("open for writing: %v, want %v", err, session.ErrReadOnly)
	}
	checkPath(t, "read", open(t, file, session.Mode{}), "e0 e1")
}

func TestReadOnlyDisk(t *testing.T) {
	file := write(t, text(chain(2)...))
	s, disk := faulty(filepath.Dir(file), Options{})
	disk.ReadOnly()
	if _, err := s.Open(bg, file, session.Mode{Write: true}); !errors.Is(err, session.ErrReadOnly) {
		t.Errorf("open for writing: %v, want %v", err, session.ErrReadOnly)
	}
	if got := names(t, filepath.Dir(file)); len(got) != 1 {
		t.Errorf("files %q", got)
	}
}

func TestDeleteTakesAll(t *testing.T) {
	s := newStore(t.TempDir(), Options{})
	l, err := s.Create(bg, session.Header{Cwd: "/srv/p"})
	if err != nil {
		t.Fatal(err)
	}
	mustAppend(t, l, entry("a", ""))
	l.Close()
	side := SideDir(l.Ref())
	if err := os.MkdirAll(filepath.Join(side, "deep"), 0o700); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(filepath.Dir(l.Ref()), "notes.txt")
	if err := os.WriteFile(other, []byte("notes"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Delete(bg, l.Header().ID, session.Mode{}); err != nil {
		t.Fatal(err)
	}
	if got := names(t, filepath.Dir(l.Ref())); len(got) != 1 || got[0] != "notes.txt" {
		t.Errorf("left %q", got)
	}
}

func TestOpenMissing(t *testing.T) {
	s := newStore(t.TempDir(), Options{})
	file := filepath.Join(t.TempDir(), "x.jsonl")
	for _, m := range []session.Mode{{}, {Write: true}} {
		if _, err := s.Open(bg, file, m); !errors.Is(err, session.ErrNotFound) || !strings.Contains(err.Error(), file) {
			t.Errorf("open: %v", err)
		}
	}
	if _, err := s.Open(bg, t.TempDir(), session.Mode{}); !errors.Is(err, session.ErrNotASession) {
		t.Errorf("open a folder: %v", err)
	}
	if _, err := s.Create(bg, session.Header{ID: "../x", Cwd: "/"}); err == nil {
		t.Error("an id that leaves the folder was taken")
	}
	ctx, cancel := context.WithCancel(bg)
	cancel()
	for _, err := range s.List(ctx) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("list: %v", err)
		}
	}
}

// Who owns a folder is decided by what the store was told, not by its path.
func TestFolderOfSomeoneElse(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs Unix permissions")
	}
	for name, tt := range map[string]struct {
		folder string
		root   func(dir string) string
		want   os.FileMode // of the folder
		file   os.FileMode
	}{
		"not told":      {"shared", func(string) string { return "" }, 0o755, 0o644},
		"told another":  {"shared", func(dir string) string { return filepath.Join(filepath.Dir(dir), "ours") }, 0o755, 0o644},
		"told this one": {"shared", func(dir string) string { return dir }, 0o755, 0o600}, // the user named it; it may be any folder
		"below the one": {"shared", filepath.Dir, 0o700, 0o600},
		"an agent's":    {".pi", func(dir string) string { return dir }, 0o755, 0o644},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), tt.folder)
			file := filepath.Join(dir, "s.jsonl")
			if err := errors.Join(os.Mkdir(dir, 0o755), os.WriteFile(file, []byte(text(chain(2)...)), 0o644)); err != nil {
				t.Fatal(err)
			}
			old := time.Now().Add(-time.Hour)
			if err := os.Chtimes(file, old, old); err != nil {
				t.Fatal(err)
			}
			l, err := newStore(tt.root(dir), Options{}).Open(bg, file, session.Mode{Write: true})
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			if got := mode(t, dir); got != tt.want {
				t.Errorf("the folder has %o, want %o", got, tt.want)
			}
			mustAppend(t, l, entry("n", "e1"))
			if got := mode(t, file); got != tt.file {
				t.Errorf("the file has %o, want %o", got, tt.file)
			}
		})
	}
	if _, err := newStore("", Options{}).Create(bg, session.Header{Cwd: "/"}); err == nil {
		t.Error("a session was created without a folder")
	}
}

// A hard link is the same file under another name, so its folder says nothing.
func TestHardLinkOfAFileInUse(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs the number of links")
	}
	for content, refused := range map[string]bool{text(chain(2)...): true, text(append(chain(2), line("0123456789abcdef", "e1"))...): false} {
		theirs, link := filepath.Join(t.TempDir(), ".pi", "s.jsonl"), filepath.Join(t.TempDir(), "s.jsonl")
		if err := errors.Join(os.Mkdir(filepath.Dir(theirs), 0o755), os.WriteFile(theirs, []byte(content), 0o644), os.Link(theirs, link)); err != nil {
			t.Fatal(err)
		}
		s := newStore("", Options{})
		l, err := s.Open(bg, link, session.Mode{Write: true})
		if errors.Is(err, session.ErrForeignActive) != refused {
			t.Errorf("open: %v", err)
		}
		if err == nil {
			l.Close()
		}
		if err := s.Delete(bg, link, session.Mode{}); errors.Is(err, session.ErrForeignActive) != refused {
			t.Errorf("delete: %v", err)
		}
		old := time.Now().Add(-time.Hour)
		if err := os.Chtimes(theirs, old, old); err != nil {
			t.Fatal(err)
		}
		if refused {
			l, err := s.Open(bg, link, session.Mode{Write: true})
			if err != nil {
				t.Fatalf("quiet: %v", err)
			}
			l.Close()
		}
	}
}

// A file that another agent is using is not written to and not deleted, also by
// a store that was told that its folder is its own. Our own last write does not
// mean that another agent is using it.
func TestAnotherAgentIsUsingIt(t *testing.T) {
	ours := text(append(chain(2), line("0123456789abcdef", "e1"))...)
	noID := text(append(chain(2), `{"type":"custom","customType":"x","parentId":"e1","timestamp":"2026-01-01T00:00:00.000Z"}`)...)
	for content, refused := range map[string]bool{text(chain(2)...): true, ours: false, noID: true, ours + noID[len(text(chain(2)...)):]: true, text(v1Header, v1Message("one")): true} {
		dir := filepath.Join(t.TempDir(), ".openclaw", "sessions")
		file := filepath.Join(dir, "s.jsonl")
		if err := errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(file, []byte(content), 0o600)); err != nil {
			t.Fatal(err)
		}
		for _, root := range []string{"", dir, filepath.Dir(dir), filepath.Dir(filepath.Dir(dir)), t.TempDir()} {
			s := newStore(root, Options{})
			l, err := s.Open(bg, file, session.Mode{Write: true})
			if errors.Is(err, session.ErrForeignActive) != refused {
				t.Errorf("root %q: open: %v", root, err)
			}
			if err == nil {
				l.Close()
			}
			if got := mode(t, dir); got != 0o755 {
				t.Errorf("root %q: the folder has %o now", root, got)
			}
			if !refused {
				continue
			}
			if err := s.Delete(bg, file, session.Mode{}); !errors.Is(err, session.ErrForeignActive) {
				t.Errorf("root %q: delete: %v", root, err)
			}
		}
		if got := names(t, dir); refused && !slices.Equal(got, []string{"s.jsonl"}) {
			t.Errorf("files %q", got)
		}
		if err := newStore("", Options{}).Delete(bg, file, session.Mode{Force: true}); err != nil {
			t.Errorf("forced: %v", err)
		}
	}
}
