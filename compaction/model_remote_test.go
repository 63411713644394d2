package compaction_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/summarize"
)

// endpoint is a remote endpoint that answers all requests the same way.
type endpoint struct {
	*summarize.Remote
	mu     sync.Mutex
	bodies [][]byte
}

func newEndpoint(t *testing.T, answer func(w http.ResponseWriter, prompt string)) *endpoint {
	t.Helper()
	e := &endpoint{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the client has gone
		}
		e.mu.Lock()
		e.bodies = append(e.bodies, body)
		e.mu.Unlock()
		answer(w, rawjson.String(rawjson.Get(body, "prompt")))
	}))
	t.Cleanup(server.Close)
	e.Remote = &summarize.Remote{URL: server.URL, Token: "bearer-of-the-test", MaxBytes: 64 << 10}
	return e
}

// check looks at what was sent: one request a part, no key, no tag from
// outside.
func (e *endpoint) check(r *rig, want int) {
	r.t.Helper()
	if len(e.bodies) != want {
		r.t.Errorf("the endpoint got %d requests, want %d", len(e.bodies), want)
	}
	for _, b := range e.bodies {
		if rawjson.Int(rawjson.Get(b, "maxTokens")) == 0 || rawjson.String(rawjson.Get(b, "systemPrompt")) != systemPrompt(r.t) {
			r.t.Errorf("request %.200s", b)
		}
		r.checkText(rawjson.String(rawjson.Get(b, "prompt")), b)
	}
}

// systemPrompt is the one of every summary request, as its file has it.
func systemPrompt(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../summarize/prompts/system.md")
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}

func answers(status int, body string) func(http.ResponseWriter, string) {
	return func(w http.ResponseWriter, _ string) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func summaryJSON(text string) string {
	return string(rawjson.Set([]byte("{}"), "summary", rawjson.Quote(text)))
}

// An endpoint that is set is asked first, for both parts of a split turn.
func TestRemoteEndpoint(t *testing.T) {
	d := newDay(6, 3000)
	for range 4 {
		d.round("I look further.", toolUse{"bash", `{"command":"make report"}`, d.prose(3000), false})
	}
	e := newEndpoint(t, func(w http.ResponseWriter, prompt string) {
		_, _ = io.WriteString(w, summaryJSON(summaryFor(prompt, []string{"by the endpoint"})))
	})
	r := newRig(t, "anthropic", ordinary, d.open(t), writes())
	r.ladder.Remote = e.Remote
	out := r.compact(keep(1000))
	if out.Status != compaction.Applied || out.Rung != summarize.RungRemote || out.Usage != nil || out.Model.ID != "" || strings.Count(out.Summary, "by the endpoint") != 2 {
		t.Errorf("%s %s by %q: %s", out.Status, out.Reason, out.Rung, out.Detail)
	}
	e.check(r, 2)
	if n := len(r.server.Requests()); n != 0 {
		t.Errorf("the model got %d requests", n)
	}
	r.checkThirds()
}

// Each failure of the endpoint ends the attempt if the endpoint was named;
// otherwise the model is next.
func TestRemoteEndpointFails(t *testing.T) {
	for _, tt := range []struct {
		name   string
		answer func(http.ResponseWriter, string)
		says   string
	}{
		{"no JSON", answers(200, "<html>Bad gateway</html>"), "no summary"},
		{"torn JSON", answers(200, `{"summary":"## Goal`), "no summary"},
		{"no summary", answers(200, `{"text":"x"}`), "no summary"},
		{"empty", answers(200, summaryJSON(" ")), "empty"},
		{"an error", answers(200, summaryJSON("Error: quota exceeded")), "error-text"},
		{"larger than its source", answers(200, summaryJSON(strings.Repeat("and so on ", 6000))), "not-smaller"},
		{"too many bytes", answers(200, summaryJSON(strings.Repeat("x", 65<<10))), "larger than 65536 bytes"},
		{"server error", answers(500, summaryJSON("fine")), "500"},
		{"too large a request", answers(413, ""), "413"},
		{"redirect", func(w http.ResponseWriter, _ string) { w.Header().Set("Location", "/other"); w.WriteHeader(307) }, "307"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := newEndpoint(t, tt.answer)
			r := newRig(t, "anthropic", ordinary, newDay(9, 3000).open(t), writes("by the model"))
			r.ladder.Remote, r.ladder.Models = e.Remote, nil
			out := r.compact(keep(1000))
			if out.Status != compaction.Failed || out.Reason != compaction.SummarizerFailed || !strings.Contains(out.Detail, tt.says) {
				t.Errorf("named: %s %s: %s", out.Status, out.Reason, out.Detail)
			}
			e.check(r, 1)

			r.ladder.Models = []summarize.Model{r.bound}
			out = r.auto().compact(keep(1000))
			if out.Status != compaction.Applied || out.Rung != summarize.RungModel || !strings.Contains(out.Summary, "by the model") {
				t.Errorf("auto: %s %s by %q: %s", out.Status, out.Reason, out.Rung, out.Detail)
			}
			e.check(r, 2)
		})
	}
}

// A summary smaller than its source may still be too long for the planned space.
func TestRemoteSummaryAboveTheCap(t *testing.T) {
	e := newEndpoint(t, answers(200, summaryJSON(strings.Repeat("and so on ", 3200)))) // about 8,000 tokens
	e.MaxBytes = 0
	r := newRig(t, "anthropic", windows{32_768, 32_768}, newDay(24, 6000).open(t), writes("by the model"))
	r.ladder.Remote = e.Remote
	out := r.compact(compaction.Request{Trigger: compaction.Overflow})
	if out.Status != compaction.Applied || out.Rung == summarize.RungRemote || !strings.Contains(out.Attempts[0].Err, "too-long") {
		t.Errorf("%s %s by %q: %+v", out.Status, out.Reason, out.Rung, out.Attempts)
	}
	r.checkFits()
}

// hangs is an endpoint that never answers.
type hangs struct{}

func (hangs) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

func TestRemoteEndpointHangs(t *testing.T) {
	for name, transport := range map[string]http.RoundTripper{"no answer": hangs{},
		"half an answer": stalled{http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"summary":"## Goal`) })}} {
		r := newRig(t, "anthropic", ordinary, newDay(9, 3000).open(t), writes())
		r.ladder.Models = nil
		r.ladder.Remote = &summarize.Remote{URL: "https://summaries.example", Client: &http.Client{Transport: transport}}
		for _, auto := range []bool{false, true} {
			r.ladder.Extract = auto
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				out := r.compact(keep(1000))
				if took := time.Since(start); took != 5*time.Minute {
					t.Errorf("%s: gave up after %v", name, took)
				}
				want := compaction.Failed
				if auto {
					want = compaction.Applied
				}
				if out.Status != want || !strings.Contains(out.Attempts[0].Err, "no answer within 5m0s") {
					t.Errorf("%s: %s %s: %+v", name, out.Status, out.Reason, out.Attempts)
				}
			})
		}
	}
}
