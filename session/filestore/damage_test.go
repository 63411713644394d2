package filestore

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/internal/lines"
	"github.com/coppice-dev/coppice/session"
)

// The rows of the table (docs/format.md, Reading damaged files). path is from
// the root to the leaf.
func TestDamage(t *testing.T) {
	c := chain(6)
	replace := func(i int, lines ...string) string { return text(slices.Concat(c[:i], lines, c[i+1:])...) }
	whole := "e0 e1 e2 e3 e4 e5"
	tests := []struct {
		name, file, path, problems string
	}{
		{"whole", text(c...), whole, ""},
		{"header only", text(c[0]), "", ""},
		{"no LF at the end", strings.TrimSuffix(text(c...), "\n"), whole, ""},
		{"CRLF", strings.ReplaceAll(text(c...), "\n", "\r\n"), whole, ""},
		{"byte-order mark", "\xef\xbb\xbf" + text(c...), whole, ""},
		{"blank lines", strings.ReplaceAll(text(c...), "\n", "\n \n\n"), whole, ""},
		{"blank lines before the header", "\n\n" + text(c...), whole, ""},
		{"garbage before the header", "garbage\n" + text(c...), whole, "damaged-line@1"},
		{"half a line", replace(3, c[3][:40]), "e0 e1 e3 e4 e5", "damaged-line@4 bridged@5"},
		{"half a line that ends in a brace", replace(3, strings.TrimSuffix(c[3], "}")), "e0 e1 e3 e4 e5", "damaged-line@4 bridged@5"},
		{"NUL bytes instead of a line", replace(3, strings.Repeat("\x00", 512)), "e0 e1 e3 e4 e5", "damaged-line@4 bridged@5"},
		{"NUL bytes between lines", replace(3, strings.Repeat("\x00", 512), c[3]), whole, "damaged-line@4"},
		{"NUL bytes in front of a line", replace(3, strings.Repeat("\x00", 512)+c[3]), whole, "damaged-line@4"},
		{"array", replace(3, "[]"), "e0 e1 e3 e4 e5", "not-an-entry@4 bridged@5"},
		{"null", replace(3, "null"), "e0 e1 e3 e4 e5", "not-an-entry@4 bridged@5"},
		{"scalar", replace(3, "42"), "e0 e1 e3 e4 e5", "not-an-entry@4 bridged@5"},
		{"object without a type", replace(3, `{"a":1}`), "e0 e1 e3 e4 e5", "not-an-entry@4 bridged@5"},
		{"two lines lost", text(c[0], c[1], c[2][:30], c[3][:30], c[4], c[5], c[6]), "e0 e3 e4 e5", "damaged-line@3 damaged-line@4 bridged@5"},
		{"root lost", text(c[0], c[1][:30], c[2], c[3]), "e1 e2", "damaged-line@2 unknown-parent@3"},
		{"lost before the nearest one", text(c[0], c[1], c[2][:30], line("x", "e0"), c[3]), "e0 x e2", "damaged-line@3 bridged@5"},
		{"joined", text(c[0], c[1], c[2]+c[3], c[4], c[5], c[6]), whole, "joined-line@3"},
		{"header and entry joined", text(c[0]+c[1], c[2]), "e0 e1", "joined-line@1"},
		{"torn and fused", text(c[0], c[1], c[2][:60]+c[3], c[4]), "e0 e2 e3", "damaged-line@3 bridged@3"},
		{"torn tail", text(c...) + line("e6", "e5")[:50], whole, "torn-tail@8"},
		{"torn tail after a whole entry", text(c...) + line("e6", "e5") + line("e7", "e6")[:50], whole + " e6", "torn-tail@8"},
		{"lone surrogate", replace(3, strings.Replace(c[3], "é", `\ud83d`, 1)), whole, ""},
		{"parent that was never there", text(c[0], c[1], line("x", "gone")), "x", "unknown-parent@3"},
		{"parentId missing", text(c[0], c[1], `{"type":"custom","id":"x","timestamp":"t"}`), "x", ""},
		{"self-parent", text(c[0], line("a", "a"), line("b", "a")), "a b", "self-parent@2"},
		{"cycle", text(c[0], line("a", "b"), line("b", "a"), line("c", "b")), "a b c", "forward-parent@2"},
		{"cycle that ends the file", text(c[0], line("a", "c"), line("b", "a"), line("c", "b")), "a b c", "forward-parent@2"},
		{"forward parent", text(c[0], c[1], line("x", "y"), line("y", "e0")), "e0 y", "forward-parent@3"},
		{"identical line", text(c[0], c[1], c[2], c[3], c[2], c[4]), "e0 e1 e2 e3", "duplicate-line@5"},
		{"identical line at the end", text(c[0], c[1], c[2], c[3], c[2]), "e0 e1 e2", "duplicate-line@5"},
		{"session written twice", text(c[0], c[1], c[2], c[0], c[1], c[2], c[3]), "e0 e1 e2", "second-header@4 duplicate-line@5 duplicate-line@6"},
		{"id used twice", text(c[0], c[1], c[2], strings.Replace(c[2], "한", "한한", 1), c[3]), "e0 e1 e2", "duplicate-id@4"},
		{"id used twice, under each other", text(c[0], line("a", ""), line("a", "a"), line("b", "a")), "a b", "duplicate-id@3 self-parent@3"},
		{"second header", text(c[0], c[1], c[0], c[2]), "e0 e1", "second-header@3"},
		{"no header", text(c[1:]...), whole, "missing-header@0"},
		{"header after an entry", text(c[1], c[0], c[2]), "e0 e1", "missing-header@0 second-header@2"},
		{"newer version", strings.Replace(text(c...), `"version":3`, `"version":99`, 1), whole, "newer-version@1"},
		{"entries without ids", text(c[0], `{"type":"custom","timestamp":"t","data":1}`, `{"type":"custom","timestamp":"t","data":2}`), "? ?", "missing-id@2 missing-id@3"},
		{"unknown first kept entry", text(c[0], c[1], `{"type":"compaction","id":"k","parentId":"e0","timestamp":"t","firstKeptEntryId":"gone"}`), "e0 k", "unknown-first-kept@3"},
		{"nothing kept, on purpose", text(c[0], c[1], `{"type":"compaction","id":"k","parentId":"e0","timestamp":"t","firstKeptEntryId":"k"}`), "e0 k", ""},
		{"unknown type", text(c[0], c[1], `{"type":"new thing","id":"n","parentId":"e0","timestamp":"t"}`, line("x", "n")), "e0 n x", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			file := write(t, tt.file)
			for _, indexFirst := range []bool{false, true} {
				l := open(t, file, session.Mode{})
				if indexFirst {
					kindsOf(t, l)
				}
				got := path(t, l)
				for i, id := range got {
					if lines.IsOwnID(id) {
						got[i] = "?"
					}
				}
				if want := words(tt.path); !slices.Equal(got, want) {
					t.Errorf("index first %v: path %q, want %q", indexFirst, got, want)
				}
				if got, want := kindsOf(t, l), words(tt.problems); !slices.Equal(got, want) {
					t.Errorf("index first %v: problems %q, want %q", indexFirst, got, want)
				}
				if again := kindsOf(t, l); !slices.Equal(again, words(tt.problems)) {
					t.Errorf("asked again: problems %q", again)
				}
			}
			if content(t, file) != tt.file {
				t.Error("reading changed the file")
			}
		})
	}
}

