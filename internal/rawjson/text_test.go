package rawjson

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

// collect puts pieces together.
type collect struct{ bytes.Buffer }

func (c *collect) Add(piece []byte) { c.Write(piece) }

func (c *collect) AddASCII(piece []byte) { c.Write(piece) }

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		`""`:                                 "",
		`"plain text, longer than one word"`: "plain text, longer than one word",
		`"a\"b\\c\/d\b\f\n\r\t"`:             "a\"b\\c/d\b\f\n\r\t",
		`"\u0041\u00e9\u4e2d"`:               "Aé中",
		`"\ud83d\ude00 \ud83d \ude00x"`:      "😀 \uFFFD \uFFFDx",
		`"\ud83d\u0041"`:                     "\uFFFDA",
		`"é中😀"`:                              "é中😀",
		`"\u0000\u001f"`:                     "\x00\x1f",
		`"` + strings.Repeat(`x\n`, 2000) + strings.Repeat("y", 3000) + `\u00e9"`: strings.Repeat("x\n", 2000) + strings.Repeat("y", 3000) + "é",
	} {
		var got collect
		s := NewScanner([]byte(in))
		v, n, ok := new(TextReader).Read(s, &got)
		if !ok || !s.End() || string(v) != in || got.String() != want || n != len(Quote(want)) {
			t.Errorf("%s: %q, %d long, ok %v; want %q, %d", in, got.String(), n, ok, want, len(Quote(want)))
		}
		s = NewScanner([]byte(in))
		if v, n, ok := s.Text(); !ok || !s.End() || string(v) != in || n != len(Quote(want)) {
			t.Errorf("%s: %q, %d long, ok %v; want %d", in, v, n, ok, len(Quote(want)))
		}
	}
}

func TestTextOfOthers(t *testing.T) {
	for in, valid := range map[string]bool{`12`: true, `{"a":"b"}`: true, `null`: true, "\"\xff\"": true, "\"a\xe2\x82\"": true,
		`"open`: false, "\"\n\"": false, `"\x"`: false, `"\u12"`: false, `"\`: false, ``: false} {
		s := NewScanner([]byte(in))
		if _, _, ok := new(TextReader).Read(s, &collect{}); ok || s.End() != valid {
			t.Errorf("%q: ok %v, valid %v", in, ok, s.End())
		}
		s = NewScanner([]byte(in))
		if _, _, ok := s.Text(); ok || s.End() != valid {
			t.Errorf("%q without its characters: ok %v, valid %v", in, ok, s.End())
		}
	}
}

// Text hands out what String decodes, and checks what Valid checks.
func FuzzText(f *testing.F) {
	for _, s := range []string{`"a\nb"`, `"\ud83d\ude00"`, "\"\xff\"", `"\u00e9 and more text"`, `"open`, `"\ud83d\u00e9"`, `"12345678\n1234567é"`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var got collect
		s := NewScanner(b)
		v, n, ok := new(TextReader).Read(s, &got)
		if s.End() != Valid(b) {
			t.Fatalf("%q: valid %v", b, s.End())
		}
		skipped := NewScanner(b)
		if v2, n2, ok2 := skipped.Text(); skipped.End() != s.End() || s.End() && (ok2 != ok || ok && n2 != n || string(v2) != string(v)) {
			t.Fatalf("%q: %d long, ok %v without its characters, %d, %v with them", b, n2, ok2, n, ok)
		}
		if !s.End() || Kind(b) != '"' {
			return
		}
		if ok != utf8.Valid(b) || !bytes.Equal(v, bytes.TrimSpace(b)) {
			t.Fatalf("%q: ok %v", b, ok)
		}
		if want := String(b); ok && (got.String() != want || n != len(Quote(want))) {
			t.Fatalf("%q: %q, %d long; want %q, %d", b, got.String(), n, want, len(Quote(want)))
		}
	})
}

func TestStrings(t *testing.T) {
	deep := strings.Repeat("[", 7) + `"x"` + strings.Repeat("]", 7)
	for in, want := range map[string]string{
		`"a"`: "a", `1`: "", `{"q":"a","r":["b",{"s":"c"},2]}`: "a|b|c", `["a","b","c","d"]`: "a|b|c", deep: "", deep[1 : len(deep)-1]: "x",
	} {
		if got := strings.Join(Strings([]byte(in), 3), "|"); got != want {
			t.Errorf("%s: got %q, want %q", in, got, want)
		}
	}
}
