package agent_test

import (
	"context"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/agent"
	"github.com/coppice-dev/coppice/provider/fake"
)

// denied is an error type whose nil pointer cannot say what it is.
type denied struct{ why string }

func (d *denied) Error() string { return d.why }

// A nil pointer of an error type is not nil as an error. The call fails, and the run
// goes on.
func TestTypedNilErrors(t *testing.T) {
	var none *denied
	tool := echo(false, nil)
	tool.Run = func(context.Context, agent.Call) (agent.Result, error) { return agent.Result{}, none }
	for name, c := range map[string]config{
		"tool":   {Tools: []agent.Tool{tool}},
		"permit": {Tools: []agent.Tool{echo(false, nil)}, Permit: func(context.Context, agent.Tool, agent.Call) error { return none }},
	} {
		server := fake.New(fake.Call("c1", "echo", `{"text":"hi"}`), fake.Say("Done."))
		r := newRig(t, server, c)
		r.must("Go.")
		if body := string(server.Requests()[1].Body); !strings.Contains(body, "panicked") {
			t.Errorf("%s: the model was told %s", name, body)
		}
		r.sound()
	}
}
