package filestore

import (
	"os"
	"path/filepath"
	"testing"
)

func TestCopySide(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "a.jsonl"), filepath.Join(dir, "b.jsonl")
	if err := CopySide(t.Context(), from, to); err != nil {
		t.Fatalf("without a folder: %v", err)
	}
	if _, err := os.Stat(SideDir(to)); err == nil {
		t.Error("a folder was made for nothing")
	}
	outside := filepath.Join(dir, "outside")
	for name, text := range map[string]string{filepath.Join(SideDir(from), "out.txt"): "output", filepath.Join(SideDir(from), "media", "x.png"): "image", outside: "not ours"} {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(outside, filepath.Join(SideDir(from), "link")); err != nil {
		t.Skip("needs symbolic links")
	}
	for range 2 { // the second time everything is there
		if err := CopySide(t.Context(), from, to); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{"out.txt": "output", "media/x.png": "image"} {
		got, err := os.ReadFile(filepath.Join(SideDir(to), filepath.FromSlash(name)))
		if err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if _, err := os.Lstat(filepath.Join(SideDir(to), "link")); err == nil {
		t.Error("a link to the outside came along")
	}
	if err := os.RemoveAll(SideDir(from)); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(SideDir(to), "out.txt")); err != nil || string(got) != "output" {
		t.Errorf("gone with the other session: %q, %v", got, err)
	}
}
