package openai

import (
	"slices"
	"strings"

	"github.com/coppice-dev/coppice/internal/jsonw"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/wire/internal/prepare"
	"github.com/go-json-experiment/json/jsontext"
)

// Reasoning that only its vendor can read or vouch for comes next to the content
// and goes back as it came (docs/limits.md, What vendors want back): OpenRouter's
// list reasoning_details, of texts with signatures and encrypted items, and
// Copilot's reasoning_opaque. In a session it is a redacted block of thinking
// whose signature is a JSON object with these fields.
//
// An encrypted item that belongs to a call is also that call's signature, as pi
// keeps it. If the calls hold the whole list, there is no block.
const (
	detailsField = "reasoning_details"
	opaqueField  = "reasoning_opaque"
)

// chunkOfThinking is the type of the parts of a content in which Mistral's models
// think, and the signature of what came in one.
const chunkOfThinking = "thinking"

// sealed is such reasoning while it is being received.
type sealed struct {
	details []*detail
	opaque  string
	holders []int // for each encrypted detail the call that holds it; -1: none
}

// detail is one item of reasoning_details, put together from its pieces.
type detail struct {
	names  []string // of the members, in order
	values map[string]jsontext.Value
	text   strings.Builder // of the member that grows
}

// take reads a delta and returns the readable text in the details.
func (s *sealed) take(delta jsontext.Value) (text string) {
	if o := str(delta, opaqueField); o != "" {
		s.opaque = o
	}
	for item := range rawjson.Elements(rawjson.Get(delta, detailsField)) {
		if isDetail(item) {
			text += s.detail(item)
		}
	}
	return text
}

// detail adds an item to the one that it continues, or to the list.
func (s *sealed) detail(item jsontext.Value) (text string) {
	grows := growing(item)
	var d *detail
	for _, known := range slices.Backward(s.details) {
		if grows != "" && known.continuedBy(item) {
			d = known
			break
		}
	}
	if d == nil {
		d = &detail{values: map[string]jsontext.Value{}}
		s.details = append(s.details, d)
	}
	for name, v := range rawjson.Members(item) {
		had, known := d.values[name]
		if !known {
			d.names = append(d.names, name)
		}
		switch {
		case name == grows:
			text = rawjson.String(v)
			d.text.WriteString(text)
			d.values[name] = nil
		case !known || rawjson.Kind(had) == 'n':
			d.values[name] = slices.Clone(v)
		}
	}
	return text
}

// isDetail reports whether an item is one of reasoning_details. Types that are not
// known yet go back like the others.
func isDetail(item jsontext.Value) bool {
	typ := str(item, "type")
	return strings.HasPrefix(typ, "reasoning.") && (typ != "reasoning.encrypted" || str(item, "data") != "")
}

// growing names the member of an item that comes in pieces; "": none.
func growing(item jsontext.Value) string {
	switch str(item, "type") {
	case "reasoning.text":
		return "text"
	case "reasoning.summary":
		return "summary"
	}
	return ""
}

// continuedBy reports whether an item is the next piece of d: of the same type
// and index, and d has no signature yet, which ends it.
func (d *detail) continuedBy(item jsontext.Value) bool {
	same := func(name string) bool { return string(d.values[name]) == string(rawjson.Get(item, name)) }
	return same("type") && same("index") && rawjson.String(d.values["signature"]) == ""
}

// vouched reports whether d is more than readable text.
func (d *detail) vouched() bool {
	return rawjson.String(d.values["signature"]) != "" || d.encrypted()
}

func (d *detail) encrypted() bool { return rawjson.String(d.values["data"]) != "" }

func (d *detail) bytes() []byte {
	var o jsonw.Object
	for _, name := range d.names {
		if v := d.values[name]; v != nil {
			o.Raw(name, v)
		} else {
			o.Str(name, d.text.String())
		}
	}
	return rawjson.JS(o.Bytes())
}

// sign gives each encrypted item to the call with its id, else to the first one
// that has nothing yet.
func (s *sealed) sign(calls []*call) {
	for _, d := range s.details {
		if !d.encrypted() {
			continue
		}
		free := func(c *call) bool { return c.signature == "" }
		id := rawjson.String(d.values["id"])
		i := slices.IndexFunc(calls, func(c *call) bool { return free(c) && c.id != "" && c.id == id })
		if i < 0 {
			i = slices.IndexFunc(calls, free)
		}
		if i >= 0 {
			calls[i].signature = string(d.bytes())
		}
		s.holders = append(s.holders, i)
	}
}

// kept is what has to be stored besides the text of the thinking and the
// signatures of the calls; "": nothing. spoken says that the text came in a field
// of its own, which is enough if no one vouches for it.
func (s *sealed) kept(spoken bool) string {
	var o jsonw.Object
	if s.opaque != "" {
		o.Str(opaqueField, s.opaque)
	}
	needed := !spoken && len(s.details) > 0 || slices.ContainsFunc(s.details, (*detail).vouched)
	if needed && !s.heldByCalls() {
		var list jsonw.Array
		for _, d := range s.details {
			list.Add(d.bytes())
		}
		o.Raw(detailsField, list.Bytes())
	}
	if b := o.Bytes(); len(b) > len("{}") {
		return string(rawjson.JS(b))
	}
	return ""
}

// heldByCalls reports whether the signatures of the calls, in their order, are
// the whole list.
func (s *sealed) heldByCalls() bool {
	return len(s.holders) == len(s.details) && !slices.Contains(s.holders, -1) && slices.IsSorted(s.holders)
}

// sealedFields returns the fields in the signature of a redacted block, or nil if
// it has none.
func sealedFields(t message.Thinking) (details []jsontext.Value, opaque string) {
	raw := []byte(t.Signature)
	if !t.Redacted || !prepare.Sendable(raw) {
		return nil, ""
	}
	for item := range rawjson.Elements(rawjson.Get(raw, detailsField)) {
		if d := sealedItem(string(item)); d != nil {
			details = append(details, d)
		}
	}
	return details, str(raw, opaqueField)
}

// isSealed reports whether a block has reasoning that goes back as it came.
func isSealed(t message.Thinking) bool {
	details, opaque := sealedFields(t)
	return details != nil || opaque != ""
}

// sealedItem returns an item of reasoning_details that is a call's signature, or
// nil.
func sealedItem(signature string) []byte {
	raw := []byte(signature)
	if !prepare.Sendable(raw) || !isDetail(raw) {
		return nil
	}
	return jsonw.Clean(raw)
}
