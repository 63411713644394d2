package agent_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/agent"
	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/hook"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/internal/testkit/o200k"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/provider"
	"github.com/coppice-dev/coppice/provider/fake"
	"github.com/coppice-dev/coppice/prune"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/filestore"
	"github.com/coppice-dev/coppice/session/memstore"
)

// rig is an agent over a scripted server.
type rig struct {
	t       *testing.T
	server  *fake.Server
	session *coppice.Session
	agent   *agent.Agent
	events  []agent.Event
}

// seed is a log that a test writes to before an agent works on it.
type seed struct{ session.Log }

func (s seed) add(drafts ...session.Draft) error {
	_, err := session.New(s.Log, session.Options{}).Append(context.Background(), drafts...)
	return err
}

// memory is a session that is not saved.
func memory(t *testing.T) seed {
	t.Helper()
	log, err := memstore.New(nil).Create(context.Background(), session.Header{})
	if err != nil {
		t.Fatal(err)
	}
	return seed{log}
}

// onDisk is a session in a file.
func onDisk(t *testing.T) seed {
	t.Helper()
	log, err := filestore.New(t.TempDir(), filestore.Options{Sync: "off"}).Create(context.Background(), session.Header{Cwd: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { log.Close() })
	return seed{log}
}

// quick makes a bound model that does not wait between tries.
func quick(b *provider.Bound) *provider.Bound {
	b.Client.Retry.BaseDelay = 1
	return b
}

// config has the options of the engine and of the agent.
type config struct {
	Session seed

	Model         coppice.Model
	Compaction    compaction.Settings
	Prune         prune.Settings
	CacheLifetime time.Duration
	Summarizer    compaction.Summarizer
	Hooks         *hook.Bus
	Now           func() time.Time

	Tools    []agent.Tool
	System   string
	Permit   agent.Permit
	Store    func(name, text string) (string, error)
	Settings agent.Settings
	Limits   agent.Limits
	Learned  *provider.Limits
}

// make makes the engine and the agent.
func (c config) make() (*coppice.Session, *agent.Agent, error) {
	s, err := coppice.New(c.Session.Log, coppice.Options{Model: c.Model, Compaction: c.Compaction, Prune: c.Prune,
		Call: message.CallOptions{CacheLifetime: c.CacheLifetime}, Summarizer: c.Summarizer, Hooks: c.Hooks, Now: c.Now, Limits: c.Learned})
	if err != nil {
		return nil, nil, err
	}
	a, err := agent.New(agent.Config{Session: s, Tools: c.Tools, System: c.System, Permit: c.Permit, Store: c.Store, Settings: c.Settings, Limits: c.Limits})
	return s, a, err
}

// newRig runs an agent on the server. Fields of cfg that are not set get what
// a test wants: a session in memory, the anthropic dialect.
func newRig(t *testing.T, server *fake.Server, cfg config) *rig {
	t.Helper()
	t.Cleanup(server.Close)
	server.Count = o200k.Count
	if cfg.Session.Log == nil {
		cfg.Session = memory(t)
	}
	if cfg.Model == nil {
		cfg.Model = quick(server.Bind("anthropic"))
	}
	s, a, err := cfg.make()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	return &rig{t: t, server: server, session: s, agent: a}
}

// run says text and returns how the run ended.
func (r *rig) run(text string) error {
	r.t.Helper()
	var last error
	for ev, err := range r.agent.Run(context.Background(), text) {
		r.events, last = append(r.events, ev), err
	}
	return last
}

// must runs text and fails the test where that fails.
func (r *rig) must(text string) {
	r.t.Helper()
	if err := r.run(text); err != nil {
		r.t.Fatalf("run %q: %v\n%s", text, err, r.story())
	}
}

// story is the events, one line each, without deltas.
func (r *rig) story() string {
	var b strings.Builder
	for _, e := range r.events {
		if e.Type == agent.EventMessageUpdate {
			continue
		}
		fmt.Fprintf(&b, "%s", e.Type)
		for _, s := range []string{string(e.Role), string(e.StopReason), e.ToolName, string(e.Reason), string(e.Outcome), string(e.Why), e.Error} {
			if s != "" {
				b.WriteString(" " + s)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// of returns the events of a type.
func (r *rig) of(typ coppice.EventType) []agent.Event {
	var out []agent.Event
	for _, e := range r.events {
		if e.Type == typ {
			out = append(out, e)
		}
	}
	return out
}

// messages are those of the view.
func (r *rig) messages() []*message.Message {
	r.t.Helper()
	v, err := r.session.View(context.Background())
	if err != nil {
		r.t.Fatal(err)
	}
	var out []*message.Message
	for _, it := range v.Items {
		out = append(out, must.Get(it.Message()))
	}
	return out
}

// path is the whole path of the session.
func (r *rig) path() []*session.Entry {
	r.t.Helper()
	path, err := r.session.Path(context.Background(), nil)
	if err != nil {
		r.t.Fatal(err)
	}
	return path
}

// sound fails the test if the server was sent something invalid, or something
// over its window or its byte cap.
func (r *rig) sound() {
	r.t.Helper()
	for i, req := range r.server.Requests() {
		for _, p := range req.Problems {
			r.t.Errorf("request %d: %s at %s: %s", i, p.Kind, p.Where, p.Detail)
		}
		if r.server.Window > 0 && req.Tokens > r.server.Window {
			r.t.Errorf("request %d: %d tokens in a window of %d", i, req.Tokens, r.server.Window)
		}
		if n := int64(len(req.Body)); r.server.MaxBytes > 0 && n > r.server.MaxBytes {
			r.t.Errorf("request %d: %d bytes of at most %d", i, n, r.server.MaxBytes)
		}
	}
}

// echo is a tool that gives back its text.
func echo(parallel bool, run func(text string) (agent.Result, error)) agent.Tool {
	return agent.Tool{Name: "echo", Description: "gives back text", Parallel: parallel,
		Parameters: []byte(`{"type":"object","properties":{"text":{"type":"string"}}}`),
		Run: func(_ context.Context, c agent.Call) (agent.Result, error) {
			text := strings.TrimSuffix(strings.TrimPrefix(string(c.Arguments), `{"text":"`), `"}`)
			if run != nil {
				return run(text)
			}
			return agent.Text("echo " + text), nil
		}}
}

var errTest = errors.New("it broke")
