package rawjson

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

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
	for _, depth := range []int{maxDepth, maxDepth + 1} {
		v := []byte(strings.Repeat("[", depth) + strings.Repeat("]", depth))
		if got, want := Valid(v), reference(v); got != want {
			t.Errorf("depth %d: %v, want %v", depth, got, want)
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

func TestMembers(t *testing.T) {
	var got []string
	for k, v := range Members([]byte(` { "a" : 1 , "\u0062\n" : "x" , "c":{"d":[1,"}"]}, "é":null } `)) {
		got = append(got, k+"="+string(v))
	}
	if want := "a=1|b\n=\"x\"|c={\"d\":[1,\"}\"]}|é=null"; strings.Join(got, "|") != want {
		t.Errorf("got %q, want %q", strings.Join(got, "|"), want)
	}
	for range Members([]byte(`[1]`)) {
		t.Error("an array has no members")
	}
	if v := Get([]byte(`{"a":1,"a":2}`), "a"); string(v) != "2" {
		t.Errorf("the last of repeated names counts, got %s", v)
	}
}

func TestEdit(t *testing.T) {
	obj := []byte(`{"a": 1,"b":[1, 2],"a":3}`)
	for _, tt := range []struct{ got, want string }{
		{string(Set(obj, "b", []byte(`"x"`))), `{"a":1,"b":"x","a":3}`},
		{string(Set(obj, "a", []byte(`0`))), `{"a":0,"b":[1, 2]}`},
		{string(Set(obj, "c", []byte(`true`))), `{"a":1,"b":[1, 2],"a":3,"c":true}`},
		{string(Delete(obj, "a")), `{"b":[1, 2]}`},
		{string(Delete([]byte(`{"a":1}`), "a")), `{}`},
	} {
		if tt.got != tt.want {
			t.Errorf("got %s, want %s", tt.got, tt.want)
		}
	}
}

// JavaScript's own output for these values.
func TestJS(t *testing.T) {
	tests := []struct{ in, want string }{
		{`{ "b" : 1, "a" : [ 1 , 2 ] }`, `{"b":1,"a":[1,2]}`},
		{`{"b":1,"10":2,"9":3}`, `{"9":3,"10":2,"b":1}`},
		{`{"a":1,"b":2,"a":3}`, `{"a":3,"b":2}`},
		{`[1.0,1e21,1e-7,123456789012345680000,-0,0.000001]`, `[1,1e+21,1e-7,123456789012345680000,0,0.000001]`},
		{`"\u00e9\/\u001f\ud83d\ude00\ud83d"`, `"é/\u001f😀\ud83d"`},
		{`1e999`, `null`},
	}
	for _, tt := range tests {
		if got := string(JS([]byte(tt.in))); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.in, got, tt.want)
		}
	}
}

func FuzzValid(f *testing.F) {
	for _, v := range values {
		f.Add([]byte(v))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		got := Valid(b)
		if want := reference(b); got != want {
			t.Fatalf("%q: %v, want %v", b, got, want)
		}
		if !got {
			return
		}
		if s := strings.TrimSpace(string(b)); s[0] == '"' {
			want, _ := jsontext.AppendUnquote(nil, s)
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

func BenchmarkString(b *testing.B) {
	line := []byte(`"` + strings.Repeat(`the file session compaction branch (\"x\");\n`, 100) + `"`)
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		_ = String(line)
	}
}
