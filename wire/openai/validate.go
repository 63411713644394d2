package openai

import (
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/wire"
	"github.com/coppice-dev/coppice/wire/internal/check"
	"github.com/go-json-experiment/json/jsontext"
)

// What is refused, in addition to the rules of all vendors.
var (
	noMessages = check.Rule{Kind: "no-messages", Cites: "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead."}
	imagePlace = check.Rule{Kind: "image-place", Cites: "Invalid 'messages[234]'. Image URLs are only allowed for messages with role 'user', but this message with role 'tool' contains an image URL."}
	badRole    = check.Rule{Kind: "bad-role", Cites: "Invalid value: '…'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'."}
	roleOrder  = check.Rule{Kind: "role-order", Cites: "Conversation roles must alternate user/assistant/user/assistant/..."}
	noContent  = check.Rule{Kind: "empty-content", Cites: "Invalid value for 'content': expected a string, got null."}
	emptyText  = check.Rule{Kind: "empty-text", Cites: "text content is empty"}

	badReasoning = check.Rule{Kind: "reasoning", Cites: "docs/limits.md, What vendors want back"}

	unpairedResult = check.Rule{Kind: "unpaired-result", Cites: "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'"}
	unpairedCall   = check.Rule{Kind: "unpaired-call", Cites: "an assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. …"}
	repeatedID     = check.Rule{Kind: "duplicate-id", Cites: "an assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. …"}
	badID          = check.Rule{Kind: "invalid-id", Cites: "Invalid 'messages[N].tool_calls[M].id': string too long. Expected a string with maximum length 40, but instead got a string with length N instead."}
	badArguments   = check.Rule{Kind: "invalid-arguments", Cites: "Invalid type for 'messages[N].tool_calls[M].function.arguments': expected a string, but got an object instead."}

	repeatedTool = check.Rule{Kind: "duplicate-tool", Cites: "Tool names must be unique."}
	badTool      = check.Rule{Kind: "invalid-tool-name", Cites: "Invalid 'tools[N].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'."}
	noTools      = check.Rule{Kind: "missing-tools", Cites: "The toolConfig field must be defined when using toolUse and toolResult content blocks."}
)

// Validate predicts what OpenAI, or a server with its API, refuses in a body.
func (dialect) Validate(body []byte, m message.Model, pending bool) []wire.Problem {
	r, ok := check.Body(body, m)
	if !ok {
		return r.Problems()
	}
	r.MaxOutput(body, "max_tokens")
	r.MaxOutput(body, "max_completion_tokens")
	tools := 0
	names := check.Names{Duplicate: repeatedTool, Invalid: badTool, Max: maxName}
	for t := range rawjson.Elements(rawjson.Get(body, "tools")) {
		if fn := rawjson.Get(t, "function"); fn != nil {
			names.Check(r, check.Path("tools", tools), str(fn, "name"))
		}
		tools++
	}
	v := validator{Report: r, strict: !vendor(m)}
	i := 0
	for msg := range rawjson.Elements(rawjson.Get(body, "messages")) {
		v.message(check.Path("messages", i), msg)
		i++
	}
	v.checkPairs()
	r.Messages("messages", i)
	switch {
	case i == 0 && !pending:
		r.Add(noMessages, "messages", "there are no messages")
	case v.role == "assistant" && !pending:
		r.Add(check.LastAssistant, check.Path("messages", i-1), "the last message is from the assistant")
	}
	if v.usesTools && tools == 0 && bedrock(m) {
		r.Add(noTools, "tools", "the history has tool calls, but no tools are defined")
	}
	return r.Problems()
}

type validator struct {
	*check.Report
	strict    bool // the answer may come from a server that wants roles to alternate
	role      string
	usesTools bool
	pairs     check.Pairs
	step      int             // for pairs: results directly after an answer are in the step after it
	ids       map[string]bool // of the calls of one message
}

func (v *validator) message(where string, msg jsontext.Value) {
	role := str(msg, "role")
	content := rawjson.Get(msg, "content")
	if role != "tool" || v.role != "tool" {
		v.step++
	}
	if role != "tool" {
		if v.strict && role == v.role && (role == "user" || role == "assistant") {
			v.Add(roleOrder, where, "two %s messages in a row", role)
		}
	}
	says := v.parts(check.Path(where, "content"), content, role)
	switch role {
	case "assistant":
		v.assistant(where, msg, says || rawjson.Kind(content) == '"' && !check.Blank(content))
		v.reasoning(where, msg)
	case "tool":
		v.result(where, msg)
	case "user":
		if rawjson.Kind(content) != '[' {
			v.Text(emptyText, check.Path(where, "content"), content)
		}
	case "system", "developer", "function":
	default:
		v.Add(badRole, check.Path(where, "role"), "the role is %q", role)
	}
	v.role = role
}

