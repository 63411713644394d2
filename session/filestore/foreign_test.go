package filestore

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/coppice-dev/coppice/internal/lines"
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
