package responses

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/internal/testkit/wiretest"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/timeline"
)

// thought is a reasoning block whose item has an id.
func thought(id string) message.Block {
	return message.Thinking{Thinking: "hm", Signature: `{"type":"reasoning","id":"` + id + `","summary":[],"encrypted_content":"gA=="}`}
}

// said is text whose item has an id.
func said(id, text string) message.Block {
	return message.Text{Text: text, Signature: `{"v":1,"id":"` + id + `"}`}
}

// listed are the items of a body, one word each: its type and its ids. An item
// that is sent without an id has none.
func listed(body []byte) string {
	short := map[string]string{"reasoning": "r", "message": "m", "function_call": "c", "function_call_output": "o"}
	var out []string
	for item := range rawjson.Elements(rawjson.Get(body, "input")) {
		word := short[str(item, "type")]
		if str(item, "role") == "user" {
			word = "u"
		}
		for _, name := range []string{"id", "call_id"} {
			if id := str(item, name); id != "" {
				word += ":" + id
			}
		}
		out = append(out, word)
	}
	return strings.Join(out, " ")
}

// An id is sent once, at most 64 bytes long, and only with the reasoning that
// its item belongs to. What has to be renamed keeps a name of its own.
func TestItemIDs(t *testing.T) {
	u, on := wiretest.User(wiretest.Text("go")), wiretest.User(wiretest.Text("on"))
	round := func(n int, reasoning string) []*message.Message {
		id := fmt.Sprintf("call_%d|fc_%d", n, n)
		return []*message.Message{wiretest.Assistant(thought(reasoning), wiretest.Call(id, `{}`)), wiretest.Result(id, wiretest.Text("r"))}
	}
	long := func(prefix string, n int) string { return prefix + strings.Repeat("x", n-len(prefix)) }
	hashed := func(id string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(id)))[:8] }
	fitted := func(id string) string { return id[:55] + "_" + hashed(id) } // 64 in all
	tests := []struct {
		name     string
		messages []*message.Message
		want     string
	}{
		{"each its own", append(append([]*message.Message{u}, round(1, "rs_1")...), round(2, "rs_2")...),
			"u r:rs_1 c:fc_1:call_1 o:call_1 r:rs_2 c:fc_2:call_2 o:call_2"},
		{"one id twice in one answer", []*message.Message{u, wiretest.Assistant(thought("rs_1"), said("msg_1", "a"), thought("rs_1"), said("msg_2", "b")), on},
			"u r:rs_1 m:msg_1 r m u"},
		{"one id twice, one after the other", []*message.Message{u, wiretest.Assistant(thought("rs_1"), thought("rs_1"), said("msg_1", "a")), on},
			"u r:rs_1 r m u"},
		{"one id three times, in rounds of one turn", append(append(append([]*message.Message{u}, round(1, "rs_1")...), round(2, "rs_1")...), round(3, "rs_1")...),
			"u r:rs_1 c:fc_1:call_1 o:call_1 r c:call_2 o:call_2 r c:call_3 o:call_3"},
		{"one id three times, over several turns", []*message.Message{u, wiretest.Assistant(thought("rs_1"), said("msg_1", "a")), on,
			wiretest.Assistant(thought("rs_1"), said("msg_2", "b")), on, wiretest.Assistant(thought("rs_1"), said("msg_3", "c")), on},
			"u r:rs_1 m:msg_1 u r m u r m u"},
		{"a text's id twice", []*message.Message{u, wiretest.Assistant(thought("rs_1"), said("msg_1", "a")), on, wiretest.Assistant(thought("rs_2"), said("msg_1", "b")), on},
			"u r:rs_1 m:msg_1 u r:rs_2 m u"},
		{"a call's id twice", append(append([]*message.Message{u}, round(1, "rs_1")...), round(1, "rs_2")...),
			"u r:rs_1 c:fc_1:call_1 o:call_1 r:rs_2 c:call_1_2_" + hashed("call_1~2") + " o:call_1_2_" + hashed("call_1~2")},

		{"reasoning of 1,640 characters", []*message.Message{u, wiretest.Assistant(thought(long("rs_", 1640)), said("msg_1", "a")), on}, "u r m u"},
		{"reasoning of 64", []*message.Message{u, wiretest.Assistant(thought(long("rs_", 64)), said("msg_1", "a")), on}, "u r:" + long("rs_", 64) + " m:msg_1 u"},
		{"reasoning of 65", []*message.Message{u, wiretest.Assistant(thought(long("rs_", 65)), said("msg_1", "a")), on}, "u r m u"},
		{"a text of 1,640", []*message.Message{u, wiretest.Assistant(thought("rs_1"), said(long("msg_", 1640), "a")), on}, "u r:rs_1 m u"},
		{"a text of 64", []*message.Message{u, wiretest.Assistant(thought("rs_1"), said(long("msg_", 64), "a")), on}, "u r:rs_1 m:" + long("msg_", 64) + " u"},
		{"a call of 1,640", []*message.Message{u, wiretest.Assistant(thought("rs_1"), wiretest.Call("call_1|"+long("fc_", 1640), `{}`)), wiretest.Result("call_1|" + long("fc_", 1640))},
			"u r:rs_1 c:call_1 o:call_1"},
		{"a call id of 64", []*message.Message{u, wiretest.Assistant(thought("rs_1"), wiretest.Call(long("call_", 64)+"|fc_1", `{}`)), wiretest.Result(long("call_", 64) + "|fc_1")},
			"u r:rs_1 c:fc_1:" + long("call_", 64) + " o:" + long("call_", 64)},
		{"a call id of 65", []*message.Message{u, wiretest.Assistant(thought("rs_1"), wiretest.Call(long("call_", 65)+"|fc_1", `{}`)), wiretest.Result(long("call_", 65) + "|fc_1")},
			"u r:rs_1 c:" + fitted(long("call_", 65)) + " o:" + fitted(long("call_", 65))},
		{"two call ids of 1,640 that differ at the end", []*message.Message{u, wiretest.Assistant(wiretest.Call(long("call_", 1639)+"a", `{}`), wiretest.Call(long("call_", 1639)+"b", `{}`)),
			wiretest.Result(long("call_", 1639) + "b"), wiretest.Result(long("call_", 1639) + "a")},
			"u c:" + fitted(long("call_", 1639)+"a") + " c:" + fitted(long("call_", 1639)+"b") + " o:" + fitted(long("call_", 1639)+"a") + " o:" + fitted(long("call_", 1639)+"b")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := message.Model{ID: "gpt", Reasoning: true}
			body, err := Dialect.Render(timeline.Request{Messages: tt.messages}, m, message.CallOptions{})
			if err != nil {
				t.Fatal(err)
			}
			wiretest.Check(t, Dialect, body, m)
			if got := listed(body); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// Nothing is stored at the vendor, so only reasoning that comes whole can be sent:
// encrypted, or as the text that open models give. Without it, its items have no
// ids.
func TestReasoningIsWhole(t *testing.T) {
	for name, tt := range map[string]struct{ item, want string }{
		"encrypted":                 {`{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"gA=="}`, "u r:rs_1 m:msg_1 u"},
		"an open model's text":      {`{"type":"reasoning","id":"rs_1","summary":[],"content":[{"type":"reasoning_text","text":"hm"}]}`, "u r:rs_1 m:msg_1 u"},
		"a summary alone":           {`{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"hm"}]}`, "u m u"},
		"null":                      {`{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":null}`, "u m u"},
		"empty":                     {`{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":""}`, "u m u"},
		"no text":                   {`{"type":"reasoning","id":"rs_1","summary":[],"content":[]}`, "u m u"},
		"stored: a reference alone": {`{"type":"item_reference","id":"rs_1"}`, "u m u"},
	} {
		body, err := Dialect.Render(timeline.Request{Messages: []*message.Message{wiretest.User(wiretest.Text("go")),
			wiretest.Assistant(message.Thinking{Signature: tt.item}, said("msg_1", "a")), wiretest.User(wiretest.Text("on"))}}, message.Model{ID: "gpt", Reasoning: true}, message.CallOptions{})
		if err != nil {
			t.Fatal(err)
		}
		wiretest.Check(t, Dialect, body, message.Model{ID: "gpt", Reasoning: true})
		if got := listed(body); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}