func TestNotASession(t *testing.T) {
	for name, file := range map[string]string{
		"text": "not a session\n", "empty": "", "blank": "\n\n", "JSON": "{\"a\":1}\n", "null": "null",
		"header without id": `{"type":"session","version":3}` + "\n", "NUL": strings.Repeat("\x00", 100),
	} {
		t.Run(name, func(t *testing.T) {
			p := write(t, file)
			s := newStore(t.TempDir(), Options{})
			for _, mode := range []session.Mode{{}, {Write: true}, {Write: true, Force: true}} {
				_, err := s.Open(bg, p, mode)
				if !errors.Is(err, session.ErrNotASession) || !strings.Contains(err.Error(), p) {
					t.Errorf("open: %v, want %v that names the file", err, session.ErrNotASession)
				}
			}
			if err := s.Delete(bg, p, session.Mode{}); !errors.Is(err, session.ErrNotASession) {
				t.Errorf("delete: %v", err)
			}
			if content(t, p) != file {
				t.Error("the file was changed")
			}
		})
	}
}

// A thousand early lines repeated, and cycles: open quickly.
func TestManyDuplicates(t *testing.T) {
	lines := chain(3000)
	lines = append(lines, lines[1:]...)
	for range 3000 {
		lines = append(lines, line("same", "same"))
	}
	l := open(t, write(t, text(lines...)), session.Mode{})
	if n := len(all(t, l)); n != 3000+1 {
		t.Errorf("%d entries", n)
	}
}

// A part of the session that is in the file twice is read once, no matter who
// wrote it, and the conversation continues where it was.
func TestRepeatedPart(t *testing.T) {
	at := func(l string, second int) string {
		return strings.Replace(l, "00:00:00.000Z", fmt.Sprintf("00:00:%02d.000Z", second), 1)
	}
	for name, id := range map[string]string{"pi's ids": "0000000%d", "our ids": "000000000000000%d"} {
		lines := []string{testHeader}
		for i := range 6 {
			parent := ""
			if i > 0 {
				parent = fmt.Sprintf(id, i-1)
			}
			lines = append(lines, at(line(fmt.Sprintf(id, i), parent), i))
		}
		for from := 1; from <= 6; from++ {
			for to := from; to <= 6; to++ {
				l := open(t, write(t, text(append(slices.Clone(lines), lines[from:to+1]...)...)), session.Mode{Write: true})
				if got := path(t, l); len(got) != 6 {
					t.Errorf("%s: with lines %d to %d again the path is %v", name, from, to, got)
				}
				e := entry("new", fmt.Sprintf(id, 5))
				if _, err := l.Append(bg, []*session.Entry{e}); err != nil {
					t.Fatal(err)
				}
				if err := l.Close(); err != nil {
					t.Fatal(err)
				}
				if got := path(t, open(t, l.Ref(), session.Mode{})); len(got) != 7 {
					t.Errorf("%s: with lines %d to %d again and one more the path is %v", name, from, to, got)
				}
			}
		}
	}
}

// A new branch is distinguished from a copy by its age, without reading the whole
// file.
func TestBranchIsNotACopy(t *testing.T) {
	lines := chain(3000)
	branch := strings.Replace(line("b", "e7"), "00:00:00.000Z", "00:00:09.000Z", 1)
	l := open(t, write(t, text(append(lines, branch)...)), session.Mode{})
	if e, err := l.Leaf(bg); err != nil || e.ID != "b" || l.x.whole {
		t.Errorf("%v, %v, the whole file was read: %v", e, err, l.x.whole)
	}
}
