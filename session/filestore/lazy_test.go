package filestore

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/internal/lines"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/session"
	"pgregory.net/rapid"
)

// drawFile draws a session file: branches, duplicates, ids of both kinds,
// unknown parents, long lines, and damage of every sort.
func drawFile(t *rapid.T) []byte {
	var b bytes.Buffer
	if rapid.IntRange(0, 9).Draw(t, "header") > 0 {
		b.WriteString(testHeader + "\n")
	}
	ids := []string{"gone"}
	var lines []string
	n := rapid.IntRange(0, 30).Draw(t, "n")
	for i := range n {
		id := fmt.Sprintf("e%d", i)
		switch rapid.IntRange(0, 9).Draw(t, "id") {
		case 0:
			id = rapid.SampledFrom(ids).Draw(t, "used id")
		case 1, 2:
			id = fmt.Sprintf("%016x", i)
		}
		parent := ids[len(ids)-1]
		switch rapid.IntRange(0, 7).Draw(t, "parent") {
		case 0:
			parent = ""
		case 1:
			parent = rapid.SampledFrom(ids).Draw(t, "other parent")
		case 2:
			parent = fmt.Sprintf("e%d", i+1)
		}
		l := line(id, parent)
		switch rapid.IntRange(0, 14).Draw(t, "damage") {
		case 0:
			l = l[:rapid.IntRange(0, len(l)).Draw(t, "cut")]
		case 1:
			l = strings.Repeat("\x00", 20)
		case 2:
			l = rapid.SampledFrom([]string{"", " ", "null", "[1]", "{}", testHeader, `{"type":"x"}`, `{"type":"x","id":"y"}`}).Draw(t, "odd")
		case 3:
			if len(lines) > 0 {
				l = rapid.SampledFrom(lines).Draw(t, "again")
			}
		case 4:
			l = l[:rapid.IntRange(0, len(l)).Draw(t, "cut")] + line("f"+id, parent)
		case 5:
			l += line("j"+id, id)
		default:
			ids = append(ids, id)
		}
		lines = append(lines, l)
		b.WriteString(l)
		b.WriteString(rapid.SampledFrom([]string{"\n", "\n", "\n", "\n", "\r\n", "\n\n", ""}).Draw(t, "end"))
	}
	return b.Bytes()
}

// answers writes down everything that a log says about its tree.
func answers(t interface{ Fatal(...any) }, l *openLog) string {
	var b strings.Builder
	e, err := l.Leaf(bg)
	for n := 0; e != nil && err == nil; e, err = l.Parent(bg, e) {
		fmt.Fprintf(&b, "%s %s %+v %s\n", e.ID, e.Time, e.Meta(), must.Get(e.Raw()))
		if n++; n > 100_000 {
			t.Fatal("the path does not end")
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

type fataler interface {
	Fatal(...any)
	Fatalf(string, ...any)
}

// Whether the bytes are kept or read again makes no difference.
func checkLazyIsIndexed(t fataler, dir string, file []byte) {
	for _, keep := range []int64{keepBytes, 0, 100_000} {
		checkLazyKeeping(t, dir, file, keep)
	}
}

func checkLazyKeeping(t fataler, dir string, file []byte, keep int64) {
	p := filepath.Join(dir, "s.jsonl")
	if err := os.WriteFile(p, file, 0o600); err != nil {
		t.Fatal(err)
	}
	s := newStore(dir, Options{})
	s.keep = keep
	opened, err := s.Open(bg, p, session.Mode{})
	if err != nil {
		return // no session
	}
	lazy := opened.(*openLog)
	defer lazy.Close()
	opened, err = s.Open(bg, p, session.Mode{})
	if err != nil {
		t.Fatal(err)
	}
	indexed := opened.(*openLog)
	defer indexed.Close()
	if _, err := indexed.Problems(bg, true); err != nil {
		t.Fatal(err)
	}
	if a, b := answers(t, lazy), answers(t, indexed); a != b {
		t.Fatalf("lazy (whole in the end: %v):\n%s\nindexed:\n%s", lazy.x.whole, a, b)
	}
	// The same from every entry (of a long file, from some), asked of a log
	// that has read nothing yet.
	mostRead, fewest := 20<<20, 5 // bytes, about
	if testing.Short() {
		mostRead, fewest = 1<<20, 2
	}
	probes := min(50, max(fewest, mostRead/(len(file)+1)))
	step, i := 1+len(indexed.x.recs)/probes, 0
	for e, err := range indexed.All(bg) {
		if err != nil {
			t.Fatal(err)
		}
		if i++; i%step != 0 {
			continue
		}
		fresh, err := s.Open(bg, p, session.Mode{})
		if err != nil {
			t.Fatal(err)
		}
		a, err1 := fresh.Find(bg, e.ID, -1)
		b, err2 := indexed.Find(bg, e.ID, -1)
		if err1 != nil || err2 != nil || !bytes.Equal(must.Get(a.Raw()), must.Get(b.Raw())) {
			t.Fatalf("find %q: %v %v, %v %v", e.ID, a, err1, b, err2)
		}
		a, err1 = fresh.Parent(bg, e)
		b, err2 = indexed.Parent(bg, e)
		if err1 != nil || err2 != nil || (a == nil) != (b == nil) || a != nil && !bytes.Equal(must.Get(a.Raw()), must.Get(b.Raw())) {
			t.Fatalf("parent of %q: %v %v, %v %v", e.ID, a, err1, b, err2)
		}
		fresh.Close()
	}
	if now, _ := os.ReadFile(p); !bytes.Equal(now, file) {
		t.Fatal("reading changed the file")
	}
}

func TestLazyIsIndexed(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) { checkLazyIsIndexed(t, dir, drawFile(t)) })
}

// checkNothingLost looks for every entry that is alone on a line.
func checkNothingLost(t *testing.T, dir string, file []byte) {
	l, err := newStore(dir, Options{}).Open(bg, filepath.Join(dir, "s.jsonl"), session.Mode{})
	raws := map[string]bool{}
	ids := 0
	if err == nil {
		defer l.Close()
		for e, err := range l.All(bg) {
			if err != nil {
				t.Fatal(err)
			}
			raws[string(must.Get(e.Raw()))] = true
			ids++
			if e.ID == "" || !rawjson.Valid(must.Get(e.Raw())) {
				t.Fatalf("entry %q: %s", e.ID, must.Get(e.Raw()))
			}
		}
	}
	file = bytes.TrimPrefix(file, []byte("\xef\xbb\xbf"))
	for _, raw := range bytes.Split(file, []byte("\n")) {
		raw = bytes.Trim(raw, " \t\r")
		if !rawjson.Valid(raw) || rawjson.Kind(raw) != '{' {
			continue
		}
		h, ok := lines.ScanHead(raw)
		if !ok || rawjson.String(h.Type) == "session" {
			continue
		}
		if err != nil {
			t.Fatalf("a file with an entry does not open: %v", err)
		}
		migrated := rawjson.String(h.ID) == "" || l.Header().Version < 2
		if ids == 0 || !migrated && !raws[string(raw)] {
			t.Fatalf("lost: %s", raw)
		}
	}
}

func FuzzLog(f *testing.F) {
	c := chain(4)
	for _, s := range []string{
		text(c...), text(c[1:]...), text(c[0], c[1], c[2][:40]+c[3], c[4]), text(c[0], c[1]+c[2], "null", "\x00\x00", c[3]),
		text(`{"type":"session","id":"v1","timestamp":"t","cwd":"/"}`, `{"type":"message","timestamp":"t","message":{"role":"user","content":"x"}}`,
			`{"type":"compaction","timestamp":"t","summary":"s","firstKeptEntryIndex":1}`),
		"", "\n", "not a session", "\xef\xbb\xbf" + text(c...), text(c[0], line("a", "b"), line("b", "a"), line("a", "a")),
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		dir := t.TempDir()
		checkLazyIsIndexed(t, dir, file)
		checkNothingLost(t, dir, file)
	})
}

