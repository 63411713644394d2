package check

import (
	"testing"

	"github.com/coppice-dev/coppice/message"
)

func TestValidName(t *testing.T) {
	for name, want := range map[string]bool{
		"read": true, "A-z_09": true, "": false, "a.b": false, "ü": false, "a b": false, "[": false, "`": false, "@": false, "{": false, "abcdefghi": false,
	} {
		if got := ValidName(name, 8); got != want {
			t.Errorf("%q: got %v", name, got)
		}
	}
}

func TestPath(t *testing.T) {
	if got := Path("messages", 3, "content", 0); got != "messages.3.content.0" {
		t.Errorf("got %s", got)
	}
}

func TestBlank(t *testing.T) {
	for v, want := range map[string]bool{`""`: true, `" \n\u00a0"`: true, `"x"`: false, `7`: true, ``: true, `"\ud800"`: false} {
		if got := Blank([]byte(v)); got != want {
			t.Errorf("%s: got %v", v, got)
		}
	}
}

func TestBody(t *testing.T) {
	r, ok := Body([]byte(`{"a":"\ud800`+"\xff"+`"}`), message.Model{MaxBytes: 3})
	if !ok || len(r.Problems()) != 3 {
		t.Errorf("got %v %+v", ok, r.Problems())
	}
	if r, ok := Body([]byte(`{}`), message.Model{}); !ok || r.Problems() != nil {
		t.Errorf("got %v %+v", ok, r.Problems())
	}
}
