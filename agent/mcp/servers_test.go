package mcp

import (
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coppice-dev/coppice/agent"
	"github.com/coppice-dev/coppice/message"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// rig are running servers and what they report.
type rig struct {
	*Servers
	events chan Event
}

func run(t *testing.T, servers ...Server) rig {
	t.Helper()
	r := rig{events: make(chan Event, 100)}
	r.Servers = Start(t.Context(), Options{Servers: servers, Dir: t.TempDir(), Report: func(e Event) { r.events <- e }})
	t.Cleanup(r.Close)
	return r
}

// next is the next event.
func (r rig) next(t *testing.T) Event {
	t.Helper()
	select {
	case e := <-r.events:
		return e
	case <-time.After(time.Minute):
		t.Fatal("nothing was reported")
	}
	return Event{}
}

func (r rig) names() []string {
	var out []string
	for _, t := range r.Tools() {
		out = append(out, t.Name)
	}
	return out
}

func (r rig) try(ctx context.Context, t *testing.T, name, arguments string) (agent.Result, error) {
	t.Helper()
	all := r.Tools()
	i := slices.IndexFunc(all, func(t agent.Tool) bool { return t.Name == name })
	if i < 0 {
		t.Fatalf("no tool %s", name)
	}
	return all[i].Run(ctx, agent.Call{ID: "1", Name: name, Arguments: jsontext.Value(arguments), Update: func(string) {}})
}

// call is the text that a tool returns.
func (r rig) call(t *testing.T, name, arguments string) string {
	t.Helper()
	res, err := r.try(t.Context(), t, name, arguments)
	if err != nil || res.IsError {
		t.Fatalf("%s: %v %v", name, res, err)
	}
	return text(res)
}

func text(r agent.Result) string { return (&message.Message{Content: r.Content}).Text("\n") }

// inProcess is a server in this process, at the other end of a pipe.
func inProcess(s *sdk.Server) Server {
	return Server{Name: "here", Dial: func(context.Context) (io.ReadWriteCloser, error) {
		ours, theirs := net.Pipe()
		go func() { _ = s.Run(context.Background(), &sdk.IOTransport{Reader: theirs, Writer: theirs}) }()
		return ours, nil
	}}
}

// What a server offers, and what its tools return, over each transport.
func TestTools(t *testing.T) {
	here := inProcess(testServer(t.Context()))
	web := listen(t, testServer(t.Context()), nil)
	for name, s := range map[string]Server{"a program": self(t, "plain"), "one that prints a banner": self(t, "noisy"), "in this process": here, "http": web} {
		t.Run(name, func(t *testing.T) {
			r := run(t, s)
			if e := r.next(t); e != (Event{Type: "mcp_server", Server: s.Name, State: Ready, Tools: 8}) {
				t.Fatalf("%+v", e)
			}
			tools := r.Tools()
			i := slices.IndexFunc(tools, func(o agent.Tool) bool { return o.Name == s.Name+"__echo" })
			if i < 0 || tools[i].Description != "does echo" || tools[i].Parallel {
				t.Fatalf("%+v", tools)
			}
			if got := string(tools[i].Parameters); got != oddSchema {
				t.Errorf("schema\n%s\nwant\n%s", got, oddSchema)
			}
			if got, want := r.call(t, s.Name+"__echo", `{"zeta":12345678901234567890,"alpha":"x"}`), `{"zeta":12345678901234567890,"alpha":"x"}`; got != want {
				t.Errorf("got %s, want %s", got, want)
			}
			res, err := r.try(t.Context(), t, s.Name+"__look", `{}`)
			want := []message.Block{message.Text{Text: "before\n[image 1]\nafter"}, message.Image{Data: pixel, MIMEType: "image/png"}}
			if err != nil || cmp.Diff(want, res.Content) != "" {
				t.Errorf("%v: %s", err, cmp.Diff(want, res.Content))
			}
			res, err = r.try(t.Context(), t, s.Name+"__fail", `{}`)
			if err != nil || !res.IsError || text(res) != "no such table" {
				t.Errorf("%v %v", res, err)
			}
			if all := r.call(t, s.Name+"__flood", `{}`); len(all) != 1_400_000 {
				t.Errorf("%d bytes of a long answer", len(all))
			}
		})
	}
}

// A server that dies fails its call and nothing else; the next call starts it
// again.
func TestServerDies(t *testing.T) {
	r := run(t, self(t, "mortal"))
	r.next(t)
	_, err := r.try(t.Context(), t, "mortal__die", `{}`)
	if err == nil || !strings.HasPrefix(err.Error(), "mcp server mortal: ") || !strings.HasSuffix(err.Error(), "; its last output: out of luck") {
		t.Errorf("%v", err)
	}
	if e := r.next(t); e.State != Ended || !strings.Contains(e.Error, "its last output: out of luck") {
		t.Errorf("%+v", e)
	}
	if got := r.call(t, "mortal__echo", `{}`); got != "{}" {
		t.Errorf("got %q", got)
	}
	if e := r.next(t); e.State != Ready {
		t.Errorf("%+v", e)
	}
}

// A call without an answer ends at its limit, and so does the server.
func TestServerHangs(t *testing.T) {
	for name, s := range map[string]Server{"a program": self(t, "plain"), "in this process": inProcess(testServer(t.Context())), "http": listen(t, testServer(t.Context()), nil)} {
		t.Run(name, func(t *testing.T) {
			s.CallLimit = 200 * time.Millisecond
			r := run(t, s)
			r.next(t)
			if _, err := r.try(t.Context(), t, s.Name+"__hang", `{}`); !errors.Is(err, errSlowCall) {
				t.Errorf("%v", err)
			}
			if e := r.next(t); e.State != Ended || !strings.Contains(e.Error, "took too long to answer") {
				t.Errorf("%+v", e)
			}
		})
	}
}

// A call that is cancelled ends at once, at the server too; the server goes on.
func TestCancel(t *testing.T) {
	here := testServer(t.Context())
	arrived, left := make(chan struct{}), make(chan struct{})
	here.AddTool(&sdk.Tool{Name: "wait", InputSchema: map[string]any{"type": "object"}}, func(ctx context.Context, _ *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		close(arrived)
		<-ctx.Done()
		close(left)
		return nil, ctx.Err()
	})
	r := run(t, inProcess(here))
	r.next(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("the user pressed Esc")
	go func() {
		<-arrived
		cancel(why)
	}()
	if _, err := r.try(ctx, t, "here__wait", `{}`); !errors.Is(err, why) {
		t.Errorf("%v", err)
	}
	<-left
	r.call(t, "here__echo", `{}`)
	if len(r.events) != 0 {
		t.Errorf("reported: %+v", <-r.events)
	}
}

// Servers that cannot be started have no tools and disturb nothing.
func TestServersThatDoNotStart(t *testing.T) {
	mute := self(t, "mute")
	mute.StartLimit = 50 * time.Millisecond
	deaf := Server{Name: "deaf", StartLimit: 50 * time.Millisecond, Dial: func(context.Context) (io.ReadWriteCloser, error) {
		ours, _ := net.Pipe() // no one reads at the other end
		return ours, nil
	}}
	want := map[string]string{
		"mute":    "it took too long to start",
		"deaf":    "it took too long to start",
		"broken":  "its last output: no licence found",
		"missing": "executable file not found",
		"empty":   "it has neither a command nor a url",
		"unset":   "the variable COPPICE_TEST_UNSET is not set",
		"odd":     "its url is neither http nor https",
		"good":    "",
	}
	r := run(t, mute, deaf, self(t, "broken"), Server{Name: "missing", Command: "no-such-program-anywhere"}, Server{Name: "empty"},
		Server{Name: "unset", Command: "x", Args: []string{"${COPPICE_TEST_UNSET}"}}, Server{Name: "odd", URL: "http://"}, self(t, "good"))
	for range want {
		e := r.next(t)
		state := Failed
		if want[e.Server] == "" {
			state = Ready
		}
		if e.State != state || !strings.Contains(e.Error, want[e.Server]) {
			t.Errorf("%+v, want %s", e, want[e.Server])
		}
	}
	for _, name := range r.names() {
		if !strings.HasPrefix(name, "good__") {
			t.Errorf("tool %s", name)
		}
	}
	if got := r.call(t, "good__echo", `{}`); got != "{}" {
		t.Errorf("got %q", got)
	}
}

// Tools that are added later appear when they are listed again.
func TestListChanged(t *testing.T) {
	for name, s := range map[string]Server{"a program": self(t, "plain"), "in this process": inProcess(testServer(t.Context())), "http": listen(t, testServer(t.Context()), nil)} {
		t.Run(name, func(t *testing.T) {
			r := run(t, s)
			r.next(t)
			r.call(t, s.Name+"__grow", `{}`)
			if e := r.next(t); e.State != Changed || e.Tools != 9 {
				t.Errorf("%+v", e)
			}
			if got := r.call(t, s.Name+"__grown", `{}`); got != "new" {
				t.Errorf("got %q", got)
			}
		})
	}
}

// A program gets its own variables and the usual ones, not our keys.
func TestEnvironment(t *testing.T) {
	t.Setenv("COPPICE_TEST_KEY", "secret-1")
	t.Setenv("COPPICE_TEST_TOKEN", "secret-2")
	s := self(t, "plain")
	s.Env["TOKEN"] = "Bearer ${COPPICE_TEST_TOKEN}"
	r := run(t, s)
	got := strings.Split(r.call(t, "plain__env", `{}`), "\n")
	if !slices.Contains(got, "TOKEN=Bearer secret-2") {
		t.Errorf("no token: %q", got)
	}
	for _, v := range got {
		if strings.Contains(v, "secret-1") || strings.HasPrefix(v, "COPPICE_TEST_TOKEN=") {
			t.Errorf("the server has %s", v)
		}
	}
	if !slices.ContainsFunc(got, func(v string) bool { return strings.HasPrefix(v, "PATH=") }) {
		t.Errorf("no PATH: %q", got)
	}
}

// After the end nothing runs and nothing is started.
func TestClose(t *testing.T) {
	r := run(t, self(t, "plain"))
	r.next(t)
	tools := r.Tools()
	r.Close()
	_, err := tools[0].Run(t.Context(), agent.Call{Arguments: jsontext.Value(`{}`)})
	if !errors.Is(err, errClosed) {
		t.Errorf("%v", err)
	}
	if len(r.events) != 0 {
		t.Errorf("reported: %+v", <-r.events)
	}
}
