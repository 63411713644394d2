package mcp

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"time"

	"github.com/coppice-dev/coppice/agent"
	"github.com/coppice-dev/coppice/internal/valid"
	"github.com/coppice-dev/coppice/provider"
)

// Server says how to reach a server: by Command, URL or Dial. In the texts of
// the first two, ${NAME} stands for a variable of Options.Getenv; one that is
// not set is an error.
type Server struct {
	Name string // begins the names of its tools

	// Command is a program that speaks over standard input and output. It gets
	// Env and the few variables that every program needs, not our whole
	// environment, because a server must not see our keys.
	Command string                     `json:"command"`
	Args    []string                   `json:"args"`
	Env     map[string]provider.Secret `json:"env"`

	// URL is for streamable HTTP. Headers are sent there and nowhere else.
	URL     string                     `json:"url"`
	Headers map[string]provider.Secret `json:"headers"`

	// Type may be left out, because Command or URL shows it.
	Type transport `json:"type"`

	// Dial opens a stream of JSON lines to a server in any other way. It must
	// end with its context.
	Dial func(ctx context.Context) (io.ReadWriteCloser, error)

	StartLimit time.Duration `json:"startTimeoutSeconds" max:"86400"` // until its tools are known; 0: 30 seconds
	CallLimit  time.Duration `json:"timeoutSeconds" max:"86400"`      // for one call; 0: 10 minutes
}

// Settings name servers (docs/settings.md, mcpServers).
type Settings struct {
	Servers map[string]Server `json:"mcpServers"`
}

// Validate returns an error that names the fields with wrong values.
func (s Server) Validate() error {
	errs := []error{valid.OneOf("type", s.Type, s.Type.Values()), valid.Address("url", s.URL),
		valid.Seconds("startTimeoutSeconds", s.StartLimit), valid.Seconds("timeoutSeconds", s.CallLimit)}
	switch {
	case s.Dial != nil:
	case s.Command != "" && s.URL != "":
		errs = append(errs, valid.Wrong("", "has both a command and a url"))
	case s.Command == "" && s.URL == "":
		errs = append(errs, valid.Wrong("", "must have a command or a url"))
	case s.Type == overStdio && s.Command == "":
		errs = append(errs, valid.Wrong("", "must have a command if its type is stdio"))
	case s.Type == overHTTP && s.URL == "":
		errs = append(errs, valid.Wrong("", "must have a url if its type is http"))
	}
	return errors.Join(errs...)
}

// transport is the way to a server.
type transport string

// The ways.
const (
	overStdio transport = "stdio"
	overHTTP  transport = "http" // streamable HTTP
)

// Values returns the words that a setting may have.
func (transport) Values() []string { return []string{string(overStdio), string(overHTTP)} }

// The defaults of a server's limits.
const (
	defaultStart = 30 * time.Second
	defaultCall  = 10 * time.Minute
)

// Options configure the servers.
type Options struct {
	Servers []Server
	Dir     string                   // where programs start; "": here
	Getenv  func(name string) string // nil: os.Getenv
	Version string                   // of the calling program; servers are told
	// Report, if not nil, is called with the state of servers, from any
	// goroutine.
	Report func(Event)
}

// State is the state of a server.
type State string

// The states.
const (
	Ready   State = "ready"   // started; its tools are known
	Changed State = "changed" // its tools have changed
	Failed  State = "failed"  // it could not be started, or its tools not be listed
	Ended   State = "ended"   // it ended, or hung and was stopped
)

// Event reports the state of a server. Its JSON form is a line of `coppice run
// --json`.
type Event struct {
	Type   string `json:"type"` // "mcp_server"
	Server string `json:"server"`
	State  State  `json:"state"`
	Tools  int    `json:"tools,omitzero"`  // ready, changed: how many
	Error  string `json:"error,omitempty"` // failed, ended
}

// Servers are running servers. Close ends them.
type Servers struct{ clients []*client }

// Start starts all servers in parallel and waits until the tools of each are
// known or it has failed, which is reported and does not affect the others.
// ctx bounds only the start.
func Start(ctx context.Context, o Options) *Servers {
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	if o.Report == nil {
		o.Report = func(Event) {}
	}
	all := &Servers{}
	var starting sync.WaitGroup
	for _, s := range o.Servers {
		s.StartLimit, s.CallLimit = cmp.Or(s.StartLimit, defaultStart), cmp.Or(s.CallLimit, defaultCall)
		c := &client{server: s, opts: o}
		all.clients = append(all.clients, c)
		starting.Go(func() { _, _ = c.connected(ctx) }) // a failure is reported there
	}
	starting.Wait()
	return all
}

// Tools returns the tools that the servers have now, in the order of the
// servers and of their own lists, each with a unique name.
func (s *Servers) Tools() []agent.Tool {
	var out []agent.Tool
	taken := map[string]bool{}
	for _, c := range s.clients {
		for _, t := range c.offered() {
			name := toolName(c.server.Name, t.name, taken)
			taken[name] = true
			out = append(out, agent.Tool{Name: name, Description: t.description, Parameters: t.schema,
				Run: func(ctx context.Context, call agent.Call) (agent.Result, error) {
					return c.call(ctx, t.name, call.Arguments)
				}})
		}
	}
	return out
}

// Close ends the servers. It waits a short while for programs to end by
// themselves. Calls that still run fail.
func (s *Servers) Close() {
	var closing sync.WaitGroup
	for _, c := range s.clients {
		closing.Go(c.close)
	}
	closing.Wait()
}

var errClosed = errors.New("closed")
