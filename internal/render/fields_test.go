package render

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/coppice-dev/coppice/internal/kinds"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/timeline"
)

// longRequest has a long text, a long call and a long result.
func longRequest() timeline.Request {
	long := strings.Repeat("Zeile für Zeile\n", 1000)
	call := message.ToolCall{ID: "call_" + strings.Repeat("x", 60) + "|fc_" + strings.Repeat("y", 80), Name: "write",
		Arguments: []byte(`{"path":"a.go","content":` + string(rawjson.Quote(long)) + `}`)}
	return timeline.Request{
		Tools: []message.Tool{{Name: "write", Description: strings.Repeat("Writes. ", 300)}},
		Messages: []*message.Message{
			{Role: message.RoleUser, Content: []message.Block{message.Text{Text: "Begin. " + long + "The end."}}},
			{Role: message.RoleAssistant, Content: []message.Block{message.Text{Text: "I write."}, call}},
			{Role: message.RoleToolResult, ToolCallID: call.ID, Content: []message.Block{message.Text{Text: long}, message.Text{Text: "exit code 1"}}},
		}}
}

func TestFieldsShorten(t *testing.T) {
	whole := longRequest()
	for _, name := range []string{kinds.FieldArguments, kinds.FieldOutput, kinds.FieldText, kinds.FieldDescription} {
		req := longRequest()
		Fields{name: 1000}.Shorten(&req, []string{"u1", "a1", "r1"})
		call := req.Messages[1].ToolCalls()[0]
		sizes := map[string]int{
			kinds.FieldArguments:   utf8.RuneCount(call.Arguments),
			kinds.FieldOutput:      utf8.RuneCountInString(req.Messages[2].Text("")),
			kinds.FieldText:        utf8.RuneCountInString(req.Messages[0].Text("")),
			kinds.FieldDescription: utf8.RuneCountInString(req.Tools[0].Description),
		}
		for other, n := range sizes {
			if (n <= 1000) != (other == name) {
				t.Errorf("%s: %s has %d characters", name, other, n)
			}
		}
		if !rawjson.Valid(call.Arguments) || rawjson.String(rawjson.Get(call.Arguments, "path")) != "a.go" {
			t.Errorf("%s: %s", name, call.Arguments)
		}
	}
	req := longRequest()
	Fields{kinds.FieldText: 1000, kinds.FieldOutput: 1000, kinds.FieldArguments: 1000, kinds.FieldID: 40}.Shorten(&req, []string{"u1", "a1", ""})
	if text := req.Messages[0].Text(""); !strings.HasPrefix(text, "Begin.") || !strings.HasSuffix(text, "The end.") || !strings.Contains(text, "read en:u1 for all of it") {
		t.Errorf("text: %s", text)
	}
	if text := req.Messages[2].Text(""); !strings.Contains(text, "the log has all of it") {
		t.Errorf("output: %s", text)
	}
	call := req.Messages[1].ToolCalls()[0]
	if first, second, _ := strings.Cut(call.ID, "|"); len(first) != 40 || len(second) != 40 || req.Messages[2].ToolCallID != call.ID {
		t.Errorf("ids: %s and %s", call.ID, req.Messages[2].ToolCallID)
	}
	if got, want := longRequest(), whole; got.Messages[0].Text("") != want.Messages[0].Text("") {
		t.Error("the message itself changed")
	}
	same := longRequest()
	Fields{kinds.FieldText: 100_000, kinds.FieldArguments: 10, kinds.FieldID: 8}.Shorten(&same, nil) // enough, and far too little
	if same.Messages[0].Text("") != whole.Messages[0].Text("") || string(same.Messages[1].ToolCalls()[0].Arguments) != string(whole.Messages[1].ToolCalls()[0].Arguments) {
		t.Error("shortened without need, or to nothing")
	}
}

func TestFewerBytes(t *testing.T) {
	texts := func(sizes ...int) (req timeline.Request) {
		for _, n := range sizes {
			req.Messages = append(req.Messages, message.User(strings.Repeat("x", n)))
		}
		return req
	}
	for _, tt := range []struct {
		name string
		req  timeline.Request
		by   int64
		want int64 // characters; 0: there is not that much
	}{
		{"the largest alone", texts(10_000, 1000), 4000, 6000},
		{"two of one size", texts(10_000, 10_000, 1000), 4000, 8000},
		{"down to the next", texts(10_000, 4000), 8000, 3000},
		{"all of it", texts(10_000, 4000), 13_600, 200},
		{"too much", texts(10_000, 4000), 13_601, 0},
		{"nothing there", texts(), 1, 0},
	} {
		if got := FewerBytes(tt.req, tt.by)[kinds.FieldText]; got != tt.want {
			t.Errorf("%s: %d characters, want %d", tt.name, got, tt.want)
		}
	}
}
