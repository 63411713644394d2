package mcp

import (
	"bytes"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/agent"
	"github.com/coppice-dev/coppice/agent/tools"
	"github.com/coppice-dev/coppice/provider/fake"
)

// An agent offers a server's tools with the server's own bytes, asks before each
// call as before a command, cuts results that are too long, and tells the model
// if a server died.
func TestAgentWithServers(t *testing.T) {
	r := run(t, self(t, "db"))
	r.next(t)
	model := fake.New(fake.Call("1", "db__echo", `{"zeta":1}`), fake.Call("2", "db__fail", `{}`), fake.Call("3", "db__flood", `{}`),
		fake.Call("4", "db__die", `{}`), fake.Say("Done."))
	defer model.Close()
	s, err := coppice.InMemory(t.Context(), coppice.Options{Model: model.Bind("anthropic")})
	if err != nil {
		t.Fatal(err)
	}
	guard := &tools.Guard{Dir: t.TempDir(), Rules: tools.Rules{Allow: []tools.Rule{"db__[dfl]*"}}}
	a, err := agent.New(agent.Config{Session: s, Tools: r.Tools(), Permit: guard.Permit})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	var results []agent.Event
	for ev, err := range a.Run(t.Context(), "look into the tables") {
		if err != nil {
			t.Fatal(err)
		}
		if ev.Type == agent.EventToolEnd {
			results = append(results, ev)
		}
	}
	if len(results) != 4 {
		t.Fatalf("%d results", len(results))
	}
	for i, want := range []string{`not run: db__echo {"zeta":1} is not allowed`, "no such table", "bytes of 1400000 left out here", "mcp server db: "} {
		got := results[i]
		if !strings.Contains(got.Text, want) || got.IsError != (i != 2) || len(got.Text) > 60_000 {
			t.Errorf("%s: error %v, %.200s", got.ToolName, got.IsError, got.Text)
		}
	}
	for _, p := range model.Problems() {
		t.Error(p)
	}
	if body := model.Requests()[0].Body; !bytes.Contains(body, []byte(`"input_schema":`+oddSchema)) {
		t.Errorf("the schema is not in the request as the server wrote it: %.2000s", body)
	}
}
