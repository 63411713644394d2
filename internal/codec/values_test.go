package codec

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coppice-dev/coppice/message"
)

// A pointer to a block is written like the block.
func TestPointersAreWrittenAsValues(t *testing.T) {
	words, picture, reason := message.Text{Text: "t", Signature: "s"}, message.Image{Data: "AAAA", MIMEType: "image/png"}, message.Thinking{Thinking: "hm", Signature: "s"}
	call, other := message.ToolCall{ID: "a", Name: "n", Arguments: []byte(`{"x":1}`)}, message.Opaque{Type: "x", Raw: []byte(`{"type":"x"}`)}
	for _, tt := range []struct {
		p, v message.Block
		want string
	}{
		{&words, words, `[{"type":"text","text":"t","textSignature":"s"}]`},
		{&picture, picture, `[{"type":"image","data":"AAAA","mimeType":"image/png"}]`},
		{&reason, reason, `[{"type":"thinking","thinking":"hm","thinkingSignature":"s"}]`},
		{&call, call, `[{"type":"toolCall","id":"a","name":"n","arguments":{"x":1}}]`},
		{&other, other, `[{"type":"x"}]`},
	} {
		for _, b := range []message.Block{tt.p, tt.v} {
			content := []message.Block{b}
			if got := string(EncodeContent(content)); got != tt.want || EncodedLen(content) != len(tt.want) {
				t.Errorf("%T: %s, want %s", b, got, tt.want)
			}
			got, err := Values(&message.Message{Content: content})
			if diff := cmp.Diff([]message.Block{tt.v}, got.Content); diff != "" || err != nil {
				t.Errorf("%T: %v %s", b, err, diff)
			}
		}
	}
	system := &message.Message{Role: message.RoleSystem, Content: []message.Block{&message.Text{Text: "Be brief."}}}
	if got := string(Encode(system)); got != `{"role":"system","content":"Be brief."}` {
		t.Error(got)
	}
}

type strange struct{ message.Text }

// What no one can read is named, and the rest is there.
func TestUnreadableBlocks(t *testing.T) {
	for want, b := range map[string]message.Block{
		"block 1 is a nil *message.Text":                             (*message.Text)(nil),
		"block 1 is a nil *message.Opaque":                           (*message.Opaque)(nil),
		"block 1 is a codec.strange, which is not a type of content": strange{},
		`block 1, of type "x", is not JSON`:                          &message.Opaque{Type: "x"},
		`block 1, of type "y", is not JSON`:                          message.Opaque{Type: "y", Raw: []byte(`{"a":`)},
	} {
		m, err := Values(&message.Message{Content: []message.Block{message.Text{Text: "a"}, b, message.Text{Text: "b"}}})
		if err == nil || err.Error() != want || m.Text("") != "ab" {
			t.Errorf("%v, want %s: %q", err, want, m.Text(""))
		}
	}
	m, err := Values(&message.Message{Content: []message.Block{message.Opaque{Raw: []byte("{\n\"n\": 12345678901234567890}")}}})
	if raw := string(m.Content[0].(message.Opaque).Raw); err != nil || raw != `{ "n": 12345678901234567890}` {
		t.Errorf("%s, %v", raw, err)
	}
	if m, err := Values(&message.Message{Content: []message.Block{nil, message.Text{Text: "a"}}}); err != nil || len(m.Content) != 1 {
		t.Errorf("%v %v", m, err)
	}
}
