package rawjson

import (
	"strings"
	"testing"
)

func TestMarks(t *testing.T) {
	for in, want := range map[string]string{
		`1`:                             ``,
		`"a\"b"`:                        `"a\"b"`,
		` {"a" : "b" , "c":[1,"d",{}]}`: `<{ "a": "b" "c": <[ "d" <{ }> ]> }>`,
		`["x","y:"]`:                    `<[ "x" "y:" ]>`,
		`{"a":{"b":true},"c":":"}`:      `<{ "a": <{ "b": }> "c": ":" }>`,
		`{"\u007b":"}"}`:                `<{ "\u007b": "}" }>`,
	} {
		var got []string
		for m := range Marks([]byte(in)) {
			text := in[m.From:m.To]
			switch {
			case m.Open:
				text = "<" + text
			case m.Close:
				text += ">"
			case m.Name:
				text += ":"
			}
			got = append(got, text)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %s", in, got, want)
		}
	}
	for m := range Marks([]byte(`["a"]`)) {
		if m.From > 0 {
			t.Errorf("went on to %d", m.From)
		}
		break
	}
}
