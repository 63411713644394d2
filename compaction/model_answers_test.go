package compaction_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/internal/testkit/amount"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/provider"
	"github.com/coppice-dev/coppice/provider/fake"
	"github.com/coppice-dev/coppice/summarize"
	"github.com/coppice-dev/coppice/wire/dialects"
)

// bad is something that a model server does instead of a summary.
type bad struct {
	name  string
	step  fake.Step
	tries int    // requests before the model is abandoned; 0: see overflowTries
	paid  bool   // answers were counted
	says  string // in the error of every attempt
}

func badAnswers() []bad {
	return []bad{
		{"empty", fake.Step{}, 3, true, "empty"},
		{"white space", fake.Say(" \n\t "), 3, true, "empty"},
		{"thinking only", fake.Step{Thinking: "what may they want"}, 3, true, "empty"},
		{"cut off", fake.Step{Text: "## Goal\n- the work", Stop: message.StopLength}, 3, true, "cut-off"},
		{"tool call", fake.Call("call_x", "read", `{"path":"a.go"}`), 3, true, "tool-call"},
		{"tool call as text", fake.Say("<tool_call>{\"name\":\"read\"}</tool_call>"), 3, true, "tool-call"},
		{"error text", fake.Say("Error: 429 Too Many Requests"), 3, true, "error-text"},
		{"no headings", fake.Say("They repaired some modules."), 3, true, "no-sections"},
		{"larger than its source", writes(strings.Repeat("and so on ", 2000)), 3, true, "not-smaller"},
		{"overflow", fake.Overflow(), 0, false, "overflow"},
		{"429", fake.Step{Refuse: &fake.Refusal{Status: 429, RetryAfter: time.Second}}, 4, false, "rate-limit"},
		{"429 for an hour", fake.Step{Refuse: &fake.Refusal{Status: 429, RetryAfter: time.Hour}}, 1, false, "rate-limit"},
		{"529", fake.Refuse(529), 4, false, "transient"},
		{"500", fake.Refuse(500), 4, false, "transient"},
		{"error in the stream", fake.StreamError("## Goal\n", "Overloaded"), 4, false, "transient"},
		{"connection cut", fake.Cut("## Goal\n- the work"), 4, false, "transient"},
		{"no key", fake.Step{Refuse: &fake.Refusal{Status: 401, Message: "invalid x-api-key"}}, 1, false, "auth"},
		{"no money", fake.Step{Refuse: &fake.Refusal{Status: 429, Type: "insufficient_quota", Message: "You exceeded your current quota"}}, 1, false, "quota"},
	}
}

// small is a history whose whole text fits into the output limit, so that an
// answer can be larger than its source.
func small() *day { return newDay(3, 1500) }

// Every way in which a model can fail ends in one outcome: failed if this model
// was named, by the next model if there is one, and by extraction if the whole
// ladder may be used.
func TestEachAnswerEndsInOneOutcome(t *testing.T) {
	eachAPI(t, func(t *testing.T, api string) {
		for i, b := range badAnswers() {
			if !amount.Tries(2, slices.Index(apis, api), i) {
				continue
			}
			t.Run(b.name, func(t *testing.T) {
				r := newRig(t, api, ordinary, small().open(t), b.step)
				out := r.compact(keep(1000))
				if out.Status != compaction.Failed || out.Reason != compaction.SummarizerFailed || out.Rung != "" || out.Entry != nil {
					t.Errorf("named: %s %s by %q", out.Status, out.Reason, out.Rung)
				}
				b.check(t, r, out)

				r = newRig(t, api, ordinary, small().open(t), b.step).auto()
				out = r.compact(keep(1000))
				if out.Status != compaction.Applied || out.Rung != summarize.RungExtract || out.Model.ID != "" {
					t.Errorf("auto: %s %s by %q: %s", out.Status, out.Reason, out.Rung, out.Detail)
				}
				b.check(t, r, out)

				r = newRig(t, api, ordinary, small().open(t), b.step).auto()
				second := fake.New(writes("from the second"))
				defer second.Close()
				other := second.Bind(api)
				other.Model.ID = "fake-2"
				r.ladder.Models = append(r.ladder.Models, other)
				out = r.compact(keep(1000))
				if out.Status != compaction.Applied || out.Rung != summarize.RungModel || out.Model.ID != "fake-2" || len(second.Requests()) != 1 {
					t.Errorf("second model: %s %s by %q %s: %s", out.Status, out.Reason, out.Rung, out.Model.ID, out.Detail)
				}
			})
		}
	})
}

