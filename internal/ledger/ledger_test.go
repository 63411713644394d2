package ledger

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func collectOps(calls ...string) *Ledger {
	var k talk
	for _, script := range calls {
		k.runs(bash(script), "", false)
	}
	return k.collect()
}

func TestFilesOfAPath(t *testing.T) {
	tests := []struct {
		name     string
		scripts  []string
		counts   map[Class]int
		read, mo []string
	}{
		{"read and modified", []string{"cat a", "echo > a"}, map[Class]int{FileRead: 1, FileModified: 1}, nil, []string{"a"}},
		{"created stays created", []string{"touch a", "echo > a"}, map[Class]int{FileCreated: 1}, nil, []string{"a"}},
		{"deleted is no longer modified", []string{"echo > a", "rm a"}, map[Class]int{FileDeleted: 1}, nil, []string{"a"}},
		{"written again", []string{"rm a", "echo > a"}, map[Class]int{FileModified: 1}, nil, []string{"a"}},
		{"moved", []string{"echo > a", "mv a b"}, map[Class]int{FileMoved: 1}, nil, []string{"a", "b"}},
		{"moved and written again", []string{"mv a b", "echo > a"}, map[Class]int{FileMoved: 1, FileModified: 1}, nil, []string{"a", "b"}},
		{"sorted by UTF-16 units", []string{"cat 😀 ﬀ z"}, map[Class]int{FileRead: 3}, []string{"z", "😀", "ﬀ"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := collectOps(tt.scripts...)
			equal(t, l.Counts(), tt.counts)
			read, modified := l.Files()
			equal(t, read, tt.read)
			equal(t, modified, tt.mo)
			// the same in two ranges, the ledger of the first carried
			if n := len(tt.scripts); n > 1 {
				carried := Decode(collectOps(tt.scripts[:n-1]...).Encode(0))
				read, modified = Merge(carried, collectOps(tt.scripts[n-1])).Files()
				equal(t, read, tt.read)
				equal(t, modified, tt.mo)
			}
		})
	}
}

func TestMerge(t *testing.T) {
	older := &Ledger{Facts: []Fact{
		{Class: Constraint, Text: "Never push.", Entries: []string{"a"}},
		{Class: Command, Key: "make", Text: "make", Note: "exit 1", Entries: []string{"a"}},
		{Class: Error, Key: "make\n0", Text: "boom"},
		{Class: Error, Key: "read x\n0", Text: "ENOENT"},
		{Class: Open, Key: "todo/A", Text: "A"},
		{Class: Open, Key: "box/D", Text: "D"},
		{Class: Question, Text: "Which?"},
	}}
	newer := &Ledger{Facts: []Fact{
		{Class: Constraint, Text: "Never push.", Entries: []string{"b"}},
		{Class: FileRead, Key: "x", Text: "x"},
		{Class: Command, Key: "make", Text: "make", Note: "ok", Entries: []string{"b"}},
		{Class: Done, Key: "box/D", Text: "D"},
		{Class: Open, Key: "todo/B", Text: "B"},
	}}
	got := Merge(older, newer)
	equal(t, got.Facts, []Fact{
		{Class: Constraint, Text: "Never push.", Entries: []string{"a", "b"}},
		{Class: FileRead, Key: "x", Text: "x"},
		{Class: Command, Key: "make", Text: "make", Note: "ok", Entries: []string{"a", "b"}},
		{Class: Done, Key: "box/D", Text: "D"},
		{Class: Open, Key: "todo/B", Text: "B"},
	})
	equal(t, Merge(nil, nil).Facts, []Fact(nil))
	equal(t, Merge(got, &Ledger{}).Facts, got.Facts)
	equal(t, Merge(nil, got).Facts, got.Facts)
}

func TestCover(t *testing.T) {
	file := Fact{Class: FileModified, Key: "src/a.ts", Text: "src/a.ts"}
	moved := Fact{Class: FileMoved, Key: "a.go", Text: "a.go", Note: "b.go"}
	must := Fact{Class: Constraint, Text: "Never  push\nto main."}
	tests := []struct {
		fact Fact
		text string
		want bool
	}{
		{file, "changed src/a.ts.", true},
		{file, "`src/a.ts`:", true},
		{file, "./src/a.ts", true},
		{file, "src/a.ts:12 and", true},
		{file, "src/a.tsx", false},
		{file, "lib/src/a.ts", false},
		{file, "src/a.ts.bak", false},
		{file, "xsrc/a.ts src/a.ts", true},
		{file, "a.ts", false},
		{moved, "a.go became b.go", true},
		{moved, "b.go", false},
		{must, "- Never push to\n  main", true},
		{must, "- never push to main.", false},
		{Fact{Class: Constraint, Text: "Use a<b && c"}, "Use a&lt;b &amp;&amp; c", true},
		{Fact{Class: Identifier, Text: "foo_bar"}, "foo_bar_baz", false},
		{Fact{Class: Identifier, Text: "foo()"}, "call foo() now", true},
		{Fact{Class: Number, Text: "30 s"}, "130 s, 30 sec", false},
		{Fact{Class: Number, Text: "5%"}, "by 5% more", true},
		{Fact{Class: FileRead, Text: "a.md"}, "a.mdを読む", true},
		{Fact{Class: Error, Text: "panic: x"}, "error: panic: x at", true},
	}
	for _, tt := range tests {
		t.Run(tt.fact.Text+" in "+tt.text, func(t *testing.T) {
			l := &Ledger{Facts: []Fact{tt.fact}}
			want := Score{Facts: 1}
			if tt.want {
				want.Kept = 1
			}
			equal(t, l.Cover(tt.text), Coverage{tt.fact.Class: want})
			equal(t, len(l.Missing(tt.text)), 1-want.Kept)
		})
	}
}

