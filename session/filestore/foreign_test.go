package filestore

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/coppice-dev/coppice/internal/lines"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/session"
)

// appendRaw writes to a file as a program does that knows no locks.
func appendRaw(t *testing.T, file, what string) {
	t.Helper()
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(what); err != nil {
		t.Fatal(err)
	}
}

func TestForeignAppend(t *testing.T) {
	base := text(chain(3)...)
	torn := line("torn", "e2")
	tests := []struct {
		name, file, added string
		foreign, all      string
	}{
		{"whole lines", base, text(line("f", "e2"), line("g", "f")), "f g", "e0 e1 e2 f g n"},
		{"no LF at their end", base, line("f", "e2"), "f", "e0 e1 e2 f n"},
		{"half a line", base, line("f", "e2")[:40], "", "e0 e1 e2 n"},
		{"blank line", base, "\n", "", "e0 e1 e2 n"},
		{"after a last line without LF", base[:len(base)-1], "\n" + text(line("f", "e2")), "f", "e0 e1 e2 f n"},
		{"only the missing LF", base[:len(base)-1], "\n", "", "e0 e1 e2 n"},
		{"the rest of a torn line", base + torn[:40], torn[40:] + "\n", "torn", "e0 e1 e2 torn n"},
		{"fused with a torn line", base + torn[:40], text(line("f", "e2")), "f", "e0 e1 e2 f n"},
		{"without an id", base, `{"type":"custom","id":"","parentId":"e2","timestamp":"t"}` + "\n", "?", "e0 e1 e2 ? n"},
	}
	for _, tt := range tests {
		for _, linked := range []bool{false, true} {
			t.Run(tt.name, func(t *testing.T) {
				file := write(t, tt.file)
				l := open(t, file, session.Mode{Write: true})
				leaf, err := l.Leaf(bg)
				if err != nil {
					t.Fatal(err)
				}
				if linked {
					kindsOf(t, l)
				}
				appendRaw(t, file, tt.added)
				foreign := mustAppend(t, l, entry("n", "e2"))
				mask := func(ids []string) []string {
					for i, id := range ids {
						if lines.IsOwnID(id) {
							ids[i] = "?"
						}
					}
					return ids
				}
				if got := mask(ids(foreign)); !slices.Equal(got, words(tt.foreign)) {
					t.Errorf("foreign %q, want %q", got, tt.foreign)
				}
				checkPath(t, "ours is a sibling", l, "e0 e1 e2 n")
				if again, err := l.Find(bg, "e2", -1); err != nil || again != leaf {
					t.Errorf("a known entry is another object now (%v)", err)
				}
				if got := mask(all(t, l)); !slices.Equal(got, words(tt.all)) {
					t.Errorf("all %q, want %q", got, tt.all)
				}
				l.Close()
				again := open(t, file, session.Mode{})
				checkPath(t, "reopened", again, "e0 e1 e2 n")
				if got := mask(all(t, again)); !slices.Equal(got, words(tt.all)) {
					t.Errorf("reopened: all %q, want %q", got, tt.all)
				}
			})
		}
	}
}

// A file that is no longer ours is not written to; when ours is back the next
// append continues.
func TestReplaced(t *testing.T) {
	base := text(chain(3)...)
	tests := []struct {
		name   string
		change func(file string) error
	}{
		{"another file", func(f string) error {
			return errors.Join(os.Rename(f, f+".away"), os.WriteFile(f, []byte(base), 0o600))
		}},
		{"gone", func(f string) error { return os.Rename(f, f+".away") }},
		{"folder gone", func(f string) error { return os.Rename(filepath.Dir(f), filepath.Dir(f)+".away") }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			file := write(t, base)
			l := open(t, file, session.Mode{Write: true})
			if err := tt.change(file); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if _, err := l.Append(bg, []*session.Entry{entry("n", "e2")}); !errors.Is(err, session.ErrReplaced) {
					t.Fatalf("append: %v, want %v", err, session.ErrReplaced)
				}
				checkPath(t, "still usable", l, "e0 e1 e2")
			}
			if err := os.Rename(filepath.Dir(file)+".away", filepath.Dir(file)); err != nil {
				if err := os.Rename(file+".away", file); err != nil {
					t.Fatal(err)
				}
			}
			mustAppend(t, l, entry("n", "e2"))
			l.Close()
			checkPath(t, "reopened", open(t, file, session.Mode{}), "e0 e1 e2 n")
		})
	}
}

