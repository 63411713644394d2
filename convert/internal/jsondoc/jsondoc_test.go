package jsondoc

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// parts lists a document as name=value, elements as name[]=value.
func parts(r io.Reader) (out []string, err error) {
	for p, e := range Read(r, "list") {
		if e != nil {
			return out, e
		}
		name := p.Name
		if p.Element {
			name += "[]"
		}
		out = append(out, fmt.Sprintf("%s=%s", name, p.Value))
	}
	return out, nil
}

func TestRead(t *testing.T) {
	deep := strings.Repeat(`{"a":[`, 20_000) + `"b"` + strings.Repeat(`]}`, 20_000)
	tests := []struct {
		name, doc, want string
		broken          bool
	}{
		{"object", `{"a":1,"list":[{"x":[2]},3],"b":{"list":[4]}}`, `a=1 list[]={"x":[2]} list[]=3 b={"list":[4]}`, false},
		{"not a list", `{"list":{"a":1}}`, `list={"a":1}`, false},
		{"array", ` [1,"two"] `, `[]=1 []="two"`, false},
		{"empty list", `{"list":[]}`, ``, false},
		{"empty object", `{}`, ``, false},
		{"byte-order mark", "\xef\xbb\xbf{\"a\":1}", `a=1`, false},
		{"brackets and escapes in strings", `{"a\"[":"{\"]},\\","list":["\\","x\"",""]}`, `a"[="{\"]},\\" list[]="\\" list[]="x\"" list[]=""`, false},
		{"repeated names", `{"a":1,"a":2}`, `a=1 a=2`, false},
		{"half a surrogate pair", `{"a":"\ud800"}`, `a="\ud800"`, false},
		{"deeper than libraries read", `{"list":[` + deep + `,2]}`, `list[]=` + deep + ` list[]=2`, false},
		{"a comma too many", `[1,]`, `[]=1`, true},
		{"a comma too early", `{"list":[,1]}`, ``, true},
		{"the wrong bracket", `{"a":[1}`, ``, true},
		{"a name without a value", `{"a":}`, ``, true},
		{"something after it", `{"a":1} {`, `a=1`, false},
		{"cut off in an element", `{"list":[1,{"x":`, `list[]=1`, true},
		{"cut off after an element", `{"list":[1`, `list[]=1`, true},
		{"cut off after the list", `{"list":[1]`, `list[]=1`, true},
		{"broken in the middle", `{"a":1,"b" 2}`, `a=1`, true},
		{"no comma", `[1 2]`, `[]=1`, true},
		{"scalar", `7`, ``, true},
		{"nothing", ``, ``, true},
		{"no JSON", `# notes`, ``, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for name, r := range map[string]io.Reader{"at once": strings.NewReader(tt.doc), "byte by byte": iotest.OneByteReader(strings.NewReader(tt.doc))} {
				got, err := parts(r)
				if s := strings.Join(got, " "); s != tt.want {
					t.Errorf("%s: got %.500s, want %.500s", name, s, tt.want)
				}
				var broken *BrokenError
				if errors.As(err, &broken) != tt.broken {
					t.Errorf("%s: error %v, want a broken document: %t", name, err, tt.broken)
				}
			}
		})
	}
}

// A disk that fails is not a broken document.
func TestReadError(t *testing.T) {
	disk := errors.New("disk failed")
	_, err := parts(io.MultiReader(strings.NewReader(`{"list":[1,`), iotest.ErrReader(disk)))
	var broken *BrokenError
	if !errors.Is(err, disk) || errors.As(err, &broken) {
		t.Errorf("got %v", err)
	}
}

func TestReadStops(t *testing.T) {
	for p, err := range Read(strings.NewReader(`{"a":1,"list":[1,2,3],`), "list") {
		if err != nil {
			t.Fatal(err)
		}
		if p.Element {
			break
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{`{"a":1,"list":[{},2]}`, `[1,[2]]`, `{"list":[`, `{"list"`, "\xef\xbb\xbf", `"x"`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		last := int64(0)
		for p, err := range Read(strings.NewReader(string(doc)), "list") {
			if err != nil {
				continue
			}
			if p.Offset < last || !p.Value.IsValid() && len(p.Value) == 0 {
				t.Fatalf("part %q ends at %d, the one before at %d", p.Value, p.Offset, last)
			}
			last = p.Offset
		}
	})
}
