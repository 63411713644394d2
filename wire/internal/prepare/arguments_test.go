package prepare

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/coppice-dev/coppice/internal/rawjson"
	"pgregory.net/rapid"
)

func TestArgumentsThatAreTooLong(t *testing.T) {
	const most = 10_000
	long := strings.Repeat("line of a file\n", 2000)
	for name, raw := range map[string]string{
		"a file":          `{"path":"a.go","content":` + string(rawjson.Quote(long)) + `}`,
		"two of them":     `{"old":` + string(rawjson.Quote(long)) + `,"new":` + string(rawjson.Quote(long)) + `,"path":"a.go"}`,
		"other scripts":   `{"path":"a.go","content":"` + strings.Repeat("議事録", 8000) + `"}`,
		"a list":          `{"path":"a.go","edits":[` + strings.Repeat(`{"a":1},`, 3000) + `0]}`,
		"not an object":   `[` + strings.Repeat("1,", 20_000) + `1]`,
		"not JSON":        `{"path":` + long,
		"escapes":         `{"path":"a.go","content":"` + strings.Repeat(`\u0001\\\"`, 3000) + `"}`,
		"many small ones": "{" + strings.TrimSuffix(manyMembers(3000), ",") + "}",
	} {
		got := arguments([]byte(raw), most)
		if n := utf8.RuneCount(got); n > most || !rawjson.Valid(got) {
			t.Errorf("%s: %d characters, valid %v", name, n, rawjson.Valid(got))
		}
		if strings.Contains(raw, `"path":"a.go"`) && rawjson.String(rawjson.Get(got, "path")) != "a.go" {
			t.Errorf("%s: the path is gone", name)
		}
		if name != "many small ones" && !bytes.Contains(got, []byte("left out")) {
			t.Errorf("%s: it does not say so", name)
		}
		if whole := arguments([]byte(raw), 0); bytes.Contains(whole, []byte("left out")) {
			t.Errorf("%s: shortened without a cap", name)
		}
	}
	fits := `{"content":"` + strings.Repeat("議", most-20) + `"}`
	if got := arguments([]byte(fits), most); string(got) != fits {
		t.Error("what fits in characters was shortened")
	}
}

func manyMembers(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"m%d":%d,`, i, i)
	}
	return b.String()
}

func TestArgumentsFit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw := "{"
		for i := range rapid.IntRange(1, 5).Draw(t, "members") {
			raw += fmt.Sprintf(`"m%d":%s,`, i, rawjson.Quote(strings.Repeat(rapid.String().Draw(t, "text"), rapid.IntRange(0, 300).Draw(t, "times"))))
		}
		got := arguments([]byte(strings.TrimSuffix(raw, ",")+"}"), 2000)
		if n := utf8.RuneCount(got); n > 2000 || !rawjson.Valid(got) || rawjson.Kind(got) != '{' {
			t.Fatalf("%d characters: %s", n, got)
		}
	})
}

// What is nested too deep for a server becomes text; the rest stays.
func TestArgumentsThatAreTooDeep(t *testing.T) {
	nested := func(n int) string { return strings.Repeat(`[`, n) + strings.Repeat(`]`, n) }
	for _, depth := range []int{MaxDepth, 9_999, 10_001, 1_000_000} {
		raw := `{"path":"a.go","old":` + nested(MaxDepth-1) + `,"new":` + nested(depth) + `}`
		got := arguments([]byte(raw), 0)
		if !rawjson.Valid(got) || rawjson.Deeper(got, MaxDepth) || len(got) > 3*deepText {
			t.Errorf("depth %d: %d bytes, valid %v", depth, len(got), rawjson.Valid(got))
		}
		if text := rawjson.String(rawjson.Get(got, "new")); !strings.HasPrefix(text, "[[[") || depth > deepText && !strings.Contains(text, "nested too deep to be sent") {
			t.Errorf("depth %d: it is sent as %.50q", depth, text)
		}
		if old := rawjson.Get(got, "old"); rawjson.String(rawjson.Get(got, "path")) != "a.go" || string(old) != nested(MaxDepth-1) {
			t.Errorf("depth %d: the rest was changed", depth)
		}
	}
	if raw := nested(MaxDepth); string(arguments([]byte(raw), 0)) != raw {
		t.Error("what is not too deep was changed")
	}
	if got := arguments([]byte(nested(MaxDepth+1)), 0); rawjson.Kind(got) != '"' {
		t.Errorf("a deep list is sent as %s", got)
	}
}
