package fake

import (
	"cmp"
	"fmt"
	"net/http"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
)

// fakeSignature is base64, as clients of this dialect expect it.
const fakeSignature = "ZmFrZS1zaWduYXR1cmU="

// gemini speaks Gemini's streamGenerateContent.
type gemini struct{}

func (gemini) countsOutput() bool { return false }

func (g gemini) begin(w *writer, r Request, s Step) {
	for _, p := range pieces(s.Thinking) {
		g.part(w, r, object{"text": p, "thought": true}, nil, nil)
	}
	for _, p := range pieces(s.Text) {
		g.part(w, r, object{"text": p}, nil, nil)
	}
	for _, c := range s.Calls {
		g.part(w, r, object{"functionCall": object{"id": c.ID, "name": c.Name, "args": args(c)},
			"thoughtSignature": cmp.Or(c.ThoughtSignature, fakeSignature)}, nil, nil)
	}
}

// args are the arguments as an object, which this dialect insists on.
func args(c message.ToolCall) jsontext.Value {
	if a := []byte(arguments(c)); rawjson.Valid(a) && rawjson.Kind(a) == '{' {
		return a
	}
	return jsontext.Value("{}")
}

func (g gemini) end(w *writer, r Request, s Step) {
	reason := string(s.Stop)
	switch s.Stop {
	case message.StopEnd, message.StopToolUse:
		reason = "STOP"
	case message.StopLength:
		reason = "MAX_TOKENS"
	}
	u := s.Usage
	g.part(w, r, object{"text": ""}, reason, object{"promptTokenCount": u.Prompt(), "candidatesTokenCount": u.Output - u.Reasoning,
		"thoughtsTokenCount": u.Reasoning, "cachedContentTokenCount": u.CacheRead, "totalTokenCount": u.Prompt() + u.Output})
}

func (gemini) part(w *writer, r Request, part object, finish, usage any) {
	candidate := object{"index": 0, "content": object{"role": "model", "parts": []object{part}}}
	if finish != nil {
		candidate["finishReason"] = finish
	}
	o := object{"candidates": []object{candidate}, "modelVersion": r.Model, "responseId": "fake"}
	if usage != nil {
		o["usageMetadata"] = usage
	}
	w.event("", encode(o))
}

func (gemini) fail(w *writer, words string) {
	w.event("", encode(object{"error": object{"code": 500, "message": words, "status": "INTERNAL"}}))
}

func (gemini) refuse(w http.ResponseWriter, f Refusal) {
	status := map[int]string{
		http.StatusBadRequest: "INVALID_ARGUMENT", http.StatusUnauthorized: "UNAUTHENTICATED", http.StatusForbidden: "PERMISSION_DENIED",
		http.StatusTooManyRequests: "RESOURCE_EXHAUSTED", http.StatusServiceUnavailable: "UNAVAILABLE", 529: "UNAVAILABLE",
	}[f.Status]
	writeJSON(w, f.Status, object{"error": object{"code": f.Status, "message": f.Message, "status": cmp.Or(f.Type, status, "INTERNAL")}})
}

func (gemini) full(r Request, window int64) Refusal {
	return Refusal{Status: http.StatusBadRequest,
		Message: fmt.Sprintf("The input token count (%d) exceeds the maximum number of tokens allowed (%d).", r.Tokens, window)}
}