func TestShrunkAndRewritten(t *testing.T) {
	for name, now := range map[string]string{
		"shrunk":    text(chain(2)...),
		"rewritten": text(append([]string{testHeader, line("other", "")}, chain(9)[1:]...)...),
	} {
		t.Run(name, func(t *testing.T) {
			file := write(t, text(chain(3)...))
			l := open(t, file, session.Mode{Write: true})
			path(t, l)
			if err := os.WriteFile(file, []byte(now), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := l.Append(bg, []*session.Entry{entry("n", "e2")}); !errors.Is(err, session.ErrReplaced) {
				t.Errorf("append: %v, want %v", err, session.ErrReplaced)
			}
			checkPath(t, "in memory", l, "e0 e1 e2")
			if content(t, file) != now {
				t.Error("the file was written to")
			}
		})
	}
}

// Two programs append in turns, one without locks: both tails stay, as branches.
func TestInterleaved(t *testing.T) {
	file := write(t, text(chain(1)...))
	l := open(t, file, session.Mode{Write: true})
	ours, theirs := "e0", "e0"
	for i := range 200 {
		o, f := "o"+string(rune('a'+i%26))+string(rune('a'+i/26)), "f"+string(rune('a'+i%26))+string(rune('a'+i/26))
		appendRaw(t, file, text(line(f, theirs)))
		if got := ids(mustAppend(t, l, entry(o, ours))); !slices.Equal(got, []string{f}) {
			t.Fatalf("foreign %q, want %q", got, f)
		}
		ours, theirs = o, f
	}
	l.Close()
	again := open(t, file, session.Mode{})
	if n := len(path(t, again)); n != 201 {
		t.Errorf("our path has %d entries, want 201", n)
	}
	if n := len(all(t, again)); n != 401 {
		t.Errorf("%d entries, want 401", n)
	}
	if got := kindsOf(t, again); len(got) > 0 {
		t.Errorf("problems %q", got)
	}
}

// putAt puts a session of another agent where that agent keeps it.
func putAt(t *testing.T, path, content string) string {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o644)); err != nil {
		t.Fatal(err)
	}
	return path
}

// A file in no folder of ours that another program writes to while it is open is
// not written to until that has been quiet for ten minutes. What it wrote is read
// in at once. Our own folder, and force, go on after its words.
func TestAnotherAgentBeginsToWrite(t *testing.T) {
	for name, tt := range map[string]struct {
		folder, root string
		force        bool
		refused      bool
	}{
		"an agent's folder":           {".pi/agent/sessions/--srv-p--", "coppice", false, true},
		"an agent's folder, as ours":  {".pi/agent/sessions/--srv-p--", ".pi/agent/sessions", false, true},
		"anyone's folder":             {"work", "coppice", false, true},
		"anyone's folder, no root":    {"work", "", false, true},
		"anyone's folder, with force": {"work", "", true, false},
		"our own folder":              {"coppice/p", "coppice", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			home, now := t.TempDir(), time.Now()
			file := putAt(t, filepath.Join(home, tt.folder, "s.jsonl"), text(chain(2)...))
			old := now.Add(-time.Hour)
			if err := os.Chtimes(file, old, old); err != nil {
				t.Fatal(err)
			}
			root := tt.root
			if root != "" {
				root = filepath.Join(home, root)
			}
			l, err := newStore(root, Options{Now: func() time.Time { return now }}).Open(bg, file, session.Mode{Write: true, Force: tt.force})
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			mustAppend(t, l, entry("0123456789abcde0", "e1")) // no one else writes
			appendRaw(t, file, text(line("theirs", "0123456789abcde0")))
			if err := os.Chtimes(file, now, now); err != nil {
				t.Fatal(err)
			}
			before := content(t, file)
			if foreign, err := l.Append(bg, nil); err != nil || !slices.Equal(ids(foreign), words("theirs")) {
				t.Fatalf("look: %q, %v", ids(foreign), err)
			}
			for range 2 {
				_, err := l.Append(bg, []*session.Entry{entry("0123456789abcde1", "theirs")})
				if !tt.refused {
					if err != nil {
						t.Fatal(err)
					}
					return
				}
				if !errors.Is(err, session.ErrForeignActive) || content(t, file) != before {
					t.Fatalf("append: %v", err)
				}
			}
			checkPath(t, "meanwhile", l.(*openLog), "e0 e1 0123456789abcde0 theirs")
			now = now.Add(foreignQuiet)
			mustAppend(t, l, entry("0123456789abcde1", "theirs"))
			checkPath(t, "quiet again", l.(*openLog), "e0 e1 0123456789abcde0 theirs 0123456789abcde1")
		})
	}
}

