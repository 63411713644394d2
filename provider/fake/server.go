package fake

import (
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/provider"
	"github.com/coppice-dev/coppice/wire"
	"github.com/coppice-dev/coppice/wire/dialects"
)

// maxBody is the largest request that is read, in bytes.
const maxBody = 64 << 20

// unknownWindow is that of a model about which nothing is known, in tokens.
const unknownWindow = 128_000

// Server is a model server on loopback. It is safe for concurrent use. The
// zero value is not usable: call New.
type Server struct {
	// Window is the context window in tokens; 0: everything fits. Set it and
	// the fields below before the first request.
	Window int64
	// MaxBytes is the largest request that is accepted, in bytes; 0: any.
	MaxBytes int64
	// Truncate answers a request above Window as if it had been cut to fit,
	// instead of refusing it.
	Truncate bool
	// Count counts the tokens of a text. nil: tokens.Default. With the tokenizer
	// of a real model the server refuses what that model would refuse.
	Count func(text string) int64

	http *httptest.Server
	gone chan struct{} // closed by Close, so that stalled answers end
	done func()

	mu       sync.Mutex
	script   []Step
	requests []Request
}

// Request is one request that came in.
type Request struct {
	Dialect   string // name of the dialect, as in package wire
	Path      string
	Header    http.Header
	Body      []byte
	Model     string
	Tokens    int64 // size of everything that is said in it
	MaxOutput int64 // 0: no limit asked for
	Problems  []wire.Problem
}

// Text returns everything that is said in the request, one string a line.
func (r Request) Text() string { return strings.Join(said(r.Body), "\n") }

// New starts a server. Without a script it answers "ok".
func New(script ...Step) *Server {
	if len(script) == 0 {
		script = []Step{Say("ok")}
	}
	s := &Server{script: slices.Clone(script), gone: make(chan struct{})}
	s.done = sync.OnceFunc(func() { close(s.gone) })
	s.http = httptest.NewServer(s)
	return s
}

// Close ends what is still being answered and stops the server.
func (s *Server) Close() {
	s.done()
	s.http.Close()
}

// BaseURL is the base URL for a dialect, by its name in package wire.
func (s *Server) BaseURL(dialect string) string {
	switch dialect {
	case "anthropic":
		return s.http.URL
	case "gemini":
		return s.http.URL + "/v1beta"
	}
	return s.http.URL + "/v1"
}

// model is a model of the server: provider and id are made up.
func (s *Server) model(dialect string) message.Model {
	m := message.Model{Provider: "fake", ID: "fake-1", API: dialect, Window: s.Window, WindowSource: provider.WindowSetting,
		MaxOutput: 8192, MaxBytes: s.MaxBytes, Images: true, Price: &message.Price{Input: 1, Output: 5, CacheRead: 0.1, CacheWrite: 1.25}}
	if m.Window == 0 {
		m.Window, m.WindowSource = unknownWindow, provider.WindowDefault
	}
	return m
}

// Bind returns a client with a model of the server. It panics for a name that
// is not a dialect's.
func (s *Server) Bind(dialect string) *provider.Bound {
	d, ok := dialects.ByName(dialect)
	if !ok {
		panic("fake: no dialect " + strconv.Quote(dialect))
	}
	cfg := provider.ProviderConfig{BaseURL: s.BaseURL(d.Name()), APIKey: "fake-key"}
	return &provider.Bound{Client: provider.New(cfg, d, s.http.Client()), Model: s.model(d.Name())}
}

// Requests returns what came in so far, oldest first.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Problems returns what the dialects' Validate found in all requests.
func (s *Server) Problems() []wire.Problem {
	var all []wire.Problem
	for _, r := range s.Requests() {
		all = append(all, r.Problems...)
	}
	return all
}

// ServeHTTP answers one request by the script.
func (s *Server) ServeHTTP(w http.ResponseWriter, hr *http.Request) {
	dialect, speak := route(hr.URL.Path)
	if speak == nil || hr.Method != http.MethodPost {
		http.NotFound(w, hr)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, hr.Body, maxBody))
	if err != nil {
		http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
		return
	}
	if !rawjson.Valid(body) {
		speak.refuse(w, Refusal{Status: http.StatusBadRequest, Message: "The request body is not valid JSON"})
		return
	}
	r := s.read(dialect, hr, body)
	step := s.next(r)
	if step.Answer != nil {
		step = step.Answer(r)
	}
	s.answer(w, hr, speak, r, step)
}

