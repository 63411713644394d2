package fake

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/coppice-dev/coppice/message"
)

// speaker is the server's side of one dialect.
type speaker interface {
	// begin streams what the step says, without an end.
	begin(w *writer, r Request, s Step)
	// end closes the stream properly.
	end(w *writer, r Request, s Step)
	// fail sends an error inside the stream.
	fail(w *writer, words string)
	// refuse answers with an error instead of a stream.
	refuse(w http.ResponseWriter, f Refusal)
	// full is the refusal of a request that does not fit the window.
	full(r Request, window int64) Refusal
	// countsOutput reports whether the vendor refuses a request whose prompt
	// fits, but not together with the requested output.
	countsOutput() bool
}

// route finds the dialect of a path, under any base.
func route(path string) (dialect string, s speaker) {
	switch {
	case strings.HasSuffix(path, "/v1/messages"):
		return "anthropic", anthropic{}
	case strings.HasSuffix(path, "/chat/completions"):
		return "openai-chat", chat{}
	case strings.HasSuffix(path, "/responses"):
		return "openai-responses", responses{}
	case strings.Contains(path, "/models/") && strings.HasSuffix(path, ":streamGenerateContent"):
		return "gemini", gemini{}
	}
	return "", nil
}

// object is a JSON object; its members are written in the order of their
// names.
type object map[string]any

func encode(v any) []byte {
	b, err := json.Marshal(v, json.Deterministic(true), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	if err != nil {
		panic(fmt.Sprintf("fake: %v", err)) // only what is built here is encoded
	}
	return b
}

// writer writes server-sent events, each at once.
type writer struct{ w http.ResponseWriter }

// event sends one event; without a name it has only data. That a client has gone
// away is noticed elsewhere.
func (w *writer) event(name string, data []byte) {
	if name != "" {
		fmt.Fprintf(w.w, "event: %s\n", name)
	}
	fmt.Fprintf(w.w, "data: %s\n\n", data)
	if f, ok := w.w.(http.Flusher); ok {
		f.Flush()
	}
}

// piece is the number of characters in one delta.
const piece = 24

// pieces cuts text for streaming.
func pieces(text string) []string {
	var out []string
	runes := []rune(text)
	for len(runes) > piece {
		out = append(out, string(runes[:piece]))
		runes = runes[piece:]
	}
	if len(runes) > 0 {
		out = append(out, string(runes))
	}
	return out
}

// arguments are those of a call, an empty object where it has none.
func arguments(c message.ToolCall) string {
	if len(c.Arguments) == 0 {
		return "{}"
	}
	return string(c.Arguments)
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(encode(v)) // the client may have gone
}