// The index must not depend on where a file is cut for its workers.
func TestSegmentsDoNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		file := drawFile(t)
		build := func(segment int64) *index {
			x := newIndex(0, session.Header{Version: 3})
			x.whole = true
			f := bytes.NewReader(file)
			k := linker{index: x, read: func(r *record) ([]byte, error) { return readRecord(f, r) }}
			err := newScanners(func() *session.Reader { return nil }).stream(bg, f, 0, f.Size(), segment, func(s stretch) error {
				first := len(x.recs)
				x.append(s.batch)
				return k.link(first, s.parents)
			})
			if err != nil {
				t.Fatal(err)
			}
			k.end()
			return x
		}
		size := rapid.Int64Range(1, int64(len(file))+10).Draw(t, "segment")
		want, got := build(int64(len(file))+1), build(size)
		if !slices.Equal(got.recs, want.recs) || got.lines != want.lines || got.unreadable != want.unreadable || !slices.Equal(got.problems, want.problems) {
			t.Fatalf("segments of %d: %+v, %d lines, %d lost, %v\nwant %+v, %d, %d, %v", size, got.recs, got.lines, got.unreadable, got.problems,
				want.recs, want.lines, want.unreadable, want.problems)
		}
	})
}

// A session of any length opens by its tail alone.
func TestOpenReadsTheTailOnly(t *testing.T) {
	l := open(t, longSession(t, 5000), session.Mode{})
	e, err := l.Leaf(bg)
	for range 100 {
		if err != nil {
			t.Fatal(err)
		}
		e, err = l.Parent(bg, e)
	}
	if l.x.whole || l.end-l.x.from > firstStretch {
		t.Errorf("read %d of %d bytes, whole %v", l.end-l.x.from, l.end, l.x.whole)
	}
	// A hint leads far back without reading the entries between.
	far, err := open(t, l.Ref(), session.Mode{}).Find(bg, "10000005", -1)
	if err != nil {
		t.Fatal(err)
	}
	got, err := l.Find(bg, far.ID, far.At)
	if err != nil || !bytes.Equal(must.Get(got.Raw()), must.Get(far.Raw())) || l.x.whole {
		t.Errorf("find by hint: %v, whole %v", err, l.x.whole)
	}
	// Entries handed out earlier stay the same objects when the index is built.
	if _, err := l.Problems(bg, true); err != nil {
		t.Fatal(err)
	}
	again, _ := l.Find(bg, e.ID, e.At)
	held, _ := l.Find(bg, far.ID, far.At)
	if again != e || held != got {
		t.Error("the index made other objects of entries that are known")
	}
	if p, err := l.Parent(bg, got); err != nil || p.ID != "10000004" {
		t.Errorf("parent of a held entry: %v, %v", p, err)
	}
}

// A copy of older lines at the end does not move the leaf, whatever the line
// before it says of its time.
func TestCopiesAfterALineWithoutTime(t *testing.T) {
	pair := line("a", "") + line("b", "a")
	for name, before := range map[string]string{"no time": `{"type":"x","id":"y"}`, "no time that can be read": `{"type":"x","id":"y","timestamp":"soon"}`,
		"a time": `{"type":"x","id":"y","timestamp":"2026-01-01T00:00:00.000Z"}`} {
		t.Run(name, func(t *testing.T) {
			checkLazyIsIndexed(t, t.TempDir(), []byte(testHeader+"\n"+pair+"\n"+before+"\n"+pair))
		})
	}
}
