package provider

import (
	"slices"
	"strings"

	"github.com/coppice-dev/coppice/internal/kinds"
	"github.com/coppice-dev/coppice/internal/lazy"
	"github.com/coppice-dev/coppice/message"
)

// fieldName returns our name of a field, given what vendors call it; "": it has
// none.
func fieldName(vendors string) string {
	switch vendors {
	case "arguments", "args":
		return kinds.FieldArguments
	case "output", "tool_result", "toolresult", "functionresponse", "function_response", "response":
		return kinds.FieldOutput
	case "text", "content":
		return kinds.FieldText
	case "id", "call_id", "tool_call_id", "tool_use_id", "tooluseid":
		return kinds.FieldID
	case "description":
		return kinds.FieldDescription
	}
	return ""
}

// places are the numbers in a path.
var places = lazy.Regexp(`\[\d*\]|\.\d+\b`)

// fieldOf returns the field that a path in a refusal is about, as in
// "input[3].arguments" or "messages.4.content.0.tool_result.content.0.text"; a
// field that has no name of ours is named by the path without its numbers.
func fieldOf(where string) string {
	parts := strings.Split(strings.ToLower(places().ReplaceAllString(where, "")), ".")
	for i, p := range slices.Backward(parts) {
		name := fieldName(p)
		switch {
		case p == "input" && i > 0: // of a call, in Anthropic's words; else the list
			return kinds.FieldArguments
		case name == "":
			if i == len(parts)-1 {
				return strings.Join(parts, ".")
			}
			continue
		case name == kinds.FieldText && slices.ContainsFunc(parts[:i], func(p string) bool { return fieldName(p) == kinds.FieldOutput }):
			return kinds.FieldOutput
		}
		return name
	}
	return strings.Join(parts, ".")
}

// Fields returns how many characters fields of a request to a model may have, by
// the names "arguments", "output", "text", "id" and "description", as its server
// has said in refusals.
func (l *Limits) Fields(m message.Model) map[string]int64 {
	var fields map[string]int64
	for _, s := range l.Of(m) {
		if s.Unit != kinds.UnitCharacters || fieldName(s.Where) != s.Where {
			continue // "name" is the owner's to change
		}
		if fields == nil {
			fields = map[string]int64{}
		}
		if n := fields[s.Where]; n == 0 || s.Number < n {
			fields[s.Where] = s.Number
		}
	}
	if n, ok := fields[kinds.FieldText]; ok && fields[kinds.FieldOutput] == 0 {
		fields[kinds.FieldOutput] = n // a result is a message there
	}
	return fields
}
