package scribe

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/coppice-dev/coppice/convert"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/memstore"
	"pgregory.net/rapid"
)

var ctx = context.Background()

// rig writes drawn pieces of a conversation and records them.
type rig struct {
	*rapid.T
	w     *Writer
	sink  *convert.Sink
	s     *session.Session
	calls int
	texts int
}

func newRig(t *rapid.T) *rig {
	log, err := memstore.New(nil).Create(ctx, session.Header{Cwd: "/p"})
	if err != nil {
		t.Fatal(err)
	}
	s := session.New(log, session.Options{})
	sink := convert.NewSink(s)
	return &rig{T: t, w: New(sink), sink: sink, s: s}
}

func (r *rig) text() []message.Block {
	r.texts++
	return []message.Block{message.Text{Text: fmt.Sprint("text ", r.texts)}}
}

func (r *rig) check(err error) {
	if err != nil {
		r.Fatal(err)
	}
}

func (r *rig) entries() []*session.Entry {
	r.check(r.sink.Flush(ctx))
	var all []*session.Entry
	for e, err := range r.s.Log().All(ctx) {
		r.check(err)
		all = append(all, e)
	}
	return all
}

// step does something drawn.
func (r *rig) step() {
	switch rapid.IntRange(0, 5).Draw(r.T, "step") {
	case 0:
		r.check(r.w.Begin(ctx, &message.Message{Role: message.RoleAssistant, Content: r.text()}))
	case 1:
		if r.w.Open() != nil {
			r.calls++
			r.w.Call(fmt.Sprint(r.calls), message.ToolCall{ID: fmt.Sprint("call_", r.calls), Name: "x", Arguments: []byte("{}")})
		}
	case 2:
		id := fmt.Sprint(rapid.IntRange(0, r.calls+1).Draw(r.T, "call"))
		r.check(r.w.Result(ctx, id, &message.Message{Content: r.text()}))
	case 3:
		r.check(r.w.Later(ctx, r.w.Injected("note", r.text(), time.Time{})))
	case 4:
		r.check(r.w.Add(ctx, r.w.User(r.text(), time.Time{})))
	case 5:
		r.check(r.w.Close(ctx))
		if all := r.entries(); len(all) > 0 {
			r.check(r.w.MoveTo(ctx, all[rapid.IntRange(0, len(all)-1).Draw(r.T, "to")]))
		}
	}
}

// Nothing is lost or written twice, results know their calls, and the session
// ends where the conversation did.
func TestWriterKeepsAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := newRig(t)
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			r.step()
		}
		r.check(r.w.Close(ctx))
		end := r.sink.Leaf()
		r.check(r.w.End(ctx))
		bearing := 0
		all := r.entries()
		for _, e := range all {
			m := must.Get(e.Message())
			if m == nil {
				continue
			}
			bearing++
			if m.Role == message.RoleToolResult && (m.ToolName == "x") != (len(m.ToolCallID) > len("call_")) {
				t.Fatalf("result of %q of tool %q", m.ToolCallID, m.ToolName)
			}
		}
		if bearing != r.texts {
			t.Fatalf("%d messages were written, %d are there", r.texts, bearing)
		}
		if end == nil {
			return
		}
		if last := all[len(all)-1]; last.ID != end.ID && (last.Custom() == nil || last.ParentID != end.ID) {
			t.Fatalf("the session ends at %s, the conversation at %s", must.Get(last.Raw()), must.Get(end.Raw()))
		}
	})
}

// While an answer is open, what is said meanwhile waits after the results.
func TestWriterOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := newRig(t)
		at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		r.check(r.w.Begin(ctx, &message.Message{Role: message.RoleAssistant, Content: r.text(), Time: at}))
		var want int
		for _, result := range rapid.SliceOfN(rapid.Bool(), 1, 8).Draw(t, "results and notes") {
			if result {
				want++
				id := fmt.Sprint(want)
				r.w.Call(id, message.ToolCall{ID: id, Name: "x", Arguments: []byte("{}")})
				r.check(r.w.Result(ctx, id, &message.Message{Content: r.text()}))
			} else {
				r.check(r.w.Later(ctx, r.w.User(r.text(), time.Time{})))
			}
		}
		r.check(r.w.End(ctx))
		for i, e := range r.entries() {
			if !e.Time.Equal(at) {
				t.Fatalf("entry %d has the time %v, not the last one known", i, e.Time)
			}
			if isResult := must.Get(e.Message()).Role == message.RoleToolResult; isResult != (i > 0 && i <= want) {
				t.Fatalf("entry %d is %s", i, must.Get(e.Raw()))
			}
		}
	})
}

func TestArguments(t *testing.T) {
	for raw, want := range map[string]string{
		"":                          `{}`,
		`{"a" : 1.0, "b":"\u0041"}`: `{"a":1,"b":"A"}`,
		`{"a": `:                    `"{\"a\": "`,
		`["x"]`:                     `["x"]`,
		`{"s":"\ud800"}`:            `{"s":"\ufffd"}`,
		"{\"s\":\"\xff\"}":          "{\"s\":\"\ufffd\"}",
	} {
		if got := Arguments([]byte(raw)); string(got) != want || !rawjson.Valid(got) {
			t.Errorf("%q: got %s, want %s", raw, got, want)
		}
	}
}

func TestDataURL(t *testing.T) {
	tests := []struct {
		url  string
		want message.Image
		ok   bool
	}{
		{"data:image/png;base64,aGk=", message.Image{Data: "aGk=", MIMEType: "image/png"}, true},
		{"data:;base64,", message.Image{}, true},
		{"data:image/png,aGk=", message.Image{}, false},
		{"https://example.org/a.png", message.Image{}, false},
		{"", message.Image{}, false},
	}
	for _, tt := range tests {
		if got, ok := DataURL(tt.url); ok != tt.ok || ok && got != tt.want {
			t.Errorf("%s: got %+v, %v", tt.url, got, ok)
		}
	}
}

func TestSessionID(t *testing.T) {
	for id, ok := range map[string]bool{
		"019f0000-0000-7000-8000-000000000001": true, "a": true, "a-b_c.9": true,
		"": false, "../x": false, "a.": false, "-a": false, "ä": false, "a b": false,
	} {
		if got := SessionID(id); got != id && ok || got != "" && !ok {
			t.Errorf("%q: got %q", id, got)
		}
	}
}
