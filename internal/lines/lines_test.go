package lines

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/internal/kinds"
	"github.com/coppice-dev/coppice/internal/rawjson"
)

func entryLine(id, parent, text string) string {
	p := "null"
	if parent != "" {
		p = fmt.Sprintf("%q", parent)
	}
	return fmt.Sprintf(`{"type":"message","id":%q,"parentId":%s,"timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":[{"type":"text","text":%q}]}}`, id, p, text)
}

func TestSplit(t *testing.T) {
	a, b := entryLine("a", "", "one"), entryLine("b", "a", "two é한🏷")
	header := `{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"}`
	tests := []struct {
		name, line string
		ids        []string
		lost       int
		kind       string
	}{
		{"blank", " \t\r", nil, 0, ""},
		{"empty", "", nil, 0, ""},
		{"entry", a, []string{"a"}, 0, ""},
		{"entry with CR", a + "\r", []string{"a"}, 0, ""},
		{"header", header, []string{"s"}, 0, ""},
		{"half", a[:40], nil, 1, kinds.ProblemDamagedLine},
		{"half that ends in a brace", strings.TrimSuffix(a, "]}}") + "}", nil, 1, kinds.ProblemDamagedLine},
		{"second half", a[40:], nil, 1, kinds.ProblemDamagedLine},
		{"NUL", strings.Repeat("\x00", 512), nil, 1, kinds.ProblemDamagedLine},
		{"NUL and entry", strings.Repeat("\x00", 512) + a, []string{"a"}, 1, kinds.ProblemDamagedLine},
		{"entry and NUL", a + "\x00\x00", []string{"a"}, 1, kinds.ProblemDamagedLine},
		{"null", "null", nil, 1, kinds.ProblemNotAnEntry},
		{"scalar", "42", nil, 1, kinds.ProblemNotAnEntry},
		{"array", "[]", nil, 1, kinds.ProblemNotAnEntry},
		{"object without type", `{"id":"a"}`, nil, 1, kinds.ProblemNotAnEntry},
		{"type that is not a string", `{"type":1,"id":"a"}`, nil, 1, kinds.ProblemNotAnEntry},
		{"joined", a + b, []string{"a", "b"}, 0, kinds.ProblemJoinedLine},
		{"joined with space", a + " " + b + " ", []string{"a", "b"}, 0, kinds.ProblemJoinedLine},
		{"three joined", a + b + a, []string{"a", "b", "a"}, 0, kinds.ProblemJoinedLine},
		{"whole then torn", a + b[:50], []string{"a"}, 1, kinds.ProblemDamagedLine},
		{"torn then whole", a[:len(a)-6] + b, []string{"b"}, 1, kinds.ProblemDamagedLine},
		{"torn, whole, torn, whole", a[:50] + b + a[:70] + b, []string{"b", "b"}, 2, kinds.ProblemDamagedLine},
		{"scalar then entry", "42 " + a, []string{"a"}, 1, kinds.ProblemNotAnEntry},
		{"lone surrogate", strings.Replace(a, "one", `\ud83d`, 1), []string{"a"}, 0, ""},
		{"bytes that are no UTF-8", strings.Replace(a, "one", "\xff\xfe", 1), []string{"a"}, 0, ""},
		{"unusual order", `{"timestamp":"t","message":{},"parentId":"p","id":"a","type":"x"}`, []string{"a"}, 0, ""},
		{"no id", `{"type":"message"}`, []string{""}, 0, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := Split([]byte(tt.line))
			var ids []string
			for _, r := range l.Records {
				ids = append(ids, rawjson.String(r.Head.ID))
				if raw := tt.line[r.Start:r.End]; !rawjson.Valid([]byte(raw)) || raw[0] != '{' {
					t.Errorf("record %q is not an object", raw)
				}
			}
			if !slices.Equal(ids, tt.ids) || l.Lost != tt.lost || l.Kind != tt.kind {
				t.Errorf("ids %q lost %d kind %q, want %q %d %q", ids, l.Lost, l.Kind, tt.ids, tt.lost, tt.kind)
			}
			if (l.Kind == "") != (l.Detail == "") {
				t.Errorf("kind %q has detail %q", l.Kind, l.Detail)
			}
		})
	}
}

// A complete entry after a torn one is found wherever the tear is, unless the
// tear makes one object of both.
func TestSplitLineTornAtEveryByte(t *testing.T) {
	a, b := entryLine("a", "", `say "hi" {"type":`), entryLine("b", "a", "two")
	for cut := range len(a) {
		l := Split([]byte(a[:cut] + b))
		n := len(l.Records)
		if n == 0 || rawjson.String(l.Records[n-1].Head.ID) != "b" {
			t.Errorf("cut at %d: %d records", cut, n)
		}
	}
}

