package sweep

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"

	"github.com/coppice-dev/coppice/internal/testkit/oracle"
)

// usage is how a server reports what it has counted.
type usage struct {
	prompt, cached, output int64
}

// behaviour is one kind of server that speaks chat completions.
type behaviour struct {
	name     string
	count    func() counter // nil: o200k
	factor   float64        // on every count; 0: 1
	image    float64        // tokens of an image, less than 0: none; 0: the job has no images
	extra    func(request int) int64
	report   func(u usage) map[string]any            // nil: the usual fields
	chunks   func(u map[string]any) []map[string]any // usage by chunk; nil: in the last one
	cut      func(window, prompt int64) int64        // silent truncation: what is left of a prompt; nil: none
	doubtful bool                                    // its usage is not a size: a warning is right
}

// server runs a job with a model that reads part after part.
type server struct {
	behaviour
	window int64 // in its own tokens
	rounds int
	http   *httptest.Server

	mu       sync.Mutex
	asked    int      // requests
	answered int      // answers given
	refused  []string // why, of requests refused
	read     int      // parts whose result was seen
	repeated int      // calls made again because their result was not there
	problems []string // of request bytes, by the oracle
	last     string   // texts of the last request
	cutAt    int      // the first request that was cut, from 1; 0: none
	images   int      // in all requests
	largest  int64    // prompt, in its own tokens

	seen map[string]content // by its JSON: requests repeat what earlier ones said
}

func newServer(b behaviour, window int64, rounds int) *server {
	s := &server{behaviour: b, window: window, rounds: rounds, seen: map[string]content{}}
	s.http = httptest.NewServer(http.HandlerFunc(s.serve))
	return s
}

type request struct {
	Messages []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
		Calls   json.RawMessage `json:"tool_calls"`
	} `json:"messages"`
	Tools json.RawMessage `json:"tools"`
	Most  int64           `json:"max_tokens"`
}

// size counts a request, and returns its texts by message.
func (s *server) size(r request) (tokens int64, texts []string) {
	count := o200k()
	if s.count != nil {
		count = s.count()
	}
	n := count(string(r.Tools))
	for _, m := range r.Messages {
		c, ok := s.seen[string(m.Content)]
		if !ok {
			c = read(m.Content)
			s.seen[string(m.Content)] = c
		}
		text, images := c.text, c.images
		texts = append(texts, text)
		s.images += images
		n += 4 + count(text) + count(string(m.Calls)) + max(0, s.image)*float64(images)
	}
	if s.factor > 0 {
		n *= s.factor
	}
	tokens = int64(math.Ceil(n))
	if s.extra != nil {
		tokens += s.extra(s.asked)
	}
	return tokens, texts
}

// content is what a message says.
type content struct {
	text   string
	images int
}

func read(raw json.RawMessage) (c content) {
	if json.Unmarshal(raw, &c.text) == nil {
		return c
	}
	var parts []struct{ Type, Text string }
	_ = json.Unmarshal(raw, &parts)
	for _, p := range parts {
		if p.Type == "text" {
			c.text += p.Text
		} else {
			c.images++
		}
	}
	return c
}

func (s *server) serve(w http.ResponseWriter, req *http.Request) {
	if req.Method != http.MethodPost {
		http.NotFound(w, req)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return
	}
	s.problems = append(s.problems, oracle.Check("openai-chat", body)...)
	var r request
	if err := json.Unmarshal(body, &r); err != nil {
		s.problems = append(s.problems, err.Error())
	}
	if s.asked++; s.asked > 10*s.rounds { // it goes around in circles
		http.Error(w, `{"error":{"message":"no more","type":"authentication_error"}}`, http.StatusUnauthorized)
		return
	}
	prompt, texts := s.size(r)
	s.largest = max(s.largest, prompt)
	switch {
	case s.cut != nil && prompt > s.window:
		prompt = s.cut(s.window, prompt)
		if s.cutAt == 0 {
			s.cutAt = s.asked
		}
	case prompt > s.window:
		s.refuse(w, fmt.Sprintf("This model's maximum context length is %d tokens. However, your messages resulted in %d tokens. Please reduce the length of the messages.", s.window, prompt))
		return
	case r.Most > 0 && prompt+r.Most > s.window:
		s.refuse(w, fmt.Sprintf("This model's maximum context length is %d tokens. However, you requested %d tokens (%d in the messages, %d in the completion). Please reduce the length of the messages or completion.", s.window, prompt+r.Most, prompt, r.Most))
		return
	}
	s.last = strings.Join(texts, "\n")
	s.answer(w, usage{prompt: prompt, cached: prompt * 9 / 10, output: 40})
}

func (s *server) refuse(w http.ResponseWriter, why string) {
	s.refused = append(s.refused, why)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadRequest)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": why, "type": "invalid_request_error", "code": "context_length_exceeded"}})
}

// answer plays the model: it reads part after part. A result that is no longer in
// the request has to be requested again.
func (s *server) answer(w http.ResponseWriter, u usage) {
	s.answered++
	if s.answered > 1 {
		if strings.Contains(s.last, headOf(s.read)) || strings.Contains(s.last, tailOf(s.read)) {
			s.read++
		} else {
			s.repeated++
		}
	}
	part := s.read
	calling := part < s.rounds
	delta := map[string]any{"role": "assistant", "content": "All parts are read."}
	finish := "stop"
	if calling {
		finish = "tool_calls"
		delta = map[string]any{"role": "assistant", "content": fmt.Sprintf("I read part %d.", part), "tool_calls": []any{map[string]any{
			"index": 0, "id": fmt.Sprintf("call_%d_%d", part, s.answered), "type": "function",
			"function": map[string]any{"name": "read_part", "arguments": fmt.Sprintf(`{"part":%d}`, part)}}}}
	}
	report := s.report
	if report == nil {
		report = usual
	}
	chunks := s.chunks
	if chunks == nil {
		chunks = atEnd
	}
	s.stream(w, delta, finish, chunks(report(u)))
}

// stream writes an answer in three chunks, each with its usage, if any.
func (s *server) stream(w http.ResponseWriter, delta map[string]any, finish string, usages []map[string]any) {
	w.Header().Set("Content-Type", "text/event-stream")
	chunk := func(choices []any, u map[string]any) {
		c := map[string]any{"id": "c", "object": "chat.completion.chunk", "choices": choices}
		if u != nil {
			c["usage"] = u
		}
		data, _ := json.Marshal(c)
		fmt.Fprintf(w, "data: %s\n\n", data)
	}
	choice := func(delta map[string]any, finish any) []any {
		return []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}}
	}
	usages = append(slices.Clone(usages), nil, nil, nil)
	chunk(choice(delta, nil), usages[0])
	chunk(choice(map[string]any{}, finish), usages[1])
	if usages[2] != nil {
		chunk([]any{}, usages[2])
	}
	fmt.Fprint(w, "data: [DONE]\n\n")
}

func usual(u usage) map[string]any {
	return map[string]any{"prompt_tokens": u.prompt, "completion_tokens": u.output, "total_tokens": u.prompt + u.output}
}

func atEnd(u map[string]any) []map[string]any { return []map[string]any{nil, nil, u} }
