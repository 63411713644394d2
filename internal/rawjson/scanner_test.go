package rawjson

import (
	"bytes"
	"strings"
	"testing"
)

// descend scans a value as deep as it goes and writes what it finds.
func descend(s *Scanner, out *bytes.Buffer) {
	switch s.Kind() {
	case '{':
		out.WriteByte('{')
		for name := range s.Members() {
			out.Write(name)
			out.WriteByte(':')
			descend(s, out)
		}
		out.WriteByte('}')
	case '[':
		out.WriteByte('[')
		for range s.Elements() {
			descend(s, out)
			out.WriteByte(',')
		}
		out.WriteByte(']')
	default:
		out.Write(s.Value())
	}
}

func TestScanner(t *testing.T) {
	for in, want := range map[string]string{
		`{}`:                            `{}`,
		` { "a" : [ 1 , { } , [ ] ] } `: `{a:[1,{},[],]}`,
		`{"a":{"b":"x\"y"},"c":null}`:   `{a:{b:"x\"y"}c:null}`,
		`[{"a":1},{"a":2}]`:             `[{a:1},{a:2},]`,
		`"text"`:                        `"text"`,
		`{"\u0061":1}`:                  `{a:1}`,
	} {
		var out bytes.Buffer
		s := NewScanner([]byte(in))
		descend(s, &out)
		if !s.End() || out.String() != want {
			t.Errorf("%s: %s, valid %v; want %s", in, out.String(), s.End(), want)
		}
	}
}

// Members that are not read are skipped, but still checked.
func TestScannerSkips(t *testing.T) {
	for in, valid := range map[string]bool{
		`{"skip":[1,{"x":"\u00e9"}],"take":7}`: true,
		`{"skip":[1,{"x":"\u00g9"}],"take":7}`: false,
		`{"skip":01,"take":7}`:                 false,
		`{"take":7,}`:                          false,
		`{"take":7`:                            false,
		`{"take":7} x`:                         false,
	} {
		s := NewScanner([]byte(in))
		for name := range s.Members() {
			if string(name) == "take" {
				if got := string(s.Value()); got != "7" {
					t.Errorf("%s: %s", in, got)
				}
			}
		}
		if s.End() != valid {
			t.Errorf("%s: valid %v", in, s.End())
		}
	}
}

// A scanner accepts what Valid accepts, however deep it goes.
func FuzzScanner(f *testing.F) {
	for _, s := range []string{`{"a":[1,"x",{"b":null}]}`, `[]`, `[1,]`, `{"a"}`, `{"a":1,}`, `"\ud800"`, "{\"a\":\"\x01\"}", ``, ` `, `{]`, `[}`, `{"a":[}`,
		strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001), strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000)} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		var out bytes.Buffer
		deep := NewScanner(in)
		descend(deep, &out)
		flat := NewScanner(in)
		flat.Value()
		if want := Valid(in); deep.End() != want || flat.End() != want {
			t.Errorf("%q: valid %v, scanned deep %v, flat %v", in, want, deep.End(), flat.End())
		}
	})
}
