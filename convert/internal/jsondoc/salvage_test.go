package jsondoc

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/internal/rawjson"
	"pgregory.net/rapid"
)

var numbered = Elements{List: "list", First: []string{"n"}, Is: func(v []byte) bool { return rawjson.Kind(rawjson.Get(v, "n")) == '0' }}

// salvaged lists a document like parts, and skipped bytes as -bytes.
func salvaged(doc string) (string, error) {
	var out []string
	for p, err := range Salvage(strings.NewReader(doc), numbered) {
		switch {
		case err != nil:
			return strings.Join(out, " "), err
		case p.Lost > 0:
			out = append(out, fmt.Sprint(-p.Lost))
		case p.Element:
			out = append(out, string(p.Value))
		default:
			out = append(out, fmt.Sprintf("%s=%s", p.Name, p.Value))
		}
	}
	return strings.Join(out, " "), nil
}

func TestSalvage(t *testing.T) {
	tests := []struct {
		name, doc, want string
		from            int64 // where what is not read begins; 0: all was read
	}{
		{"whole", `{"a":1,"list":[{"n":1},{"n":2}],"b":2}`, `a=1 {"n":1} {"n":2} b=2`, 0},
		{"an element", "{\"list\":[{\"n\":1},{\"n\":\x00\x00},{\"n\":3}],\"b\":2}", `{"n":1} -10 {"n":3} b=2`, 0},
		{"a member in front", `{"a" 1,"list":[{"n":1}],"b":2}`, `-11 {"n":1} b=2`, 0},
		{"twice", "[{\"n\":1},\x00{\"n\":2},\x00{ \"n\" : 3}]", `{"n":1} -2 {"n":2} -2 { "n" : 3}`, 0},
		{"what only looks like one", "[\x00{\"n\":\"{\"n\"},{\"n\":4}]", `-13 {"n":4}`, 0},
		{"nothing after it", "[{\"n\":1},\x00{\"x\":2}]", `{"n":1}`, 8},
		{"cut off", `[{"n":1},{"n":`, `{"n":1}`, 8},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := salvaged(tt.doc)
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			var broken *BrokenError
			if errors.As(err, &broken) != (tt.from > 0) || broken != nil && broken.Offset != tt.from {
				t.Errorf("error %v, want one from byte %d", err, tt.from)
			}
		})
	}
}

// Whichever byte is damaged, all elements are found except the one it is in, or
// two at an edge.
func TestSalvageLosesLittle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 12).Draw(t, "elements")
		var b strings.Builder
		b.WriteString(`{"list":[`)
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, `{"n":%d,"s":%q}`, i, rapid.SampledFrom([]string{"", "text", `{"n":7}`, "{"}).Draw(t, "text"))
		}
		b.WriteString(`]}`)
		doc := []byte(b.String())
		doc[rapid.IntRange(0, len(doc)-1).Draw(t, "at")] = 0
		got, _ := salvaged(string(doc))
		found := 0
		for i := range n {
			if strings.Contains(got, fmt.Sprintf(`{"n":%d,`, i)) {
				found++
			}
		}
		if found < n-2 {
			t.Fatalf("%d of %d found in %q: %s", found, n, doc, got)
		}
	})
}

func FuzzSalvage(f *testing.F) {
	for _, doc := range []string{`{"list":[{"n":1},{"n":2}]}`, "[{\"n\":1},\x00{\"n\":2}]", `{"list":[{"n":{"n":`} {
		f.Add(doc)
	}
	f.Fuzz(func(t *testing.T, doc string) {
		var offset int64
		for p, err := range Salvage(strings.NewReader(doc), numbered) {
			if err != nil {
				return
			}
			if p.Offset < offset || p.Offset > int64(len(doc)) {
				t.Fatalf("offset %d after %d of %d bytes", p.Offset, offset, len(doc))
			}
			offset = p.Offset
		}
	})
}
