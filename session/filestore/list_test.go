package filestore

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coppice-dev/coppice/internal/fsx"
	"github.com/coppice-dev/coppice/session"
)

// message at a minute of the day.
func said(id, parent, role, words string, minute int) string {
	at := time.Date(2026, 1, 1, 0, minute, 0, 0, time.UTC)
	return fmt.Sprintf(`{"type":"message","id":%q,"parentId":%q,"timestamp":%q,"message":{"role":%q,"content":[{"type":"text","text":%q}],"timestamp":%d}}`,
		id, parent, at.Format(time.RFC3339), role, words, at.UnixMilli())
}

func named(name string) string {
	return fmt.Sprintf(`{"type":"session_info","id":"n","parentId":null,"timestamp":"2026-03-01T00:00:00.000Z","name":%q}`, name)
}

func TestList(t *testing.T) {
	root := t.TempDir()
	header := func(id string) string {
		return strings.Replace(testHeader, "019b0000-0000-7000-8000-000000000001", id, 1)
	}
	filler := strings.Repeat("x", 10_000)
	long := []string{header("long"), said("a", "", "user", "hello", 1)}
	for i := range 40 {
		long = append(long, said(fmt.Sprint(i), "a", "assistant", filler, 2))
	}
	middle := slices.Concat(long, []string{named("in the middle")}, long[2:])
	files := map[string]string{
		"p/t_first.jsonl":  text(header("first"), said("a", "", "user", " ", 1), said("b", "a", "user", "two words", 9), named("old"), named("new name")),
		"p/t_second.jsonl": text(header("second"), said("a", "", "user", "hi", 8)),
		"q/t_long.jsonl":   text(append(long, said("z", "a", "assistant", "end", 7), named("long one"))...),
		"q/t_mid.jsonl":    strings.ReplaceAll(text(append(middle, said("z", "a", "assistant", "end", 6))...), `"long"`, `"mid"`),
		"t_top.jsonl":      text(header("top")+strings.Repeat(" ", 600), said("a", "", "assistant", "no user", 5)),
		"p/t_v1.jsonl":     text(v1Header, v1Message("from format 1")),
		"p/t_empty.jsonl":  text(header("empty")),
		"p/t_bad.jsonl":    "not a session\n",
		"p/notes.txt":      "notes",
		"p/t_x.d/y.jsonl":  text(header("hidden")),
	}
	for name, content := range files {
		file := filepath.Join(root, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(content), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{
		"first 00:09 two words / new name", "second 00:08 hi / -", "long 00:07 hello / long one", "mid 00:06 hello / -", "top 00:05  / -",
		"empty 00:00  / -", "v1 00:53 from format 1 / -",
	}
	var got []string
	failed := 0
	for info, err := range newStore(root, Options{}).List(bg) {
		if err != nil {
			if !errors.Is(err, session.ErrNotASession) || filepath.Base(info.Ref) != "t_bad.jsonl" {
				t.Errorf("error %v of %s", err, info.Ref)
			}
			failed++
			continue
		}
		name := "-"
		if info.Name != nil {
			name = *info.Name
		}
		got = append(got, fmt.Sprintf("%s %s %s / %s", info.ID, info.Modified.UTC().Format("15:04"), info.FirstMessage, name))
	}
	// The entries of the v1 file have the date of the year before.
	want[6] = "v1 00:00 from format 1 / -"
	if !slices.Equal(got, want) || failed != 1 {
		t.Errorf("%d failed, got\n%s\nwant\n%s", failed, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A list reads the two ends of a file, whatever its size.
func TestListReadsTheEndsOnly(t *testing.T) {
	long := longSession(t, 1000)
	root := filepath.Dir(long)
	s := newStore(root, Options{})
	counted := &countingFS{FS: s.fs}
	s.fs = counted
	n := 0
	for info, err := range s.List(bg) {
		if err != nil || info.FirstMessage == "" {
			t.Errorf("info %+v, %v", info, err)
		}
		n++
	}
	if n != 1 || counted.read > 2*edge {
		t.Errorf("%d sessions, %d bytes read", n, counted.read)
	}
}

type countingFS struct {
	fsx.FS
	read int64
}

type countingFile struct {
	fsx.File
	fs *countingFS
}

func (c *countingFS) Open(name string) (fsx.File, error) {
	f, err := c.FS.Open(name)
	return countingFile{f, c}, err
}

func (f countingFile) ReadAt(p []byte, off int64) (int, error) {
	f.fs.read += int64(len(p))
	return f.File.ReadAt(p, off)
}

func TestProjectDir(t *testing.T) {
	seen := map[string]string{}
	for _, cwd := range []string{"/a/b-c", "/a-b/c", "/a/b/c", "/", "", "/срв/проект", "/srv/プロジェクト", "/srv/a b", "/srv/a/b", "/srv/a_b",
		"/srv/" + strings.Repeat("長", 200), `C:\Users\me\x`, "/x/..hidden", "/x/\xff"} {
		dir := projectDir(cwd)
		if other, ok := seen[dir]; ok {
			t.Errorf("%q and %q share %s", cwd, other, dir)
		}
		seen[dir] = cwd
		if len(dir) > 100 || strings.ContainsAny(dir, `/\:. `) {
			t.Errorf("%q gives %q", cwd, dir)
		}
	}
	if got := projectDir("/srv/My Project (2)"); !strings.HasPrefix(got, "My-Project-2-") {
		t.Errorf("got %s", got)
	}
	if projectDir("/srv/p/") != projectDir("/srv/p") {
		t.Error("a slash at the end makes another project")
	}
}

func TestSessionIDs(t *testing.T) {
	for id, ok := range map[string]bool{"a": true, "a-b_c.9": true, "-a": false, "a.": false, "": false, "a b": false, "ä": false, "a/b": false} {
		if validID(id) != ok {
			t.Errorf("%q: %v", id, !ok)
		}
	}
}