// read parses a request.
func (s *Server) read(dialect string, hr *http.Request, body []byte) Request {
	r := Request{Dialect: dialect, Path: hr.URL.Path, Header: hr.Header.Clone(), Body: body,
		Model: modelOf(hr.URL.Path, body), MaxOutput: maxOutput(body)}
	for _, text := range said(body) {
		r.Tokens += s.count(text)
	}
	if d, ok := dialects.ByName(dialect); ok {
		m := s.model(dialect)
		m.ID, m.Window = r.Model, s.Window
		r.Problems = d.Validate(body, m, false)
	}
	return r
}

// next records a request and takes the next step of the script; the last step is
// repeated.
func (s *Server) next(r Request) Step {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r)
	step := s.script[0]
	if len(s.script) > 1 {
		s.script = s.script[1:]
	}
	return step
}

// answer plays a step.
func (s *Server) answer(w http.ResponseWriter, hr *http.Request, speak speaker, r Request, step Step) {
	switch {
	case s.MaxBytes > 0 && int64(len(r.Body)) > s.MaxBytes:
		speak.refuse(w, Refusal{Status: http.StatusRequestEntityTooLarge, Type: "request_too_large", Message: "Request exceeds the maximum size"})
		return
	case step.Refuse != nil:
		if d := step.Refuse.RetryAfter; d > 0 {
			w.Header().Set("Retry-After", strconv.FormatInt(int64(d/time.Second), 10))
		}
		r := *step.Refuse
		r.Message = r.words()
		speak.refuse(w, r)
		return
	case step.Full:
		window := s.model(r.Dialect).Window
		r.Tokens = max(r.Tokens, window+1)
		speak.refuse(w, speak.full(r, window))
		return
	case s.Window > 0 && !s.Truncate && r.Tokens > s.Window:
		speak.refuse(w, speak.full(r, s.Window))
		return
	case s.Window > 0 && !s.Truncate && r.MaxOutput > 0 && r.Tokens+r.MaxOutput > s.Window && speak.countsOutput():
		speak.refuse(w, speak.full(r, s.Window))
		return
	}
	if step.end == endPage {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, "<!DOCTYPE html>\n<html><head><title>%[1]s</title></head>\n<body><h1>%[1]s</h1></body></html>\n", html.EscapeString(step.words))
		return
	}
	step = s.limit(step, r)
	w.Header().Set("Content-Type", "text/event-stream")
	out := &writer{w: w}
	speak.begin(out, r, step)
	switch step.end {
	case endError:
		speak.fail(out, step.words)
	case endStall:
		select {
		case <-hr.Context().Done():
		case <-s.gone:
		}
	case endTorn:
		fmt.Fprint(w, "data: {\"text\":\"caf\xc3")
	case endCut:
		panic(http.ErrAbortHandler) // the way to drop a connection
	default:
		speak.end(out, r, step)
	}
}

// limit fills in what the step leaves to the server: usage, the stop reason, and
// the cut at the output limit.
func (s *Server) limit(step Step, r Request) Step {
	if step.Stop == "" {
		step.Stop = message.StopEnd
		if len(step.Calls) > 0 {
			step.Stop = message.StopToolUse
		}
	}
	if r.MaxOutput > 0 && s.count(step.Text) > r.MaxOutput {
		step.Text, step.Stop = s.cut(step.Text, r.MaxOutput), message.StopLength
	}
	if step.Usage == nil {
		u := &message.Usage{Input: r.Tokens, Reasoning: s.count(step.Thinking)}
		if s.Window > 0 {
			u.Input = min(u.Input, s.Window)
		}
		u.Output = u.Reasoning + s.count(step.Text)
		for _, c := range step.Calls {
			u.Output += s.count(c.Name) + s.count(string(c.Arguments))
		}
		step.Usage = u
	}
	return step
}
