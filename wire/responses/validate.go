package responses

import (
	"strings"

	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/wire"
	"github.com/coppice-dev/coppice/wire/internal/check"
	"github.com/go-json-experiment/json/jsontext"
)

// What the vendor refuses, in addition to the rules of all vendors.
var (
	noInput      = check.Rule{Kind: "no-messages", Cites: "One of \"input\" or \"previous_response_id\" or 'prompt' or 'conversation_id' must be provided."}
	badRole      = check.Rule{Kind: "bad-role", Cites: "Invalid value: '…'. Supported values are: 'assistant', 'system', 'developer', and 'user'."}
	emptyContent = check.Rule{Kind: "empty-content", Cites: "messages: text content blocks must be non-empty"}

	unpairedResult = check.Rule{Kind: "unpaired-result", Cites: "No tool call found for function call output with call_id call_…."}
	unpairedCall   = check.Rule{Kind: "unpaired-call", Cites: "No tool output found for function call call_…."}
	repeatedID     = check.Rule{Kind: "duplicate-id", Cites: "No tool output found for function call call_…."}
	badID          = check.Rule{Kind: "invalid-id", Cites: "Invalid 'input[N].call_id': string too long. Expected a string with maximum length 64, but got a string with length N instead."}
	repeatedItem   = check.Rule{Kind: "duplicate-item", Cites: "Duplicate item found with id rs_…. Remove duplicate items from your input and try again."}
	longItem       = check.Rule{Kind: "invalid-id", Cites: "Invalid 'input[N].id': string too long. Expected a string with maximum length 64, but got a string with length N instead."}
	noSummary      = check.Rule{Kind: "reasoning-summary", Cites: "Missing required parameter: 'input[N].summary'."}
	noContent      = check.Rule{Kind: "reasoning-not-stored", Cites: "Item with id 'rs_…' not found. Items are not persisted when `store` is set to false."}
	badArguments   = check.Rule{Kind: "invalid-arguments", Cites: "Invalid type for 'input[N].arguments': expected a string, but got an object instead."}

	noFollower  = check.Rule{Kind: "reasoning-alone", Cites: "Item 'rs_…' of type 'reasoning' was provided without its required following item."}
	noReasoning = check.Rule{Kind: "reasoning-missing", Cites: "Item 'fc_…' of type 'function_call' was provided without its required 'reasoning' item: 'rs_…'."}

	repeatedTool = check.Rule{Kind: "duplicate-tool", Cites: "Tool names must be unique."}
	badTool      = check.Rule{Kind: "invalid-tool-name", Cites: "Invalid 'tools[N].name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'."}
)

// Validate predicts what the vendor refuses in a body.
func (dialect) Validate(body []byte, m message.Model, pending bool) []wire.Problem {
	r, ok := check.Body(body, m)
	if !ok {
		return r.Problems()
	}
	r.MaxOutput(body, "max_output_tokens")
	names := check.Names{Duplicate: repeatedTool, Invalid: badTool, Max: maxName}
	i := 0
	for t := range rawjson.Elements(rawjson.Get(body, "tools")) {
		if str(t, "type") == "function" {
			names.Check(r, check.Path("tools", i), str(t, "name"))
		}
		i++
	}
	// The body does not show what a stored response or conversation has.
	stored := rawjson.Kind(rawjson.Get(body, "previous_response_id")) == '"' || rawjson.Get(body, "conversation") != nil
	input := rawjson.Get(body, "input")
	if rawjson.Kind(input) == '"' {
		r.Text(check.EmptyText, "input", input)
		return r.Problems()
	}
	v := validator{Report: r, reasons: m.Reasoning || m.ID == "", stored: stored, unstored: string(rawjson.Get(body, "store")) == "false", calls: map[string]bool{}, items: map[string]bool{}}
	for item := range rawjson.Elements(input) {
		v.item(check.Path("input", v.n), item)
		v.n++
	}
	v.end(pending)
	return r.Problems()
}

type validator struct {
	*check.Report
	reasons bool // calls of this model may need reasoning
	stored  bool
	n       int

	unstored bool // the vendor keeps none of it

	pairs     check.Pairs
	calls     map[string]bool // ids of calls
	items     map[string]bool // ids of items
	reasoned  bool            // this item follows reasoning in the same answer
	open      string          // place of a reasoning item that still needs a following item
	assistant bool            // the latest item is a message from the assistant
}

