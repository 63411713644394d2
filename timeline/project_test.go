package timeline

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/tokens"
	"github.com/google/go-cmp/cmp"
)

// lines is a log given as JSON lines; At is the line number.
type lines []*session.Entry

func parse(t *testing.T, raw ...string) lines {
	t.Helper()
	var l lines
	for i, r := range raw {
		e, ok := session.ParseEntry([]byte(r))
		if !ok {
			t.Fatalf("not an entry: %s", r)
		}
		e.At = int64(i)
		l = append(l, e)
	}
	return l
}

func (l lines) Leaf(context.Context) (*session.Entry, error) {
	if len(l) == 0 {
		return nil, nil
	}
	return l[len(l)-1], nil
}

func (l lines) Parent(_ context.Context, e *session.Entry) (*session.Entry, error) {
	for i := len(l) - 1; i >= 0; i-- {
		if l[i].ID == e.ParentID && l[i].At < e.At {
			return l[i], nil
		}
	}
	return nil, nil
}

func (l lines) Find(_ context.Context, id string, _ int64) (*session.Entry, error) {
	for i := len(l) - 1; i >= 0; i-- {
		if l[i].ID == id {
			return l[i], nil
		}
	}
	return nil, session.ErrNotFound
}

// Lines of the tests: id, parent, and what the type needs.
func entry(typ, id, parent, rest string) string {
	p := "null"
	if parent != "" {
		p = `"` + parent + `"`
	}
	return fmt.Sprintf(`{"type":%q,"id":%q,"parentId":%s,"timestamp":"2026-01-01T00:00:00.000Z",%s}`, typ, id, p, rest)
}

func user(id, parent, text string) string {
	return entry("message", id, parent, fmt.Sprintf(`"message":{"role":"user","content":%q}`, text))
}

func answer(id, parent, text string) string {
	return assistant(id, parent, "stop", fmt.Sprintf(`{"type":"text","text":%q}`, text))
}

func assistant(id, parent, stop, blocks string) string {
	return entry("message", id, parent, fmt.Sprintf(
		`"message":{"role":"assistant","content":[%s],"provider":"p","model":"m","stopReason":%q,"usage":{"input":0,"output":0}}`, blocks, stop))
}

func call(id string) string {
	return fmt.Sprintf(`{"type":"toolCall","id":%q,"name":"read","arguments":{}}`, id)
}

func result(id, parent, callID, text string) string {
	return entry("message", id, parent, fmt.Sprintf(`"message":{"role":"toolResult","toolCallId":%q,"toolName":"read","content":%q,"isError":false}`, callID, text))
}

func compactionOf(id, parent, firstKept string) string {
	return entry("compaction", id, parent, fmt.Sprintf(`"summary":"sum %s","firstKeptEntryId":%q,"tokensBefore":9`, id, firstKept))
}

func edit(id, parent, target, replacement string) string {
	return entry("context_edit", id, parent, fmt.Sprintf(`"targetId":%q,"replacement":%s`, target, replacement))
}