// check looks at what the model was asked and what it cost.
func (b bad) check(t *testing.T, r *rig, out *compaction.Outcome) {
	t.Helper()
	reqs := r.server.Requests()
	switch n := len(reqs); {
	case b.tries > 0 && n != b.tries, b.tries == 0 && (n < 2 || n > 9):
		t.Errorf("%d requests, want %d", n, b.tries)
	}
	bodies := map[string]bool{}
	var input int64
	for _, q := range reqs {
		bodies[string(q.Body)] = true
		input += q.Tokens
	}
	if b.paid && len(bodies) != len(reqs) || !b.paid && b.tries > 0 && len(bodies) != 1 {
		t.Errorf("%d different requests of %d", len(bodies), len(reqs))
	}
	switch {
	case !b.paid && out.Usage != nil:
		t.Errorf("usage %+v of calls that were not answered", out.Usage)
	case b.paid && (out.Usage == nil || out.Usage.Input != input || out.Usage.Cost.Total == 0):
		t.Errorf("usage %+v, want %d of input", out.Usage, input)
	}
	for _, a := range out.Attempts {
		if a.Rung != summarize.RungExtract && !strings.Contains(a.Err, b.says) && !strings.Contains(a.Err, "too small") {
			t.Errorf("attempt %+v does not say %q", a, b.says)
		}
	}
}

// A temporary failure does not rule a model out.
func TestPassingFailures(t *testing.T) {
	eachAPI(t, func(t *testing.T, api string) {
		for _, tt := range []struct {
			name  string
			first fake.Step
			tries int
			rung  string
		}{
			{"429", fake.Step{Refuse: &fake.Refusal{Status: 429, RetryAfter: time.Second}}, 2, summarize.RungModel},
			{"529", fake.Refuse(529), 2, summarize.RungModel},
			{"connection cut", fake.Cut("## Goal"), 2, summarize.RungModel},
			{"error in the stream", fake.StreamError("## Goal", "Overloaded"), 2, summarize.RungModel},
			{"tool call", fake.Call("call_x", "read", `{}`), 2, summarize.RungModel},
			{"overflow", fake.Overflow(), 2, ""},            // some vendors' words teach so much that tool output is cut
			{"empty", fake.Step{}, 4, summarize.RungFolded}, // the next tries have half of the text each
		} {
			r := newRig(t, api, ordinary, small().open(t), tt.first, writes("second try"))
			out := r.compact(keep(1000))
			if n := len(r.server.Requests()); out.Status != compaction.Applied || tt.rung != "" && out.Rung != tt.rung || n != tt.tries || !strings.Contains(out.Summary, "second try") {
				t.Errorf("%s: %s %s by %q in %d requests: %s", tt.name, out.Status, out.Reason, out.Rung, n, out.Detail)
			}
		}
	})
}

// stalled is a server that answers the beginning of what server would say,
// and then nothing until the client goes away. It needs no network, so that
// its time can be that of a bubble.
type stalled struct{ server http.Handler }

func (s stalled) RoundTrip(r *http.Request) (*http.Response, error) {
	rec := httptest.NewRecorder()
	func() {
		defer func() {
			if v := recover(); v != nil && v != http.ErrAbortHandler {
				panic(v)
			}
		}()
		s.server.ServeHTTP(rec, r)
	}()
	return &http.Response{StatusCode: http.StatusOK, Header: rec.Header(), Request: r,
		Body: io.NopCloser(&openEnd{head: rec.Body, gone: r.Context().Done()})}, nil
}

// openEnd is a body that never ends.
type openEnd struct {
	head *bytes.Buffer
	gone <-chan struct{}
}

func (o *openEnd) Read(p []byte) (int, error) {
	if o.head.Len() > 0 {
		return o.head.Read(p)
	}
	<-o.gone
	return 0, errors.New("the connection is closed")
}

// A server that stalls is abandoned, and the ladder goes on: a server that was
// silent for a minute is not asked again.
func TestStall(t *testing.T) {
	eachAPI(t, func(t *testing.T, api string) {
		for _, auto := range []bool{false, true} {
			r := newRig(t, api, ordinary, small().open(t), fake.Cut("## Goal\n- the work"))
			r.ladder.Extract = auto
			d, _ := dialects.ByName(api)
			r.bound.Client = provider.New(provider.ProviderConfig{BaseURL: r.server.BaseURL(api), APIKey: "fake-key"}, d,
				&http.Client{Transport: stalled{r.server}})
			synctest.Test(t, func(t *testing.T) {
				r.t = t
				start := time.Now()
				out := r.compact(keep(1000))
				want := compaction.Failed
				if auto {
					want = compaction.Applied
				}
				if out.Status != want || len(r.server.Requests()) != 1 || !strings.Contains(out.Attempts[0].Err, "sent nothing for too long") {
					t.Errorf("%s %s in %d requests: %+v", out.Status, out.Reason, len(r.server.Requests()), out.Attempts)
				}
				if took := time.Since(start); took < time.Minute || took > 2*time.Minute {
					t.Errorf("gave up after %v, want a minute of silence", took)
				}
			})
		}
	})
}
