package opencode

import (
	"strings"

	"github.com/coppice-dev/coppice/convert/internal/carry"
	"github.com/coppice-dev/coppice/internal/jsonw"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
)

// reasoning is a reasoning item of the Responses API. opencode keeps each of
// its summaries as a separate part; the item is replayed whole.
type reasoning struct {
	id, encrypted string
	texts         []string
	block         int // its place in the step's content
}

// thinking takes a reasoning part. What the provider needs back with it is in
// the part's metadata, under the provider's name.
func (r *reader) thinking(s *step, p []byte) {
	t := message.Thinking{Thinking: carry.Str(p, "text")}
	for _, md := range rawjson.Members(carry.Get(p, "metadata")) {
		switch {
		case carry.Str(md, "reasoningEncryptedContent") != "":
			s.reasoning(carry.Str(md, "itemId"), carry.Str(md, "reasoningEncryptedContent"), t.Thinking)
			return
		case carry.Str(md, "redactedData") != "":
			t.Signature, t.Redacted = carry.Str(md, "redactedData"), true
		case carry.Str(md, "signature") != "":
			t.Signature = carry.Str(md, "signature")
		case carry.Str(md, "thoughtSignature") != "":
			t.Signature = carry.Str(md, "thoughtSignature")
		case carry.Str(md, "reasoningOpaque") != "":
			r.sink.Skip("signature of thinking") // from an API without a dialect here
		}
	}
	s.add(t)
}

// reasoning adds a summary to the item at the end of the step's content, or
// begins another item.
func (s *step) reasoning(id, encrypted, text string) {
	if s.item == nil || s.item.id != id || s.item.block != len(s.content)-1 {
		s.item = &reasoning{id: id, block: len(s.content)}
		s.add(nil)
	}
	s.item.encrypted = encrypted
	if text != "" {
		s.item.texts = append(s.item.texts, text)
	}
	s.content[s.item.block] = message.Thinking{Thinking: strings.Join(s.item.texts, "\n\n"), Signature: s.item.signature()}
}

// signature returns the item as the API sent it.
func (i *reasoning) signature() string {
	var summary jsonw.Array
	for _, text := range i.texts {
		var o jsonw.Object
		o.Str("type", "summary_text")
		o.Str("text", text)
		summary.Add(o.Bytes())
	}
	var o jsonw.Object
	o.OptStr("id", i.id)
	o.Str("type", "reasoning")
	o.Raw("summary", summary.Bytes())
	o.Str("encrypted_content", i.encrypted)
	return string(o.Bytes())
}

// textBlock is a text with what links it to the reasoning before it.
func textBlock(p []byte) message.Text {
	t := message.Text{Text: carry.Str(p, "text"), Signature: carry.Str(p, "metadata", "google", "thoughtSignature")}
	if id := carry.Str(p, "metadata", "openai", "itemId"); strings.HasPrefix(id, "msg_") {
		var o jsonw.Object
		o.Int("v", 1)
		o.Str("id", id)
		t.Signature = string(o.Bytes())
	}
	return t
}