// parts checks a list of parts, and reports whether there is more in it than
// thinking.
func (v *validator) parts(where string, content jsontext.Value, role string) (says bool) {
	i, thoughts := 0, 0
	for p := range rawjson.Elements(content) {
		switch place := check.Path(where, i); str(p, "type") {
		case "text":
			v.Text(emptyText, place, rawjson.Get(p, "text"))
		case "image_url":
			v.Image(place, "", rawjson.Get(rawjson.Get(p, "image_url"), "url"))
			if role != "user" {
				v.Add(imagePlace, place, "a message of role %s has an image", role)
			}
		case chunkOfThinking:
			v.thought(place, p, role)
			thoughts++
		}
		i++
	}
	if i == 0 && rawjson.Kind(content) == '[' {
		v.Add(emptyText, where, "the %s message has no content", role)
	}
	return i > thoughts
}

func (v *validator) assistant(where string, msg jsontext.Value, says bool) {
	i := 0
	v.ids = map[string]bool{}
	for c := range rawjson.Elements(rawjson.Get(msg, "tool_calls")) {
		v.call(check.Path(where, "tool_calls", i), c)
		i++
	}
	v.usesTools = v.usesTools || i > 0
	if i == 0 && !says && rawjson.Get(msg, "function_call") == nil {
		v.Add(noContent, where, "there is neither text nor a tool call")
	}
}

// thought checks thinking that is a part of the content.
func (v *validator) thought(where string, p jsontext.Value, role string) {
	inner := rawjson.Get(p, chunkOfThinking)
	if role != "assistant" || rawjson.Kind(inner) != '[' {
		v.Add(badReasoning, where, "thinking is a list of texts in a message of the assistant; here it is in one of role %s: %s", role, inner)
	}
	i := 0
	for t := range rawjson.Elements(inner) {
		if str(t, "type") == "text" {
			v.Text(emptyText, check.Path(where, chunkOfThinking, i), rawjson.Get(t, "text"))
		}
		i++
	}
}

// reasoning checks what goes back as it came.
func (v *validator) reasoning(where string, msg jsontext.Value) {
	details, opaque := rawjson.Get(msg, detailsField), rawjson.Get(msg, opaqueField)
	if details != nil && rawjson.Kind(details) != '[' {
		v.Add(badReasoning, check.Path(where, detailsField), "it is not a list")
	}
	i := 0
	for d := range rawjson.Elements(details) {
		if !isDetail(d) {
			v.Add(badReasoning, check.Path(where, detailsField, i), "an item of type %q, or one without its data", str(d, "type"))
		}
		i++
	}
	if opaque != nil && check.Blank(opaque) {
		v.Add(badReasoning, check.Path(where, opaqueField), "it is not text")
	}
}

func (v *validator) call(where string, c jsontext.Value) {
	id := str(c, "id")
	if id == "" || len(id) > maxID {
		v.Add(badID, check.Path(where, "id"), "the id %q has %d bytes", id, len(id))
	}
	if v.ids[id] {
		v.Add(repeatedID, check.Path(where, "id"), "another call has the id %q", id)
	}
	v.ids[id] = true
	v.pairs.Call(v.step, id, where)
	fn := rawjson.Get(c, "function")
	if fn == nil {
		return // a custom tool
	}
	if name := str(fn, "name"); !check.ValidName(name, maxName) {
		v.Add(badTool, check.Path(where, "function.name"), "the name is %q", name)
	}
	if rawjson.Kind(rawjson.Get(fn, "arguments")) != '"' {
		v.Add(badArguments, check.Path(where, "function.arguments"), "the arguments are not a string")
	}
}

func (v *validator) result(where string, msg jsontext.Value) {
	v.usesTools = true
	v.pairs.Result(v.step, str(msg, "tool_call_id"), where)
}

// checkPairs checks the results after each assistant message against its
// calls.
func (v *validator) checkPairs() {
	v.pairs.Faults(true, func(f check.PairFault, id, where string) {
		if f == check.LoneCall {
			v.Add(unpairedCall, where, "no result comes directly after the call %q", id)
			return
		}
		v.Add(unpairedResult, where, "no open call with the id %q comes directly before", id)
	})
}
