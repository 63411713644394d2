package sweep

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/agent"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/provider"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/summarize"
)

// longSweep is the environment variable with the number of rounds of a long job.
const longSweep = "COPPICE_SWEEP_ROUNDS"

func rounds(usual int) int {
	if n, err := strconv.Atoi(os.Getenv(longSweep)); err == nil && n > 0 {
		return n
	}
	return usual
}

// windows of the servers. The large one is for long runs: a real tokenizer takes
// long to count its parts.
func windows() []int64 {
	if os.Getenv(longSweep) != "" {
		return []int64{8192, 32_768, 200_000}
	}
	return []int64{8192, 32_768}
}

const rule = "Never touch internal/legacy/ledger.go."

// job runs a job on a server and returns what happened.
type job struct {
	*server
	path   []*session.Entry
	limits *provider.Limits
	model  message.Model
	events []agent.Event
	err    error
}

func run(t *testing.T, b behaviour, window int64, rounds int) *job {
	t.Helper()
	return runIn(t, b, window, window, rounds)
}

// runIn runs a job on a server whose window differs from the settings.
func runIn(t *testing.T, b behaviour, window, said int64, rounds int) *job {
	t.Helper()
	s := newServer(b, window, rounds)
	t.Cleanup(s.http.Close)
	reg := provider.NewRegistry(provider.Config{Providers: map[string]provider.ProviderConfig{"own": {Type: "openai", BaseURL: s.http.URL + "/v1",
		APIKey: "k", Models: []provider.ModelConfig{{ID: "m", ContextWindow: said, Images: new(true)}}}}}, nil)
	bound, err := reg.Bind("own/m")
	if err != nil {
		t.Fatal(err)
	}
	bound.Client.Retry.BaseDelay = 1
	engine, err := coppice.InMemory(context.Background(), coppice.Options{Model: bound, Summarizer: &summarize.Ladder{Extract: true}})
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	j := &job{server: s, limits: bound.Catalog.Limits, model: bound.Model}
	scale := 1.0
	if b.factor > 1 {
		scale = b.factor
	}
	each := int64(float64(window) / 12 / scale)
	tool := agent.Tool{Name: "read_part", Description: "reads a part", Parameters: []byte(`{"type":"object","properties":{"part":{"type":"integer"}}}`),
		Run: func(_ context.Context, c agent.Call) (agent.Result, error) {
			var in struct{ Part int }
			if err := json.Unmarshal(c.Arguments, &in); err != nil {
				return agent.Result{}, err
			}
			res := agent.Text(part(in.Part, each))
			if b.image != 0 && in.Part%3 == 0 {
				res.Content = append(res.Content, message.Image{MIMEType: "image/png", Data: pixel})
			}
			return res, nil
		}}
	a, err := agent.New(agent.Config{Session: engine, Tools: []agent.Tool{tool}, System: "You are a careful engineer."})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	for ev, err := range a.Run(context.Background(), "Read all parts and tell me what is wrong. "+rule) {
		j.events = append(j.events, ev)
		j.err = err
	}
	if j.path, err = engine.Path(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	return j
}

// kept is how many answers are in the log, without failed attempts.
func (j *job) kept(t *testing.T) int {
	t.Helper()
	n := 0
	for _, e := range j.path {
		if m := must.Get(e.Message()); m != nil && m.Role == message.RoleAssistant && !m.Failed() {
			n++
		}
	}
	return n
}

// A server that counts honestly gives no reason to throw an answer away, to
// learn a window, or to take anything unread out of the view.
func TestHonestServers(t *testing.T) {
	for _, window := range windows() {
		for _, b := range honest() {
			t.Run(fmt.Sprintf("%d/%s", window, b.name), func(t *testing.T) {
				t.Parallel()
				j := run(t, b, window, rounds(8))
				if j.err != nil {
					t.Errorf("the job did not end: %v", j.err)
				}
				if got := j.kept(t); got != j.answered {
					t.Errorf("%d answers were given, %d are kept", j.answered, got)
				}
				if j.repeated > 0 {
					t.Errorf("%d calls were repeated because their result was gone", j.repeated)
				}
				if len(j.refused) > 4 {
					t.Errorf("%d requests were refused: %s", len(j.refused), j.refused[0])
				}
				if l := j.limits.Of(j.model); len(l) > len(j.refused) {
					t.Errorf("learned: %+v", l)
				}
				if told := j.told(); told > 0 && !b.doubtful {
					t.Errorf("a warning after call %d: %s", told, j.warning())
				}
				if !strings.Contains(j.last, rule) {
					t.Error("the rule of the first message is not in the last request")
				}
				if b.image != 0 && j.images == 0 {
					t.Error("no image was sent")
				}
				if len(j.problems) > 0 {
					t.Errorf("invalid: %q", j.problems[0])
				}
			})
		}
	}
}
