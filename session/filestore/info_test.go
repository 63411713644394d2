package filestore

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/internal/lines"
	"github.com/coppice-dev/coppice/session"
	"pgregory.net/rapid"
)

// A list stops reading as soon as it can; it says what all entries together say.
func TestInfoSaysWhatAllEntriesSay(t *testing.T) {
	pieces := []string{
		said("a", "", "user", " ", 1), said("b", "a", "user", "first words", 2), said("c", "b", "assistant", "an answer", 3),
		said("d", "c", "toolResult", "a result", 4), said("e", "d", "user", "about a session_info entry", 5), named("one"), named(""),
		`{"type":"message","id":"f","parentId":null,"message":{"role":"user","content":"no time"}}`,
		`{"type":"message","id":"g"`, testHeader, `{"type":"title","v":1}`, "", "not JSON", `{"type":"x","id":"h","parentId":null,"customType":"session_info"}`,
	}
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		if rapid.Bool().Draw(t, "header") {
			b.WriteString(testHeader + "\n")
		}
		for range rapid.IntRange(0, 12).Draw(t, "lines") {
			b.WriteString(rapid.SampledFrom(pieces).Draw(t, "piece"))
			b.WriteString(rapid.SampledFrom([]string{"\n", "\n", "\n", "\r\n", "", "\n\n"}).Draw(t, "end"))
		}
		file := []byte(b.String())
		var all []*session.Entry
		for _, r := range new(scanner).scan(file, 0).recs {
			if h, ok := lines.ScanHead(file[r.off : r.off+int64(r.n)]); ok && !r.isHeader() {
				all = append(all, entryOf(h, file[r.off:r.off+int64(r.n)]))
			}
		}
		var want, got session.Info
		want.Describe(all, nil)
		lines := strings.SplitAfter(b.String(), "\n")
		border := rapid.IntRange(0, len(lines)).Draw(t, "lines in the head")
		head, tail := strings.Join(lines[:border], ""), strings.Join(lines[border:], "")
		last, timed := lastEntries([]byte(tail), false)
		_, first, rest, _ := firstEntries([]byte(head))
		more, _ := lastEntries(rest, timed)
		got.Describe(append(first, more...), last)
		if border < len(lines) {
			want.FirstMessage = got.FirstMessage // looked for in the head alone
		}
		if describe(got) != describe(want) {
			t.Fatalf("%s, want %s, of\n%s", describe(got), describe(want), file)
		}
	})
}

func describe(i session.Info) string {
	name := "none"
	if i.Name != nil {
		name = fmt.Sprintf("%q", *i.Name)
	}
	return fmt.Sprintf("first %q, name %s, modified %s", i.FirstMessage, name, i.Modified)
}

// The parts of a file that a list reads touch without losing a line.
func TestEdges(t *testing.T) {
	line := strings.Repeat("x", 999) + "\n"
	for _, lines := range []int{1, 65, 66, 100, 131, 132, 400} {
		path := write(t, strings.Repeat(line, lines))
		f, err := newStore(t.TempDir(), Options{}).fs.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		var buf []byte
		head, tail, err := readEdges(f, int64(lines*1000), &buf)
		if err != nil {
			t.Fatal(err)
		}
		got := []int{len(head) / 1000, len(tail) / 1000}
		want := []int{min(lines, 65), 0}
		switch {
		case lines > 131:
			want[1] = 65
		case lines > 65:
			want[1] = lines - 65
		}
		if len(head)%1000+len(tail)%1000 != 0 || got[0] != want[0] || got[1] != want[1] {
			t.Errorf("%d lines: %d and %d bytes, want %v lines", lines, len(head), len(tail), want)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		if err := os.Remove(path); err != nil {
			t.Error(err)
		}
	}
}