func project(t *testing.T, l lines) *View {
	t.Helper()
	v, err := Project(context.Background(), l, nil, Policy{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// shows is the ids of the items in order; "!kind" for synthetic ones.
func shows(v *View) string {
	var ids []string
	for _, it := range v.Items {
		if it.Entry == nil {
			ids = append(ids, "!"+string(it.Kind))
			continue
		}
		ids = append(ids, it.Entry.ID)
	}
	return strings.Join(ids, " ")
}

func leftOut(v *View) string {
	var out []string
	for _, l := range v.LeftOut {
		out = append(out, l.EntryID+":"+string(l.Rule))
	}
	return strings.Join(out, " ")
}

// What pi 1.6.0 shows, and the repairs of docs/context.md.
func TestProject(t *testing.T) {
	four := []string{user("u1", "", "a"), answer("a1", "u1", "b"), user("u2", "a1", "c"), answer("a2", "u2", "d")}
	tests := []struct {
		name    string
		lines   []string
		want    string
		leftOut string
	}{
		{"empty", nil, "", ""},
		{"one user", four[:1], "u1", ""},
		{"four in order", four, "u1 a1 u2 a2", ""},
		{"compaction", append(slices.Clone(four), compactionOf("c", "a2", "u2"), user("u3", "c", "e"), answer("a3", "u3", "f")),
			"c u2 a2 u3 a3", ""},
		{"keeps from the first entry", append(slices.Clone(four), compactionOf("c", "a2", "u1")), "c u1 a1 u2 a2", ""},
		{"two compactions", append(slices.Clone(four), compactionOf("c", "a2", "u2"), user("u3", "c", "e"), compactionOf("d", "u3", "u3")),
			"d u3", ""},
		{"the second keeps from before the first", append(slices.Clone(four), compactionOf("c", "a2", "a2"), user("u3", "c", "e"), compactionOf("d", "u3", "u2")),
			"d u2 a2 u3", ""},
		{"unknown first kept", append(slices.Clone(four), compactionOf("c", "a2", "zz"), user("u3", "c", "e")), "c u3", ""},
		{"keeps nothing on purpose", append(slices.Clone(four), compactionOf("c", "a2", "c"), user("u3", "c", "e")), "c u3", ""},
		{"undone", append(slices.Clone(four), compactionOf("c", "a2", "u2"), user("u3", "c", "e"),
			entry("custom", "x", "u3", `"customType":"coppice.uncompact","data":{"compactionId":"c"}`), answer("a3", "x", "f")),
			"u1 a1 u2 a2 u3 a3", ""},
		{"undone over an older one", append(slices.Clone(four), compactionOf("c", "a2", "u2"), user("u3", "c", "e"), compactionOf("d", "u3", "u3"),
			entry("custom", "x", "d", `"customType":"coppice.uncompact","data":{"compactionId":"d"}`)),
			"c u2 a2 u3", ""},
		{"branch summary and custom message", []string{user("u1", "", "a"),
			entry("branch_summary", "b", "u1", `"fromId":"z","summary":"s"`),
			entry("custom_message", "k", "b", `"customType":"n","content":"note","display":false`),
			entry("branch_summary", "e", "k", `"fromId":"z","summary":""`)}, "u1 b k", "e:empty"},
		{"metadata and unknown types add nothing", []string{user("u1", "", "a"), entry("label", "l", "u1", `"targetId":"u1","label":"x"`),
			entry("session_info", "i", "l", `"name":"n"`), entry("usage", "g", "i", `"kind":"k"`), entry("telepathy", "t", "g", `"x":1`),
			answer("a1", "t", "b")}, "u1 a1", ""},
		{"null content", []string{entry("message", "u1", "", `"message":{"role":"user","content":null}`), user("u2", "u1", "b")}, "u2", "u1:empty"},
		{"dangling call", []string{user("u1", "", "a"), assistant("a1", "u1", "toolUse", call("x")+","+call("y")), result("r1", "a1", "y", "z")},
			"u1 a1 r1 !missing-result", ""},
		{"foreign entry inside a pair", []string{user("u1", "", "a"), assistant("a1", "u1", "toolUse", call("x")),
			entry("custom_message", "k", "a1", `"customType":"n","content":"note"`), result("r1", "k", "x", "z"), user("u2", "r1", "b")},
			"u1 a1 r1 k u2", ""},
		{"interleaved results", []string{user("u1", "", "a"), assistant("a1", "u1", "toolUse", call("x")), assistant("a2", "a1", "toolUse", call("y")),
			result("r2", "a2", "y", "1"), result("r1", "r2", "x", "2")}, "u1 a1 r1 a2 r2", ""},
		{"orphan and second result", []string{user("u1", "", "a"), result("r0", "u1", "q", "?"), assistant("a1", "r0", "toolUse", call("x")),
			result("r1", "a1", "x", "1"), result("r2", "r1", "x", "2")}, "u1 a1 r1 r2", "r0:orphan-result"},
		{"a result before its call", []string{user("u1", "", "a"), result("r0", "u1", "x", "?"), assistant("a1", "r0", "toolUse", call("x"))},
			"u1 r0 a1 !missing-result", ""},
		{"a result before its call, after a compaction", []string{user("u0", "", "a"), user("u1", "u0", "a"), result("r0", "u1", "x", "?"), assistant("a1", "r0", "toolUse", call("x")),
			compactionOf("c", "a1", "u1")}, "c u1 r0 a1 !missing-result", ""},
		{"late result", []string{assistant("a1", "", "toolUse", call("x")+","+call("y")), result("r1", "a1", "y", "1"), user("u1", "r1", "a"),
			answer("a2", "u1", "b"), result("r2", "a2", "x", "2"), user("u2", "r2", "c")}, "a1 r1 r2 u1 a2 u2", ""},
		{"late second result", []string{assistant("a1", "", "toolUse", call("x")), result("r1", "a1", "x", "pending"), answer("a2", "r1", "b"),
			result("r2", "a2", "x", "approved"), answer("a3", "r2", "c")}, "a1 r1 a2 r2 a3", ""},
		{"second result of a failed attempt", []string{assistant("a1", "", "error", call("x")), result("r1", "a1", "x", "1"), result("r2", "r1", "x", "2"), user("u1", "r2", "a")},
			"u1", "a1:failed-attempt r1:failed-attempt r2:failed-attempt"},
		{"second result whose call is gone", []string{assistant("a1", "", "toolUse", call("x")), result("r1", "a1", "x", "1"), result("r2", "r1", "x", "2"), edit("e", "r2", "a1", "null"), user("u1", "e", "a")},
			"u1", "a1:edit-null r1:edit-null r2:edit-null"},
		{"result of a call that was compacted away", []string{assistant("a1", "", "toolUse", call("x")), user("u1", "a1", "a"), answer("a2", "u1", "b"), user("u2", "a2", "c"),
			entry("compaction", "c", "u2", `"summary":"s","firstKeptEntryId":"u2","tokensBefore":9,"details":{"coppice":{"v":1}}`), result("r1", "c", "x", "1")},
			"c u2 r1", ""},
		{"calls that share an id", []string{assistant("a1", "", "toolUse", call("x")+","+call("x")+","+call("x")), result("r1", "a1", "x", "1"), result("r2", "r1", "x", "2")},
			"a1 r1 r2 !missing-result", ""},
		{"a call id used again", []string{assistant("a1", "", "toolUse", call("x")), result("r1", "a1", "x", "1"),
			assistant("a2", "r1", "toolUse", call("x")), result("r2", "a2", "x", "2")}, "a1 r1 a2 r2", ""},
		{"failed attempt", []string{user("u1", "", "a"), assistant("a1", "u1", "aborted", call("x")), result("r1", "a1", "x", "1"), answer("a2", "r1", "b")},
			"u1 a2", "a1:failed-attempt r1:failed-attempt"},
		{"excluded command", []string{user("u1", "", "a"), entry("message", "b", "u1", `"message":{"role":"bashExecution","command":"ls","output":"x","excludeFromContext":true}`)},
			"u1", "b:excluded"},
		{"omitted result keeps its place", []string{assistant("a1", "", "toolUse", call("x")), result("r1", "a1", "x", "1"), edit("e", "r1", "r1", "null")},
			"a1 r1", ""},
		{"omitted assistant takes its results along", []string{user("u1", "", "a"), assistant("a1", "u1", "toolUse", call("x")), result("r1", "a1", "x", "1"), edit("e", "r1", "a1", "null")},
			"u1", "a1:edit-null r1:edit-null"},
		{"a replacement without the call too", []string{user("u1", "", "a"), assistant("a1", "u1", "toolUse", call("x")), result("r1", "a1", "x", "1"), edit("e", "r1", "a1", `{"content":"gone"}`)},
			"u1 a1", "r1:edit-null"},
		{"a replacement with a call", []string{user("u1", "", "a"), answer("a1", "u1", "b"), user("u2", "a1", "c"), edit("e", "u2", "a1", `{"content":[`+call("x")+`]}`)},
			"u1 a1 !missing-result u2", ""},
		{"a replacement with a call that a result has", []string{user("u1", "", "a"), assistant("a1", "u1", "toolUse", call("x")), result("r1", "a1", "x", "1"), edit("e", "r1", "a1", `{"content":[`+call("x")+","+call("y")+`]}`)},
			"u1 a1 r1 !missing-result", ""},
		{"a call in the place of a question", []string{user("u1", "", "a"), answer("a1", "u1", "b"), edit("e", "a1", "u1", `{"content":[{"type":"text","text":"new"},`+call("x")+`]}`)},
			"u1 a1", ""},
		{"nothing but a call in the place of a question", []string{user("u1", "", "a"), answer("a1", "u1", "b"), edit("e", "a1", "u1", `{"content":[`+call("x")+`]}`)},
			"a1", "u1:empty"},
		{"a call in the place of a result", []string{assistant("a1", "", "toolUse", call("x")), result("r1", "a1", "x", "1"), edit("e", "r1", "r1", `{"content":[`+call("y")+`]}`)},
			"a1 r1", ""},
		{"a call of the user", []string{entry("message", "u1", "", `"message":{"role":"user","content":[{"type":"text","text":"a"},`+call("x")+`]}`), answer("a1", "u1", "b")}, "u1 a1", ""},
		{"a call in a note", []string{user("u1", "", "a"), entry("custom_message", "k", "u1", `"customType":"n","content":[`+call("x")+`,{"type":"text","text":"note"}],"display":true`), answer("a1", "k", "b")}, "u1 k a1", ""},
		{"system messages are folded", []string{entry("message", "s", "", `"message":{"role":"system","content":"be brief"}`), user("u1", "s", "a")}, "u1", "s:system"},
		{"only thinking", []string{user("u1", "", "a"), assistant("a1", "u1", "stop", `{"type":"thinking","thinking":"hm"}`)}, "u1", "a1:empty"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v := project(t, parse(t, tt.lines...))
			if got := shows(v); got != tt.want {
				t.Errorf("shows %q, want %q", got, tt.want)
			}
			if got := leftOut(v); got != tt.leftOut {
				t.Errorf("left out %q, want %q", got, tt.leftOut)
			}
		})
	}
}

func TestProjectReadsNoFurtherThanItMust(t *testing.T) {
	ours := entry("compaction", "c", "u2", `"summary":"s","firstKeptEntryId":"u2","tokensBefore":9,"details":{"coppice":{"v":1}}`)
	tests := []struct {
		name    string
		lines   []string
		parents []string
		shows   string
	}{
		{"our own: to its first kept entry", []string{user("u1", "", "a"), answer("a1", "u1", "b"), user("u2", "a1", "c"), ours, user("u3", "c", "d")},
			[]string{"u3", "c"}, "c u2 u3"},
		{"another program's: to the last final answer", []string{user("u0", "", "a"), answer("a0", "u0", "b"), user("u1", "a0", "c"), user("u2", "u1", "d"),
			compactionOf("c", "u2", "u2"), user("u3", "c", "e")}, []string{"u3", "c", "u2", "u1"}, "c u2 u3"},
		{"another program's: it keeps that", []string{user("u1", "", "a"), answer("a1", "u1", "b"), compactionOf("c", "a1", "a1"), user("u3", "c", "e")},
			[]string{"u3", "c"}, "c a1 u3"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			may := map[string]bool{}
			for _, id := range tt.parents {
				may[id] = true
			}
			v, err := Project(context.Background(), only{parse(t, tt.lines...), may, t}, nil, Policy{})
			if err != nil || shows(v) != tt.shows || v.AtRoot {
				t.Errorf("shows %q, at root %v, err %v", shows(v), v.AtRoot, err)
			}
		})
	}
}

// only fails when the parent of another entry is asked for.
type only struct {
	lines
	parents map[string]bool
	t       *testing.T
}

func (o only) Parent(ctx context.Context, e *session.Entry) (*session.Entry, error) {
	if !o.parents[e.ID] {
		o.t.Errorf("read past %s", e.ID)
	}
	return o.lines.Parent(ctx, e)
}

func TestEditsAndPins(t *testing.T) {
	base := []string{user("u1", "", "original"), answer("a1", "u1", "b"), edit("e", "a1", "u1", `{"content":"short"}`)}
	text := func(l ...string) (string, bool) {
		it := project(t, parse(t, l...)).Items[0]
		return must.Get(it.Message()).Text(""), it.Edited
	}
	if got, edited := text(base...); got != "short" || !edited {
		t.Errorf("edited: %q %v", got, edited)
	}
	if got, edited := text(append(slices.Clone(base), edit("f", "e", "u1", `{"content":"original"}`))...); got != "original" || edited {
		t.Errorf("edit undone: %q %v", got, edited)
	}
	pin := entry("custom", "p", "e", `"customType":"coppice.pin","data":{"targetId":"u1","pinned":true}`)
	if got, edited := text(append(slices.Clone(base), pin)...); got != "original" || edited {
		t.Errorf("a pin beats an edit: %q %v", got, edited)
	}
}

const details = `"summary":"s","firstKeptEntryId":"u2","tokensBefore":9,"details":{"readFiles":[],"modifiedFiles":[],"coppice":{"v":1,` +
	`"model":{"provider":"p","id":"m"},"thinkingLevel":"high",` +
	`"pins":[{"id":"r1","at":2,"group":[{"id":"a1","at":1},{"id":"r1","at":2}]}],"request":[{"id":"u1","at":0}],"edits":["e"]}}`

func TestCoveredButShown(t *testing.T) {
	l := []string{user("u1", "", "please fix it"), assistant("a1", "u1", "toolUse", call("x")), result("r1", "a1", "x", "1"),
		answer("a2", "r1", "working"), user("u2", "a2", "and this"), edit("e", "u2", "u2", `{"content":"…"}`),
		entry("compaction", "c", "e", details), user("u3", "c", "now")}
	v := project(t, parse(t, l...))
	if got := shows(v); got != "c u1 a1 r1 u2 u3" {
		t.Fatalf("shows %q", got)
	}
	want := []Item{{Request: true}, {Pinned: true}, {Pinned: true}, {Edited: true}, {}}
	for i, w := range want {
		if it := v.Items[i+1]; it.Pinned != w.Pinned || it.Request != w.Request || it.Edited != w.Edited {
			t.Errorf("%s: pinned %v request %v edited %v", it.Entry.ID, it.Pinned, it.Request, it.Edited)
		}
	}
	if v.ThinkingLevel != "high" || v.Model == nil || *v.Model != (session.ModelChange{Provider: "p", ModelID: "m"}) {
		t.Errorf("model %v, level %s", v.Model, v.ThinkingLevel)
	}

	unpinned := append(slices.Clone(l), entry("custom", "n", "u3", `"customType":"coppice.pin","data":{"targetId":"r1","pinned":false}`))
	if got := shows(project(t, parse(t, unpinned...))); got != "c u1 u2 u3" {
		t.Errorf("unpinned: shows %q", got)
	}
	undone := append(slices.Clone(l), entry("custom", "x", "u3", `"customType":"coppice.uncompact","data":{"compactionId":"c"}`))
	v = project(t, parse(t, undone...))
	if got := shows(v); got != "u1 a1 r1 a2 u2 u3" || v.Items[4].Edited {
		t.Errorf("undone: shows %q, its own edit in force: %v", got, v.Items[4].Edited)
	}
	later := append(slices.Clone(undone), entry("custom", "y", "x", `"customType":"coppice.pin","data":{"targetId":"a2","pinned":true}`),
		compactionOf("d", "y", "u3"))
	if got := shows(project(t, parse(t, later...))); got != "d a2 u3" {
		t.Errorf("pinned, then compacted by another program: shows %q", got)
	}
}

func TestOpenRequest(t *testing.T) {
	ids := func(items []Item) (out []string) {
		for _, it := range items {
			out = append(out, it.Entry.ID)
		}
		return out
	}
	l := []string{user("u1", "", "old"), answer("a1", "u1", "done"), user("u2", "a1", "new"),
		assistant("a2", "u2", "toolUse", call("x")), result("r", "a2", "x", "1"), user("u3", "r", "also")}
	if got := ids(project(t, parse(t, l...)).OpenRequest()); !slices.Equal(got, []string{"u2", "u3"}) {
		t.Errorf("open request %v", got)
	}
	l = append(l, answer("a3", "u3", "done"))
	if got := ids(project(t, parse(t, l...)).OpenRequest()); got != nil {
		t.Errorf("answered: %v", got)
	}
}

// What the view does not show answers no one.
func TestOpenRequestStaysOpen(t *testing.T) {
	asked := []string{user("u1", "", "old"), answer("a1", "u1", "done"), user("u2", "a1", "new")}
	for name, last := range map[string][]string{
		"empty":         {assistant("a2", "u2", "stop", "")},
		"blank":         {assistant("a2", "u2", "stop", `{"type":"text","text":" \n"}`)},
		"thinking only": {assistant("a2", "u2", "stop", `{"type":"thinking","thinking":"hm","thinkingSignature":"s"}`)},
		"failed":        {assistant("a2", "u2", "error", `{"type":"text","text":"half"}`)},
		"hidden":        {answer("a2", "u2", "done"), entry("context_edit", "x", "a2", `"targetId":"a2","replacement":null`)},
	} {
		open := project(t, parse(t, append(slices.Clone(asked), last...)...)).OpenRequest()
		if len(open) != 1 || open[0].Entry.ID != "u2" {
			t.Errorf("%s: %d messages are open, want u2", name, len(open))
		}
	}
}

// A thinking block is shown only while everything before it is unchanged.
func TestThinkingFollowsItsPrefix(t *testing.T) {
	think := func(id, parent string) string {
		return assistant(id, parent, "stop", `{"type":"thinking","thinking":"hm","thinkingSignature":"sig"},{"type":"text","text":"t"}`)
	}
	base := []string{user("u1", "", "a"), think("a1", "u1"), user("u2", "a1", "b"), think("a2", "u2")}
	plus := func(more ...string) []string { return append(slices.Clone(base), more...) }
	undo := func(id, parent, c string) string {
		return entry("custom", id, parent, `"customType":"coppice.uncompact","data":{"compactionId":"`+c+`"}`)
	}
	tests := []struct {
		name  string
		lines []string
		want  string // ids of messages that still think
	}{
		{"untouched", base, "a1 a2"},
		{"kept after a summary", plus(compactionOf("c", "a2", "u2"), think("a3", "c")), "a3"},
		{"compaction undone", plus(compactionOf("c", "a2", "u2"), think("a3", "c"), undo("x", "a3", "c"), think("a4", "x")), "a1 a2 a4"},
		{"edit before it", plus(edit("e", "a2", "u2", `{"content":"x"}`), think("a3", "e")), "a1 a3"},
		{"edit undone", plus(edit("e", "a2", "u2", `{"content":"x"}`), think("a3", "e"), edit("f", "a3", "u2", `{"content":"b"}`)), "a1 a2"},
		{"prompt changed", plus(entry("message", "s", "a2", `"message":{"role":"system","content":"new"}`), think("a3", "s")), "a3"},
		{"model changed", plus(entry("model_change", "mc", "a2", `"provider":"p","modelId":"other"`)), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, it := range project(t, parse(t, tt.lines...)).Items {
				for _, b := range must.Get(it.Message()).Content {
					if _, ok := b.(message.Thinking); ok {
						got = append(got, it.Entry.ID)
					}
				}
			}
			if s := strings.Join(got, " "); s != tt.want {
				t.Errorf("thinking in %q, want %q", s, tt.want)
			}
		})
	}
}