func TestMissingOrder(t *testing.T) {
	l := &Ledger{Facts: []Fact{{Class: Request, Text: "r"}, {Class: Constraint, Text: "c1"}, {Class: Constraint, Text: "c2"},
		{Class: FileRead, Text: "f"}, {Class: Error, Text: "e"}, {Class: Open, Text: "o"}}}
	var got []string
	for _, f := range l.Missing("") {
		got = append(got, f.Text)
	}
	equal(t, strings.Join(got, " "), "f r o e c1 c2")
}

// facts draws ledgers as Collect could make them.
func facts(t *rapid.T) *Ledger {
	word := rapid.StringMatching(`[a-zA-Zé한<&"./_-]{1,12}( [a-z0-9.]{1,6}){0,3}`)
	s := newSet()
	for range rapid.IntRange(0, 30).Draw(t, "n") {
		f := Fact{Class: rapid.SampledFrom(Classes).Draw(t, "class"), Text: word.Draw(t, "text"), Entries: []string{word.Draw(t, "id")}}
		switch f.Class {
		case FileRead, FileModified, FileCreated, FileDeleted, FileMoved:
			f.Key = f.Text
		}
		if f.Class == FileMoved {
			f.Note = word.Draw(t, "to")
		}
		s.add(f)
	}
	return s.ledger()
}

func TestProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, m := facts(t), facts(t)
		if got := Decode(l.Encode(1 << 20)); fmt.Sprint(got.Facts) != fmt.Sprint(l.Facts) {
			t.Fatalf("carried\n%v\ncame back\n%v", l.Facts, got.Facts)
		}
		size := rapid.IntRange(1, 2000).Draw(t, "size")
		if raw := l.Encode(size); len(raw) > max(size, len(`{"facts":[]}`)) {
			t.Fatalf("%d bytes instead of %d", len(raw), size)
		}
		var lines []string
		for _, f := range l.Facts {
			if strings.ContainsAny(f.Line(), "\n\r") {
				t.Fatalf("several lines: %q", f.Line())
			}
			lines = append(lines, f.Line())
		}
		if missing := l.Missing(strings.Join(lines, "\n")); len(missing) > 0 {
			t.Fatalf("not found in its own line: %v", missing)
		}
		both := Merge(l, m)
		for _, c := range []Class{Constraint, FileRead} {
			have := strings.Join(texts(both, c), "\n") + "\n"
			for _, text := range append(texts(l, c), texts(m, c)...) {
				if !strings.Contains(have, text+"\n") {
					t.Fatalf("%s %q is lost", c, text)
				}
			}
		}
		if again := Merge(both, m); fmt.Sprint(again.Counts()) != fmt.Sprint(both.Counts()) {
			t.Fatalf("merging twice: %v, %v", both.Counts(), again.Counts())
		}
	})
}

func TestEncodeKeepsConstraintsLongest(t *testing.T) {
	l := &Ledger{}
	for i := range 50 {
		l.Facts = append(l.Facts, Fact{Class: Constraint, Text: fmt.Sprintf("Never do %d.", i)})
	}
	for i := range 2000 {
		l.Facts = append(l.Facts, Fact{Class: FileRead, Key: fmt.Sprintf("dir/%04d", i), Text: fmt.Sprintf("dir/%04d", i)})
	}
	l.Facts = append(l.Facts, Fact{Class: Error, Key: "x\n0", Text: "boom"})
	got := Decode(l.Encode(8 << 10))
	c := got.Counts()
	if c[Constraint] != 50 || c[Error] != 1 || c[FileRead] < 50 || c[FileRead] > 250 {
		t.Errorf("got %v", c)
	}
	if r := got.Of(FileRead); r[len(r)-1].Text != "dir/1999" {
		t.Errorf("the newest is %q", r[len(r)-1].Text)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"facts":[{"c":"constraint","t":"x","e":["a"]},{"c":"file-read","k":true,"t":"p"}]}`))
	f.Add([]byte(`{"facts":{"c":1}}`))
	f.Add([]byte(`[`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		l := Decode(raw)
		if again := Decode(l.Encode(2 << 20)); fmt.Sprint(again.Facts) != fmt.Sprint(l.Facts) {
			t.Fatalf("%v became %v", l.Facts, again.Facts)
		}
		l.Cover(string(raw))
		l.Files()
	})
}
