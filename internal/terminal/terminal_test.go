package terminal

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func env(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"plain\ttext\n":                  "plain\ttext\n",
		"\x1b[31mred\x1b[0m":             "red",
		"\x1b[38;2;1;2;3mred":            "red",
		"\x1b]0;title\a shown":           " shown",
		"\x1b]52;c;aGk=\x1b\\clip":       "clip",
		"\x1bP+q544e\x1b\\query":         "query",
		"\x1bcreset \x1b(0charset":       "reset charset",
		"\x1b]0;never ends\nnext line":   "]0;never ends\nnext line",
		"\x1b[12\nnext":                  "[12\nnext",
		"\x1b":                           "",
		"a\rb\x00c\u0085\u009b31md\x7f":  "abc31md",
		"\x9b31mraw":                     "\uFFFD31mraw",
		"evil\u202etxt.exe\u2066\u200f":  "eviltxt.exe",
		"tag\U000e0041\U000e007f":        "tag",
		"emoji 👩‍👩‍👧 stay \u200d, é, 漢字": "emoji 👩‍👩‍👧 stay \u200d, é, 漢字",
		"cut \xe6\xbc":                   "cut \uFFFD\uFFFD",
	} {
		if got := Clean(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestWriter(t *testing.T) {
	term := New(env())
	red, cleared := term.Style("9", "red"), term.ClearLine()
	for name, tt := range map[string]struct {
		in   []string
		want string
	}{
		"ours":                     {[]string{cleared + red}, "\r\x1b[K\x1b[38;5;9mred\x1b[m"},
		"ours, cut":                {[]string{red[:1], red[1:9], red[9:]}, "\x1b[38;5;9mred\x1b[m"},
		"theirs":                   {[]string{"\x1b[31mx\x1b_other;38;5;9\x1b\\y"}, "xy"},
		"theirs, as long as ours":  {[]string{"\x1b_" + strings.Repeat("A", 40) + ";38;5;9\x1b\\x"}, "x"},
		"theirs inside ours":       {[]string{term.Style("9", "a\x1b]0;t\ab")}, "\x1b[38;5;9mab\x1b[m"},
		"a character, cut":         {[]string{"\xe6\xbc", "\xa2!"}, "漢!"},
		"a character without end":  {[]string{"\xe6\xbc"}, "\uFFFD\uFFFD"},
		"a sequence, cut":          {[]string{"a\x1b[3", "1mb"}, "ab"},
		"a string that never ends": {[]string{"\x1b]0;" + strings.Repeat("x", 100), "y"}, "]0;" + strings.Repeat("x", 100) + "y"},
		"an escape at the end":     {[]string{"a\x1b"}, "a"},
	} {
		var out bytes.Buffer
		w := term.Writer(&out)
		for _, p := range tt.in {
			if n, err := w.Write([]byte(p)); n != len(p) || err != nil {
				t.Errorf("%s: wrote %d, %v", name, n, err)
			}
		}
		if w.Close(); out.String() != tt.want {
			t.Errorf("%s: %q, want %q", name, out.String(), tt.want)
		}
	}
}

func TestEnvironment(t *testing.T) {
	for _, tt := range []struct {
		env                    []string
		wantStyle, wantCleared string
	}{
		{nil, "\x1b[38;5;9mx\x1b[m", "\r\x1b[K"},
		{[]string{"NO_COLOR", "1"}, "x", "\r\x1b[K"},
		{[]string{"TERM", "dumb"}, "x", ""},
	} {
		term := New(env(tt.env...))
		for in, want := range map[string]string{term.Style("9", "x"): tt.wantStyle, term.ClearLine(): tt.wantCleared, "\x1b[1mb": "b"} {
			var out bytes.Buffer
			w := term.Writer(&out)
			w.Write([]byte(in))
			w.Close()
			if out.String() != want {
				t.Errorf("%q: %q, want %q", tt.env, out.String(), want)
			}
		}
	}
}

// hostile draws bytes that are rich in what steers.
func hostile() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		pieces := rapid.SliceOf(rapid.OneOf(
			rapid.SampledFrom([]string{"\x1b", "[", "]", "\\", "\a", "31m", "\u009b", "\x9b", "\u202e", "\n", "\r", "x", "漢", "\x1b_", ";0\x1b\\", "\U000e0041"}),
			rapid.StringN(0, 5, -1))).Draw(t, "pieces")
		return strings.Join(pieces, "")
	})
}

// However a text is cut, nothing that steers gets through, and what is shown is
// in order.
func TestNothingSteers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := hostile().Draw(t, "text")
		var out bytes.Buffer
		w := New(env()).Writer(&out)
		for rest := text; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "piece")
			w.Write([]byte(rest[:n]))
			rest = rest[n:]
		}
		w.Close()
		for _, got := range []string{out.String(), Clean(text)} {
			if i := strings.IndexFunc(got, removed); i >= 0 || !utf8.ValidString(got) {
				t.Fatalf("%q: %q steers at %d", text, got, i)
			}
		}
		if Clean(Clean(text)) != Clean(text) {
			t.Fatalf("%q is not clean after once", text)
		}
	})
}

func TestEscapesKeepTheValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.ToValidUTF8(hostile().Draw(t, "text"), "")
		doc, err := json.Marshal(map[string]string{"text": text})
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		w := Escapes(&out)
		n := rapid.IntRange(0, len(doc)).Draw(t, "cut")
		w.Write(doc[:n])
		w.Write(doc[n:])
		var back map[string]string
		if err := json.Unmarshal(out.Bytes(), &back); err != nil || back["text"] != text {
			t.Fatalf("%q: %s, %v", text, out.Bytes(), err)
		}
		if i := strings.IndexFunc(out.String(), removed); i >= 0 {
			t.Fatalf("%q steers at %d", out.String(), i)
		}
	})
}
