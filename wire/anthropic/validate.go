package anthropic

import (
	"strconv"

	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/wire"
	"github.com/coppice-dev/coppice/wire/internal/check"
	"github.com/go-json-experiment/json/jsontext"
)

// Validate predicts what the vendor refuses in a body.
func (dialect) Validate(body []byte, m message.Model, pending bool) []wire.Problem {
	r, ok := check.Body(body, m)
	if !ok {
		return r.Problems()
	}
	v := validator{Report: r, pending: pending, ids: map[string]bool{}, unsignedOK: takesUnsigned(m)}
	v.parameters(body)
	v.tools(rawjson.Get(body, "tools"))
	if system := rawjson.Get(body, "system"); rawjson.Kind(system) == '[' {
		v.content("system", system)
	}
	v.messages(rawjson.Get(body, "messages"), m)
	v.open(body)
	v.cacheMark("", body) // at the top level it means one on the last block
	if v.marks.n > maxMarks {
		r.Add(manyMarks, "", "%d cache marks", v.marks.n)
	}
	return r.Problems()
}

type validator struct {
	*check.Report
	pending bool
	ids     map[string]bool // of calls
	marks   marks
	hasTool bool // the body defines tools

	unsignedOK bool // the model does not sign thinking

	turns []parsed
}

// parsed is what the rules between messages need of one message.
type parsed struct {
	role       string
	blocks     []parsedBlock
	compaction bool // nothing but the vendor's own summary
}

type parsedBlock struct{ where, typ, id string }

func (v *validator) parameters(body []byte) {
	v.MaxOutput(body, "max_tokens")
	thinking := rawjson.Get(body, "thinking")
	budget, limit := rawjson.Get(thinking, "budget_tokens"), rawjson.Get(body, "max_tokens")
	if str(thinking, "type") != "enabled" || budget == nil {
		return
	}
	n := rawjson.Int(budget)
	if n < minBudget || limit != nil && n >= rawjson.Int(limit) {
		v.Add(budgetSize, "thinking.budget_tokens", "%d of %s output tokens are for thinking", n, limit)
	}
}

func (v *validator) tools(tools jsontext.Value) {
	names := check.Names{Duplicate: repeatedTool, Invalid: badTool, Max: maxName}
	i := 0
	for t := range rawjson.Elements(tools) {
		where := check.Path("tools", i)
		names.Check(v.Report, where, str(t, "name"))
		v.cacheMark(where, t)
		v.hasTool = true
		i++
	}
}

func (v *validator) messages(messages jsontext.Value, m message.Model) {
	i, usesTools := 0, false
	for msg := range rawjson.Elements(messages) {
		t := v.message(check.Path("messages", i), msg)
		for _, b := range t.blocks {
			usesTools = usesTools || b.typ == "tool_use" || b.typ == "tool_result"
		}
		v.turns = append(v.turns, t)
		i++
	}
	v.Messages("messages", i)
	if i == 0 && !v.pending {
		v.Add(noMessages, "messages", "there are no messages")
	}
	if usesTools && !v.hasTool && bedrock(m) {
		v.Add(noTools, "tools", "the history has tool calls, but no tools are defined")
	}
	for i := range v.turns {
		v.order(i)
	}
	v.pairs()
	if n := len(v.turns); n > 0 && !v.pending && v.turns[n-1].role == "assistant" && !v.turns[n-1].compaction {
		v.Add(check.LastAssistant, check.Path("messages", n-1), "the last message is from the assistant")
	}
}

func (v *validator) message(where string, msg jsontext.Value) parsed {
	t := parsed{role: str(msg, "role")}
	content := rawjson.Get(msg, "content")
	switch t.role {
	case "user", "assistant", "system": // system: instructions in the middle of the conversation
	default:
		v.Add(badRole, check.Path(where, "role"), "the role is %q", t.role)
	}
	if rawjson.Kind(content) == '"' {
		v.Text(check.EmptyText, check.Path(where, "content"), content)
		t.blocks = []parsedBlock{{where: check.Path(where, "content"), typ: "text"}}
		return t
	}
	if t.blocks = v.content(check.Path(where, "content"), content); len(t.blocks) == 0 {
		v.Add(emptyContent, where, "the message has no content")
		return t
	}
	t.compaction = len(t.blocks) == 1 && t.blocks[0].typ == "compaction"
	if last := t.blocks[len(t.blocks)-1]; t.role == "assistant" && isThinking(last.typ) {
		v.Add(thinkingLast, last.where, "the message ends in thinking")
	}
	return t
}

// image checks the source of an image: its bytes, or a URL or a file's id, which
// cannot be looked at.
func (v *validator) image(where string, source jsontext.Value) {
	v.Image(where, str(source, "media_type"), rawjson.Get(source, "data"))
}

// content checks blocks one by one.
func (v *validator) content(where string, content jsontext.Value) []parsedBlock {
	var out []parsedBlock
	for b := range rawjson.Elements(content) {
		p := parsedBlock{where: check.Path(where, len(out)), typ: str(b, "type")}
		switch p.typ {
		case "text":
			v.Text(check.EmptyText, p.where, rawjson.Get(b, "text"))
		case "image":
			v.image(p.where, rawjson.Get(b, "source"))
		case "thinking":
			if str(b, "signature") == "" && !v.unsignedOK {
				v.Add(unsigned, p.where, "the thinking has no signature")
			}
		case "tool_use":
			p.id = str(b, "id")
			v.call(p, b)
		case "tool_result":
			p.id = str(b, "tool_use_id")
			v.result(p.where, b)
		}
		v.cacheMark(p.where, b)
		out = append(out, p)
	}
	return out
}

// result checks a tool result's own content. A failed one can have only text,
// and must not be empty.
func (v *validator) result(where string, b jsontext.Value) {
	content := rawjson.Get(b, "content")
	blocks := v.content(check.Path(where, "content"), content)
	if rawjson.Kind(rawjson.Get(b, "is_error")) != 't' {
		return
	}
	if len(blocks) == 0 && check.Blank(content) {
		v.Add(emptyError, where, "the failed result is empty")
	}
	for _, p := range blocks {
		if p.typ != "text" {
			v.Add(errorMedia, p.where, "a failed result has %s", p.typ)
		}
	}
}

func (v *validator) call(p parsedBlock, b jsontext.Value) {
	if !check.ValidName(p.id, maxID) {
		v.Add(badID, check.Path(p.where, "id"), "the id is %s", strconv.Quote(p.id))
	}
	if v.ids[p.id] {
		v.Add(repeatedID, check.Path(p.where, "id"), "another call has the id %s", strconv.Quote(p.id))
	}
	v.ids[p.id] = true
	if name := str(b, "name"); !check.ValidName(name, maxName) {
		v.Add(badTool, check.Path(p.where, "name"), "the name is %s", strconv.Quote(name))
	}
	if rawjson.Kind(rawjson.Get(b, "input")) != '{' {
		v.Add(badInput, check.Path(p.where, "input"), "the input is not an object")
	}
}

func isThinking(typ string) bool { return typ == "thinking" || typ == "redacted_thinking" }