func usage(id, parent string, total int) string {
	return entry("message", id, parent, fmt.Sprintf(
		`"message":{"role":"assistant","content":"12345678","provider":"p","model":"m","stopReason":"stop","usage":{"totalTokens":%d}}`, total))
}

// Sizes as pi 1.6.0 counts them (docs/context.md).
func TestSize(t *testing.T) {
	long := strings.Repeat("word ", 4000) // about 5000 tokens
	tests := []struct {
		name     string
		lines    []string
		measured int64 // -1: none
		kind     string
	}{
		{"none", []string{user("u1", "", "1234")}, -1, ""},
		{"the last counts", []string{user("u1", "", "1234"), usage("a1", "u1", 100), user("u2", "a1", "1234"), usage("a2", "u2", 200), user("u3", "a2", "1234")}, 202, ""},
		{"zero does not count", []string{user("u1", "", "1234"), usage("a1", "u1", 100), user("u2", "a1", "1234"), usage("a2", "u2", 0)}, 106, ""},
		{"of another model", []string{user("u1", "", "1234"), usage("a1", "u1", 100), entry("model_change", "c", "a1", `"provider":"p","modelId":"n"`)}, -1, ""},
		{"from before a compaction", []string{user("u1", "", "1"), usage("a1", "u1", 190000), compactionOf("c", "a1", "a1"), user("u2", "c", "1")}, -1, ""},
		{"not believed", []string{user("u1", "", long), usage("a1", "u1", 70000)}, -1, "implausible-usage"},
		{"a second that grew as estimated", []string{user("u1", "", "1234"), usage("a1", "u1", 70000), user("u2", "a1", long), usage("a2", "u2", 75000)}, 75000, ""},
		{"a second that grew by more", []string{user("u1", "", "1234"), usage("a1", "u1", 70000), user("u2", "a1", long), usage("a2", "u2", 95000)}, -1, "implausible-usage"},
		{"a second that fell", []string{user("u1", "", "1234"), usage("a1", "u1", 90000), user("u2", "a1", long), usage("a2", "u2", 75000)}, -1, "implausible-usage"},
		{"truncated by the server", []string{user("u1", "", long), usage("a1", "u1", 500)}, -1, "truncated-by-server"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := must.Get(project(t, parse(t, tt.lines...)).Size(tokens.Default{}, 0))
			got := int64(-1)
			if s.Measured != nil {
				got = *s.Measured
			}
			if got != tt.measured {
				t.Errorf("measured %d, want %d", got, tt.measured)
			}
			kind := ""
			if len(s.Problems) > 0 {
				kind = s.Problems[0].Kind
			}
			if kind != tt.kind {
				t.Errorf("problem %q, want %q", kind, tt.kind)
			}
		})
	}
}

