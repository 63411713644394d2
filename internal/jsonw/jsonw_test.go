package jsonw

import (
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/internal/rawjson"
)

func TestObjectKeepsOrder(t *testing.T) {
	var o Object
	o.Str("z", "a\"\xff")
	o.OptStr("none", "")
	o.Int("n", -3)
	o.Float("f", 1)
	o.Bool("b", true)
	var a Array
	a.Add([]byte("1"))
	a.Add([]byte("[]"))
	o.Raw("a", a.Bytes())
	const want = `{"z":"a\"` + "\uFFFD" + `","n":-3,"f":1,"b":true,"a":[1,[]]}`
	if got := string(o.Bytes()); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestEmpty(t *testing.T) {
	if got := string(new(Object).Bytes()) + string(new(Array).Bytes()); got != "{}[]" {
		t.Errorf("got %s", got)
	}
}

func TestLargeValues(t *testing.T) {
	text := strings.Repeat("x", large)
	var o Object
	got := string(o.Str("a", text).Int("b", 1).Str("c", text).Str("d", text).Bytes())
	if want := `{"a":"` + text + `","b":1,"c":"` + text + `","d":"` + text + `"}`; got != want {
		t.Errorf("got %d bytes, want %d", len(got), len(want))
	}
	var only Object
	if got := string(only.Raw("a", []byte(text)).Bytes()); got != `{"a":`+text+`}` {
		t.Errorf("got %d bytes", len(got))
	}
}

// A history of results of 2 KB, put together as the dialects do.
func BenchmarkHistory(b *testing.B) {
	text := strings.Repeat("a line of a file\n", 2000/17)
	for b.Loop() {
		var list Array
		for range 1000 {
			var part, m Object
			var content Array
			content.Add(part.Str("type", "text").Str("text", text).Bytes())
			list.Add(m.Str("role", "user").Raw("content", content.Bytes()).Bytes())
		}
		var o Object
		b.SetBytes(int64(len(o.Raw("messages", list.Bytes()).Bytes())))
	}
}

func TestClean(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"plain", `{"a":"b"}`, `{"a":"b"}`},
		{"pair stays", `"\ud83d\ude00"`, `"\ud83d\ude00"`},
		{"high alone", `"\ud83d"`, `"\ufffd"`},
		{"low alone", `"x\uDE00y"`, `"x\ufffdy"`},
		{"two high", `"\ud83d\ud83d\ude00"`, `"\ufffd\ud83d\ude00"`},
		{"escaped backslash is not an escape", `"\\ud83d"`, `"\\ud83d"`},
		{"bytes", "\"\xed\xa0\"", "\"\uFFFD\""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := string(Clean([]byte(tt.in))); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func FuzzClean(f *testing.F) {
	for _, s := range []string{`"\ud83d"`, `"\\ud83d\ude00"`, "\"\xff\"", `\u`, `\`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		got := Clean(b)
		if LoneSurrogate(got) >= 0 {
			t.Fatalf("a lone surrogate is left in %q", got)
		}
		if rawjson.Valid(b) && !rawjson.Valid(got) {
			t.Fatalf("%q became invalid: %q", b, got)
		}
	})
}
