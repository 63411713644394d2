package fsx

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestReplace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.json")
	for _, content := range []string{"one", "two"} {
		if err := Replace(OS{}, path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, _ := os.ReadFile(path); string(got) != content {
			t.Errorf("%q, want %q", got, content)
		}
	}
	if err := Replace(OS{}, filepath.Join(path, "b"), nil, 0o600); err == nil {
		t.Error("a file was made below a file")
	}
	// A name that is taken by a folder stays, and nothing is left over.
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := Replace(OS{}, filepath.Join(dir, "sub"), nil, 0o600); err == nil {
		t.Error("a folder was replaced")
	}
	if left, _ := os.ReadDir(dir); len(left) != 2 {
		t.Errorf("left over: %v", left)
	}
}

func TestReplaceKeepsTheMode(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.json")
	if err := os.WriteFile(path, nil, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := Replace(OS{}, path, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || os.PathSeparator == '/' && info.Mode().Perm() != 0o640 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// After a power failure a file has the old content or the new, wherever Replace
// failed before; once it has returned without an error it is the new one, in
// folders that were new, too.
func TestReplaceSurvivesACrash(t *testing.T) {
	for _, below := range []string{"a.json", "sub/a.json", "home/me/.config/coppice/a.json"} {
		for _, old := range []string{"", "old"} {
			for _, op := range []Op{OpMkdir, OpCreate, OpWrite, OpChmod, OpSync, OpClose, OpRename, OpSyncDir, OpStat, ""} {
				base, after := t.TempDir(), t.TempDir()
				lossy := NewLossy(OS{}, base)
				disk := NewFaulty(lossy)
				path, left := filepath.Join(base, filepath.FromSlash(below)), filepath.Join(after, filepath.FromSlash(below))
				if old != "" {
					if err := Replace(disk, path, []byte(old), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				disk.Inject(Fault{Op: op, Err: syscall.EIO})
				err := Replace(disk, path, []byte("new"), 0o600)
				if err := lossy.Crash(after); err != nil {
					t.Fatal(err)
				}
				got, _ := os.ReadFile(left)
				if s := string(got); s != "new" && (err == nil || s != old) {
					t.Errorf("%s, %q, a failing %s (%v): %q", below, old, op, err, got)
				}
				if (err == nil) != (op == "" || op == OpStat) {
					t.Errorf("%s, a failing %s: %v", below, op, err)
				}
			}
		}
	}
}