func TestRequestEndsWithInputOnlyWhenSent(t *testing.T) {
	v := project(t, parse(t, user("u1", "", "a"), answer("a1", "u1", "b")))
	roles := func(r Request) (out []message.Role) {
		for _, m := range r.Messages {
			out = append(out, m.Role)
		}
		return out
	}
	if diff := cmp.Diff([]message.Role{"user", "assistant"}, roles(must.Get(v.Request(false)))); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]message.Role{"user", "assistant", "user"}, roles(must.Get(v.Request(true)))); diff != "" {
		t.Error(diff)
	}
}

// An image that no one can read is a text with its path; the others stay.
func TestBrokenImages(t *testing.T) {
	const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+M8AAQUBAScY42YAAAAASUVORK5CYII="
	for data, want := range map[string]string{
		pixel:                            "",
		"data:image/png;base64," + pixel: "",
		strings.TrimRight(pixel, "="):    "",
		"<html>not found</html>":         "[image left out: file, 22 bytes; its data is not base64: '<' at 0; read en:u1]",
		"":                               "[image left out: file, 0 bytes; it is empty; read en:u1]",
		"aGVsbG8=":                       "[image left out: file, 5 bytes; its data is of an unknown type; read en:u1]",
	} {
		v := project(t, parse(t, entry("message", "u1", "", `"message":{"role":"user","content":[{"type":"text","text":"look"},{"type":"image","mimeType":"image/png","data":`+strconv.Quote(data)+`}]}`)))
		content := must.Get(v.Request(true)).Messages[0].Content
		if len(content) != 2 {
			t.Fatalf("%q: %+v", data, content)
		}
		img, kept := content[1].(message.Image)
		if text, _ := content[1].(message.Text); kept != (want == "") || kept && img.Data != data || text.Text != want {
			t.Errorf("%q: %+v, want %q", data, content[1], want)
		}
	}
}

func TestPinGroup(t *testing.T) {
	l := parse(t, user("u1", "", "a"), assistant("a1", "u1", "toolUse", call("x")+","+call("y")), result("r1", "a1", "x", "1"),
		entry("custom_message", "k", "r1", `"customType":"n","content":"note"`), result("r2", "k", "y", "2"), answer("a2", "r2", "done"),
		entry("label", "l", "a2", `"targetId":"u1","label":"x"`))
	for target, want := range map[string]string{"u1": "u1", "a1": "a1 r1 r2", "r2": "a1 r1 r2", "k": "k", "a2": "a2", "l": "", "zz": ""} {
		group, err := PinGroup(context.Background(), l, nil, target)
		var ids []string
		for _, e := range group {
			ids = append(ids, e.ID)
		}
		if got := strings.Join(ids, " "); got != want || (err != nil) != (want == "") {
			t.Errorf("%s: %q, %v; want %q", target, got, err, want)
		}
	}
}
