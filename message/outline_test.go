package message

import (
	"reflect"
	"testing"

	"github.com/coppice-dev/coppice/internal/rawjson"
)

func TestOutline(t *testing.T) {
	for in, want := range map[string]*Outline{
		`{"role":"user","content":"hello"}`:                        {Role: RoleUser, Shows: true},
		`{"role":"user","content":"\n\u00a0"}`:                     {Role: RoleUser},
		`{"role":"user","content":" x"}`:                           {Role: RoleUser, Shows: true},
		`{"role":"user","content":["a",7,{"type":"image"}]}`:       {Role: RoleUser, Shows: true},
		`{"role":"user","content":[{"type":"text","text":7}]}`:     {Role: RoleUser},
		`{"role":"user","content":[{"text":"no type"}]}`:           {Role: RoleUser, Shows: true},
		`{"role":"toolResult","toolCallId":"c1","content":[]}`:     {Role: RoleToolResult, ToolCallID: "c1"},
		`{"role":"user","content":"a","content":"","role":"user"}`: {Role: RoleUser},
		`{"role":"assistant","provider":"p","model":"m","stopReason":"toolUse","content":[{"type":"thinking","thinking":"x"},` +
			`{"type":"toolCall","id":"c1","name":"read","arguments":{"a":"}"}},{"type":"toolCall","id":"c2","name":"read"}]}`: {
			Role: RoleAssistant, Provider: "p", Model: "m", StopReason: StopToolUse, Shows: true, Reasons: true,
			Calls: []CallHead{{"c1", "read"}, {"c2", "read"}}},
		`{"role":"assistant","content":[{"type":"text","text":"x","textSignature":"s"}]}`: {Role: RoleAssistant, Shows: true, Reasons: true},
	} {
		s := rawjson.NewScanner([]byte(in))
		got, ok := new(Outliner).Scan(s)
		if !ok || !s.End() || !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n%+v, want\n%+v", in, got, want)
		}
	}
	for _, in := range []string{`{"role":"custom","content":"x"}`, `{"content":"x"}`, `[]`, `7`} {
		if o, ok := new(Outliner).Scan(rawjson.NewScanner([]byte(in))); ok {
			t.Errorf("%s is outlined: %+v", in, o)
		}
	}
}

// An outline says of a stored message what the decoded message says.
func FuzzOutline(f *testing.F) {
	f.Add([]byte(`{"role":"user","content":"x"}`))
	f.Add([]byte(`{"role":"assistant","content":[{"type":"toolCall","id":"a","name":"b","thoughtSignature":"c"},{"type":"te\u0078t","text":" "}],"stopReason":"error"}`))
	f.Add([]byte(`{"role":"toolResult","toolCallId":"a","content":[{"type":"image","data":"x"}],"content":null}`))
	f.Add([]byte(`{"role":"user","content":["\t","a"]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		s := rawjson.NewScanner(raw)
		got, ok := new(Outliner).Scan(s)
		if valid := rawjson.Valid(raw); valid != s.End() {
			t.Fatalf("valid: %v, scanned: %v", valid, s.End())
		}
		if !ok || !s.End() {
			return
		}
		if want := Decode(raw).Outline(); !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n%+v, want\n%+v", raw, got, want)
		}
	})
}