func (v *validator) item(where string, item jsontext.Value) {
	typ, role := str(item, "type"), str(item, "role")
	if typ == "" && role != "" {
		typ = "message" // the short form
	}
	output := strings.HasSuffix(typ, "_output")
	byModel := !output && (typ != "message" || role == "assistant")
	if v.open != "" {
		if !byModel {
			v.Add(noFollower, v.open, "the reasoning is not followed by an item of the same answer")
		}
		v.open = ""
	}
	v.id(where, item)
	v.reasoned = v.reasoned && byModel
	v.assistant = typ == "message" && role == "assistant"
	switch typ {
	case "reasoning":
		v.reasoned, v.open = true, where
		if rawjson.Kind(rawjson.Get(item, "summary")) != '[' {
			v.Add(noSummary, check.Path(where, "summary"), "the reasoning has no summary, not even an empty one")
		}
		if v.unstored && !whole(item) {
			v.Add(noContent, where, "the reasoning has no content, and the vendor does not keep it")
		}
	case "message":
		v.message(where, item, role)
	case "function_call":
		v.call(where, item)
		if rawjson.Kind(rawjson.Get(item, "arguments")) != '"' {
			v.Add(badArguments, check.Path(where, "arguments"), "the arguments are not a string")
		}
	case "custom_tool_call":
		v.call(where, item)
	case "function_call_output", "custom_tool_call_output":
		v.output(where, item)
	}
}

// id checks the id of an item.
func (v *validator) id(where string, item jsontext.Value) {
	id := str(item, "id")
	switch {
	case len(id) > maxName:
		v.Add(longItem, check.Path(where, "id"), "the id has %d bytes", len(id))
	case id != "" && v.items[id]:
		v.Add(repeatedItem, check.Path(where, "id"), "another item has the id %q", id)
	}
	v.items[id] = true
}

func (v *validator) message(where string, item jsontext.Value, role string) {
	switch role {
	case "user", "assistant", "system", "developer":
	default:
		v.Add(badRole, check.Path(where, "role"), "the role is %q", role)
	}
	content := rawjson.Get(item, "content")
	if rawjson.Kind(content) != '[' {
		v.Text(check.EmptyText, check.Path(where, "content"), content)
	} else if v.parts(check.Path(where, "content"), content) == 0 {
		v.Add(emptyContent, where, "the message has no content")
	}
}

func (v *validator) parts(where string, content jsontext.Value) int {
	i := 0
	for p := range rawjson.Elements(content) {
		switch place := check.Path(where, i); str(p, "type") {
		case "input_text", "output_text":
			v.Text(check.EmptyText, place, rawjson.Get(p, "text"))
		case "input_image":
			v.Image(place, "", rawjson.Get(p, "image_url"))
		}
		i++
	}
	return i
}

func (v *validator) call(where string, item jsontext.Value) {
	call := str(item, "call_id")
	if call == "" || len(call) > maxName {
		v.Add(badID, check.Path(where, "call_id"), "the id %q has %d bytes", call, len(call))
	}
	if v.calls[call] {
		v.Add(repeatedID, check.Path(where, "call_id"), "another call has the id %q", call)
	}
	v.calls[call] = true
	v.pairs.Call(v.n, call, where)
	if name := str(item, "name"); !check.ValidName(name, maxName) {
		v.Add(badTool, check.Path(where, "name"), "the name is %q", name)
	}
	if id := str(item, "id"); strings.HasPrefix(id, "fc_") && v.reasons && !v.reasoned && !v.stored {
		v.Add(noReasoning, check.Path(where, "id"), "the item %q has no reasoning before it in its answer", id)
	}
}

func (v *validator) output(where string, item jsontext.Value) {
	v.pairs.Result(v.n, str(item, "call_id"), where)
	v.parts(check.Path(where, "output"), rawjson.Get(item, "output"))
}

func (v *validator) end(pending bool) {
	if v.open != "" {
		v.Add(noFollower, v.open, "nothing follows the reasoning")
	}
	v.pairs.Faults(false, func(f check.PairFault, id, where string) {
		switch {
		case f == check.LoneCall:
			v.Add(unpairedCall, where, "the call %q has no output", id)
		case f == check.LoneResult && !v.stored:
			v.Add(unpairedResult, where, "no call with the id %q comes before it", id)
		}
	})
	v.Messages("input", v.n)
	switch {
	case v.n == 0 && !pending && !v.stored:
		v.Add(noInput, "input", "there are no items")
	case v.assistant && !pending:
		v.Add(check.LastAssistant, check.Path("input", v.n-1), "the last item is from the assistant")
	}
}
