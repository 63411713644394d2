package rawjson

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// referenceDepth is how deep the reference reads.
const referenceDepth = 10_000

// reference is what JSON.parse accepts, in another library's words.
func reference(b []byte) bool {
	return jsontext.Value(b).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

var values = []string{
	``, ` `, `{}`, `[]`, `null`, `true`, `false`, `nul`, `truex`, `0`, `-0`, `01`, `1.`, `.5`, `1.5e10`, `1e`, `1e+`, `-`, `1E-7`, `+1`,
	`"a"`, `"`, `"\"`, `"\n\t\"\\\/\b\f\r"`, `"\x"`, `"\u00e9"`, `"\u00"`, `"\ud83d\ude00"`, `"\ud83d"`, `"\ud83dx"`, `"\ud83d\u0041"`, `"\udc00"`,
	"\"\x1f\"", "\"\x7f\"", "\"\xff\"", "\"é한🏷\"", "\"\n\"", `"12345678"`, `"1234567\n89"`, "\"1234567\x00\"",
	`{"a":1,"a":2}`, `{"a":1,}`, `{"a"}`, `{"a":}`, `{a:1}`, `{,}`, `{"a":1 "b":2}`, `{"a":[1,2,{"b":null}]}`, ` { "a" : 1 } `,
	`[1,]`, `[,1]`, `[1 2]`, `[1,2`, `{"a":1`, `{}{}`, `[]x`, "\ufeff{}", `{"\u0061":1}`, `{"a\"b":"}"}`,
}

func TestValid(t *testing.T) {
	for _, v := range values {
		if got, want := Valid([]byte(v)), reference([]byte(v)); got != want {
			t.Errorf("%q: %v, want %v", v, got, want)
		}
	}
}

// nested is a value so many levels deep: arrays and objects in turn.
func nested(depth int, core string) []byte {
	var head, tail strings.Builder
	for i := range depth {
		if (depth-i)%2 == 0 {
			head.WriteString(`{"a" : `)
		} else {
			head.WriteString(`[ `)
		}
	}
	for i := range depth {
		tail.WriteByte("]}"[i%2])
	}
	return []byte(head.String() + core + tail.String())
}

// A value may be nested as deeply as it may be long.
func TestDeep(t *testing.T) {
	for _, depth := range []int{1, maxDepth, maxDepth + 1, referenceDepth - 1, referenceDepth + 1, 12_000, 1_000_000} {
		v := nested(depth, `"x\"]}"`)
		if !Valid(v) || Valid(v[1:]) || Valid(v[:len(v)-1]) || Valid(append(slices.Clone(v), '}')) {
			t.Errorf("depth %d: validity is wrong", depth)
		}
		wrong := bytes.Replace(v, []byte(`"x`), []byte(`x"`), 1)
		if got, n := First(wrong); got != nil || n != bytes.IndexByte(wrong, 'x') {
			t.Errorf("depth %d: reading a damaged value stopped at %d, want %d", depth, n, bytes.IndexByte(wrong, 'x'))
		}
		if Deeper(v, depth) || !Deeper(v, depth-1) {
			t.Errorf("depth %d: is not measured so", depth)
		}
		if want := bytes.ReplaceAll(v, []byte(" "), nil); !bytes.Equal(JS(v), want) {
			t.Errorf("depth %d: JS changed more than white space", depth)
		}
		s := NewScanner(fmt.Appendf(nil, `{"a":%s,"b":1}`, v))
		var names []string
		for name := range s.Members() {
			names = append(names, string(name))
			s.Value()
		}
		if !s.End() || !slices.Equal(names, []string{"a", "b"}) {
			t.Errorf("depth %d: scanned members %q", depth, names)
		}
	}
}

func TestFirst(t *testing.T) {
	for _, tt := range []struct {
		in, v string
		n     int
	}{
		{``, "", 0}, {`  `, "", 2}, {` 1 2`, "1", 2}, {`{"a":[1]}{}`, `{"a":[1]}`, 9}, {`{"a":[1}`, "", 7}, {`"ab`, "", 3},
		{`truex`, "true", 4}, {`trux`, "", 0}, {`{"a" 1}`, "", 5}, {`{"a":"\q"}`, "", 6}, {`[1,2`, "", 4}, {`-`, "", 1},
	} {
		if v, n := First([]byte(tt.in)); string(v) != tt.v || n != tt.n {
			t.Errorf("%q: %q, %d, want %q, %d", tt.in, v, n, tt.v, tt.n)
		}
	}
}

func TestString(t *testing.T) {
	tests := []struct{ in, want string }{
		{`"a b"`, "a b"}, {` "a" `, "a"}, {`""`, ""}, {`1`, ""}, {`"`, ""}, {``, ""}, {`{"a":1}`, ""},
		{`"\n\t\"\\\/\b\f\r"`, "\n\t\"\\/\b\f\r"}, {`"x\u00e9y"`, "xéy"}, {`"\u0000"`, "\x00"},
		{`"\ud83d\ude00!"`, "😀!"}, {`"\ud83d"`, "\ufffd"}, {`"\ud83dA"`, "\ufffdA"}, {`"\ud83d\u0041"`, "\ufffdA"}, {`"\ude00\ud83d"`, "\ufffd\ufffd"},
		{"\"\xff\xfe\"", "\ufffd\ufffd"}, {"\"é\\n한\"", "é\n한"},
	}
	for _, tt := range tests {
		if got := String([]byte(tt.in)); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestNumbers(t *testing.T) {
	for in, want := range map[string]int64{`0`: 0, `12`: 12, `-3`: -3, `1.9`: 1, `"42"`: 42, `"x"`: 0, `1e3`: 1000, `999999999999999`: 999999999999999,
		`1234567890123456`: 1234567890123456, `1e300`: 0, `null`: 0, ``: 0, ` 7 `: 7} {
		if got := Int([]byte(in)); got != want {
			t.Errorf("Int(%s) = %d, want %d", in, got, want)
		}
	}
}

// Objects with many members are read by a map instead of a list.
func TestJSOfManyMembers(t *testing.T) {
	var in, want strings.Builder
	for i := range 3 * fewMembers {
		fmt.Fprintf(&in, `"k%d":0,`, i)
		fmt.Fprintf(&want, `,"k%d":%d`, i, i)
	}
	for i := range 3 * fewMembers {
		fmt.Fprintf(&in, `"k%d":%d,`, i, i)
	}
	if got := string(JS([]byte("{" + in.String() + `"7":1}`))); got != `{"7":1`+want.String()+"}" {
		t.Errorf("got %s", got)
	}
}

func TestQuotedLen(t *testing.T) {
	for _, s := range []string{"", "a", "plain text of some length", "a\"b\\c\n\t\r\b\f", "\x00\x1f\x7f", "é한🏷", "\xff\xfe", "1234567\n", "12345678\n\n", "<&>\u2028"} {
		if got, want := QuotedLen(s), len(Quote(s)); got != want {
			t.Errorf("%q: %d, want %d", s, got, want)
		}
	}
}

func FuzzValid(f *testing.F) {
	for _, v := range values {
		f.Add([]byte(v))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		got := Valid(b)
		if want := reference(b); got != want && !(got && Deeper(b, referenceDepth)) {
			t.Fatalf("%q: %v, want %v", b, got, want)
		}
		if !got {
			return
		}
		if s := strings.TrimSpace(string(b)); s[0] == '"' {
			want, _ := jsontext.AppendUnquote(nil, s)
			if n := QuotedLen(string(want)); n != len(Quote(string(want))) {
				t.Fatalf("%q: quoted length %d, want %d", want, n, len(Quote(string(want))))
			}
			if String(b) != string(want) {
				t.Fatalf("%q: %q, want %q", b, String(b), want)
			}
		}
		// Whatever walks a valid value ends and stays inside it.
		for name, v := range Fields(b) {
			if !Valid(v) {
				t.Fatalf("member %q of %q is %q", name, b, v)
			}
		}
		for v := range Elements(b) {
			if !Valid(v) {
				t.Fatalf("element of %q is %q", b, v)
			}
		}
		if js := JS(b); !Valid(js) {
			t.Fatalf("JS(%q) = %q", b, js)
		}
	})
}

func BenchmarkValid(b *testing.B) {
	line := []byte(`{"type":"message","text":"` + strings.Repeat(`the file session compaction branch (\"x\");\n`, 100) + `"}`)
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		Valid(line)
	}
}

func BenchmarkValidNested(b *testing.B) {
	line := []byte(`[` + strings.Repeat(`{"path":"a.go","edits":[{"old":"x","new":"y","line":17}],"done":true},`, 100) + `0]`)
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		Valid(line)
	}
}

func BenchmarkString(b *testing.B) {
	line := []byte(`"` + strings.Repeat(`the file session compaction branch (\"x\");\n`, 100) + `"`)
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		_ = String(line)
	}
}