// An append that notices another program's words is itself the one refused.
func TestAppendThatNoticesAnother(t *testing.T) {
	file := write(t, text(chain(2)...))
	l := must.Get(newStore("", Options{}).Open(bg, file, session.Mode{Write: true}))
	defer l.Close()
	appendRaw(t, file, text(line("theirs", "e1")))
	foreign, err := l.Append(bg, []*session.Entry{entry("n", "e1")})
	if !errors.Is(err, session.ErrForeignActive) || !slices.Equal(ids(foreign), words("theirs")) {
		t.Errorf("%q, %v", ids(foreign), err)
	}
	if got := content(t, file); got != text(append(chain(2), line("theirs", "e1"))...) {
		t.Errorf("the file is now\n%s", got)
	}
}

// What another Coppice wrote, which takes the lock for each append, does not
// mean that another agent is at work.
func TestGrowthByAnotherCoppice(t *testing.T) {
	file := write(t, text(chain(2)...))
	l := must.Get(newStore("", Options{}).Open(bg, file, session.Mode{Write: true}))
	defer l.Close()
	appendRaw(t, file, text(line("0123456789abcdef", "e1")))
	if got := ids(mustAppend(t, l, entry("n", "0123456789abcdef"))); !slices.Equal(got, words("0123456789abcdef")) {
		t.Errorf("foreign %q", got)
	}
}

// An agent's file is known by where it is and what it is called, even if the
// agent's folder has been moved and whatever folder a store was told is its own.
func TestMovedFolderOfAnAgent(t *testing.T) {
	const id = "019b0000-0000-7000-8000-000000000001"
	stamped := "2026-01-01T00-00-00-000Z_" + id + ".jsonl"
	for path, agents := range map[string]bool{
		"data/sessions/--srv-p--/" + stamped:          true,  // pi with PI_CODING_AGENT_DIR
		"flat/" + stamped:                             true,  // pi with --session-dir
		"state/agents/main/sessions/" + id + ".jsonl": true,  // openclaw
		"x/" + projectDir("/srv/p") + "/" + stamped:   false, // ours
		"flat/2026-01-02T00-00-00-000Z_" + id:         false, // another time than in the header
		"flat/copy.jsonl":                             false,
		"flat/s-" + stamped:                           false,
	} {
		for _, root := range []string{"", ".", filepath.Dir(path), "elsewhere"} {
			t.Chdir(t.TempDir())
			putAt(t, path, text(chain(2)...))
			s := newStore(root, Options{})
			l, err := s.Open(bg, must.Get(filepath.Abs(path)), session.Mode{Write: true})
			if errors.Is(err, session.ErrForeignActive) != agents || !agents && err != nil {
				t.Errorf("root %q, %s: %v", root, path, err)
			}
			if err == nil {
				l.Close()
			}
			if got := mode(t, filepath.Dir(path)); agents && got != 0o755 {
				t.Errorf("root %q, %s: the folder has %o now", root, path, got)
			}
		}
	}
}