func TestSplitLineHostileNestingEnds(t *testing.T) {
	line := bytes.Repeat([]byte(`{"type":`), 200_000)
	if l := Split(line); len(l.Records) != 0 || l.Kind != kinds.ProblemDamagedLine {
		t.Errorf("%d records, kind %q", len(l.Records), l.Kind)
	}
}

func TestScanHead(t *testing.T) {
	tests := []struct {
		name, obj, typ, id, parent string
		ok                         bool
	}{
		{"typical", entryLine("b", "a", "x"), "message", "b", "a", true},
		{"root", entryLine("b", "", "x"), "message", "b", "", true},
		{"escaped id", `{"type":"message","id":"a\"b","parentId":null,"timestamp":"t"}`, "message", `a"b`, "", true},
		{"custom order", `{"type":"custom","customType":"x","data":{"id":"no"},"id":"c","parentId":"b","timestamp":"t"}`, "custom", "c", "b", true},
		{"escaped name", `{"\u0074ype":"m","id":"a"}`, "m", "a", "", true},
		{"no type", `{"id":"a"}`, "", "a", "", false},
		{"empty", `{}`, "", "", "", false},
		{"scalar", `1`, "", "", "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h, ok := ScanHead([]byte(tt.obj))
			typ, id, parent := rawjson.String(h.Type), rawjson.String(h.ID), rawjson.String(h.ParentID)
			if ok != tt.ok || typ != tt.typ || id != tt.id || parent != tt.parent {
				t.Errorf("got %v %q %q %q", ok, typ, id, parent)
			}
		})
	}
}

func TestMigrate(t *testing.T) {
	kept := func(i int64) string {
		if i == 2 {
			return "two"
		}
		return ""
	}
	tests := []struct{ name, raw, parent, want string }{
		{"message", `{"type":"message","timestamp":"t","message":{"role":"user"},"x":1}`, "p",
			`{"type":"message","id":"n","parentId":"p","timestamp":"t","message":{"role":"user"},"x":1}`},
		{"root", `{"timestamp":"t","type":"message"}`, "", `{"type":"message","id":"n","parentId":null,"timestamp":"t"}`},
		{"compaction", `{"type":"compaction","timestamp":"t","summary":"s","firstKeptEntryIndex":2,"tokensBefore":1}`, "p",
			`{"type":"compaction","id":"n","parentId":"p","timestamp":"t","summary":"s","firstKeptEntryId":"two","tokensBefore":1}`},
		{"index of nothing", `{"type":"compaction","timestamp":"t","firstKeptEntryIndex":9}`, "p",
			`{"type":"compaction","id":"n","parentId":"p","timestamp":"t"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Migrate([]byte(tt.raw), "n", tt.parent, kept); string(got) != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestDerivedID(t *testing.T) {
	id := DerivedID([]byte("h"), 1, []byte("l"))
	if !IsOwnID(id) {
		t.Errorf("%q is not 16 hex digits", id)
	}
	// Pinned: other files may refer to a derived id.
	if want := "78bcea44c04c3528"; id != want {
		t.Errorf("got %s, want %s", id, want)
	}
	if id == DerivedID([]byte("h"), 2, []byte("l")) || id == DerivedID([]byte("g"), 1, []byte("l")) {
		t.Error("ids of different records are equal")
	}
}

func FuzzSplit(f *testing.F) {
	a := entryLine("a", "", "one")
	f.Add([]byte(a), []byte(a))
	f.Add([]byte(a[:30]), []byte("\x00"))
	f.Add([]byte(`{"type":`), []byte(`null`))
	f.Fuzz(func(t *testing.T, x, y []byte) {
		line := slices.Concat(x, y)
		l := Split(line)
		end := 0
		for _, r := range l.Records {
			if r.Start < end || r.End <= r.Start || r.End > len(line) {
				t.Fatalf("record at %d..%d after %d of %d", r.Start, r.End, end, len(line))
			}
			end = r.End
			if !rawjson.Valid(line[r.Start:r.End]) {
				t.Fatalf("record %q is not JSON", line[r.Start:r.End])
			}
		}
		if h, ok := ScanHead(line); rawjson.Valid(line) && ok {
			if len(l.Records) != 1 || !bytes.Equal(l.Records[0].Head.ID, h.ID) {
				t.Fatal("a whole record was lost")
			}
		}
	})
}
