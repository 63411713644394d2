package gemini

import (
	"strings"

	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/wire"
	"github.com/coppice-dev/coppice/wire/internal/check"
	"github.com/coppice-dev/coppice/wire/internal/prepare"
	"github.com/go-json-experiment/json/jsontext"
)

// What the vendor refuses, in addition to the rules of all vendors.
var (
	noContents = check.Rule{Kind: "no-messages", Cites: "* GenerateContentRequest.contents: contents is not specified"}
	noParts    = check.Rule{Kind: "empty-content", Cites: "* GenerateContentRequest.contents[N].parts: contents.parts must not be empty."}
	emptyText  = check.Rule{Kind: "empty-text", Cites: "Unable to submit request because it has an empty text parameter. Add a value to the parameter and try again."}
	badRole    = check.Rule{Kind: "bad-role", Cites: "Please use a valid role: user, model."}
	roleOrder  = check.Rule{Kind: "role-order", Cites: "Please ensure that multiturn requests alternate between user and model."}

	callOrder      = check.Rule{Kind: "call-order", Cites: "Please ensure that function call turn comes immediately after a user turn or after a function response turn."}
	unpairedCall   = check.Rule{Kind: "unpaired-call", Cites: "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn."}
	unpairedResult = check.Rule{Kind: "unpaired-result", Cites: "Please ensure that function response turn comes immediately after a function call turn."}
	resultName     = check.Rule{Kind: "result-order", Cites: "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn."}

	badArguments = check.Rule{Kind: "invalid-arguments", Cites: "Invalid value at 'contents[N].parts[M].function_call.args' (type.googleapis.com/google.protobuf.Struct)"}
	badSignature = check.Rule{Kind: "invalid-signature", Cites: "Invalid value at 'contents[N].parts[M].thought_signature' (TYPE_BYTES), Base64 decoding failed"}
	noSignature  = check.Rule{Kind: "unsigned-call", Cites: "Function call is missing a thought_signature in functionCall parts."}
	repeatedTool = check.Rule{Kind: "duplicate-tool", Cites: "Duplicate function declaration found: …"}
	badTool      = check.Rule{Kind: "invalid-tool-name", Cites: "Invalid function name. Must start with a letter or an underscore."}
)

// Validate predicts what the vendor refuses in a body, as far as its rules are
// known.
func (dialect) Validate(body []byte, m message.Model, pending bool) []wire.Problem {
	r, ok := check.Body(body, m)
	if !ok {
		return r.Problems()
	}
	r.MaxOutput(get(body, "generationConfig", "generation_config"), "maxOutputTokens")
	v := validator{Report: r, signed: prepare.SignsCalls(m)}
	v.tools(rawjson.Get(body, "tools"))
	n := 0
	for c := range rawjson.Elements(rawjson.Get(body, "contents")) {
		v.turn(check.Path("contents", n), c, n == 0)
		n++
	}
	v.closeCalls()
	r.Messages("contents", n)
	switch {
	case n == 0 && !pending:
		r.Add(noContents, "contents", "there are no contents")
	case v.role == "model" && !pending:
		r.Add(check.LastAssistant, check.Path("contents", n-1), "the last content is from the model")
	}
	return r.Problems()
}

type validator struct {
	*check.Report
	signed bool // calls need a signature
	role   string
	calls  []call // of the latest content
}

type call struct{ name, where string }

func (v *validator) tools(tools jsontext.Value) {
	seen := map[string]bool{}
	i := 0
	for t := range rawjson.Elements(tools) {
		k := 0
		for fn := range rawjson.Elements(get(t, "functionDeclarations", "function_declarations")) {
			v.Tool()
			where := check.Path("tools", i, "functionDeclarations", k)
			name := str(fn, "name")
			if !validName(name) {
				v.Add(badTool, where, "the name %q is not accepted", name)
			}
			if seen[name] {
				v.Add(repeatedTool, where, "another function has the name %q", name)
			}
			seen[name] = true
			k++
		}
		i++
	}
}

func (v *validator) turn(where string, c jsontext.Value, first bool) {
	role := str(c, "role")
	switch role {
	case "user", "model", "function":
	case "":
		role = "user" // the default
	default:
		v.Add(badRole, check.Path(where, "role"), "the role is %q", role)
	}
	if !first && role == v.role {
		v.Add(roleOrder, where, "two %s contents in a row", role)
	}
	var calls []call
	var results []call
	n := 0
	for p := range rawjson.Elements(rawjson.Get(c, "parts")) {
		place := check.Path(where, "parts", n)
		if fn := get(p, "functionCall", "function_call"); fn != nil {
			calls = append(calls, v.call(place, fn, p, len(calls) == 0))
		} else if fn := get(p, "functionResponse", "function_response"); fn != nil {
			results = append(results, call{str(fn, "name"), place})
		} else if data := get(p, "inlineData", "inline_data"); data != nil {
			if mime := rawjson.String(get(data, "mimeType", "mime_type")); mime == "" || strings.HasPrefix(mime, "image/") {
				v.Image(place, mime, rawjson.Get(data, "data"))
			}
		} else if text := rawjson.Get(p, "text"); text != nil {
			v.Text(emptyText, place, text)
		}
		if sig := get(p, "thoughtSignature", "thought_signature"); sig != nil && !signature(rawjson.String(sig)) {
			v.Add(badSignature, place, "the signature is not base64")
		}
		n++
	}
	if n == 0 {
		v.Add(noParts, where, "the content has no parts")
	}
	v.results(where, results)
	if len(calls) > 0 && (first || v.role == "model") {
		v.Add(callOrder, where, "a function call does not follow a user content")
	}
	v.role, v.calls = role, calls
}

func (v *validator) call(where string, fn, part jsontext.Value, first bool) call {
	c := call{str(fn, "name"), where}
	if !validName(c.name) {
		v.Add(badTool, where, "the name %q is not accepted", c.name)
	}
	if args := rawjson.Get(fn, "args"); args != nil && rawjson.Kind(args) != '{' {
		v.Add(badArguments, where, "the arguments are not an object")
	}
	if v.signed && first && get(part, "thoughtSignature", "thought_signature") == nil {
		v.Add(noSignature, where, "the call of %q has no signature", c.name)
	}
	return c
}

// results checks the function responses of a content against the calls of the
// content before: there must be as many, in the same order.
func (v *validator) results(where string, results []call) {
	switch {
	case len(results) == 0:
		v.closeCalls()
	case len(v.calls) == 0:
		v.Add(unpairedResult, results[0].where, "no function call comes directly before it")
	case len(results) != len(v.calls):
		v.Add(unpairedCall, where, "%d function responses for %d calls", len(results), len(v.calls))
	default:
		for i, r := range results {
			if r.name != v.calls[i].name {
				v.Add(resultName, r.where, "the response of %q is in the place of that of %q", r.name, v.calls[i].name)
			}
		}
	}
	v.calls = nil
}

// closeCalls reports calls that have no response.
func (v *validator) closeCalls() {
	for _, c := range v.calls {
		v.Add(unpairedCall, c.where, "no function response comes directly after the call of %q", c.name)
	}
	v.calls = nil
}
