package agent_test

import (
	"context"
	"fmt"

	"github.com/coppice-dev/coppice/agent"
	"github.com/coppice-dev/coppice/provider/fake"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/memstore"
)

// An agent with a tool of its own. However long it works, it stays inside the
// window of its model. The model here is scripted; provider.Registry binds
// real ones.
func Example() {
	ctx := context.Background()
	server := fake.New(fake.Call("1", "weather", `{"city":"Oslo"}`), fake.Say("Take an umbrella."))
	defer server.Close()
	log, err := memstore.New(nil).Create(ctx, session.Header{})
	if err != nil {
		fmt.Println(err)
		return
	}
	weather := agent.Tool{Name: "weather", Description: "tells the weather in a city",
		Run: func(context.Context, agent.Call) (agent.Result, error) { return agent.Text("rain"), nil }}

	a, err := agent.New(agent.Config{Session: session.New(log, session.Options{}), Model: server.Bind("anthropic"), Tools: []agent.Tool{weather}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer a.Close()
	for ev, err := range a.Run(ctx, "What do I need in Oslo?") {
		switch {
		case err != nil:
			fmt.Println(err)
		case ev.Type == agent.EventToolStart:
			fmt.Println(ev.ToolName, string(ev.Arguments))
		case ev.Type == agent.EventMessageEnd && ev.Text != "":
			fmt.Println(ev.Role, ev.Text)
		}
	}
	// Output:
	// user What do I need in Oslo?
	// weather {"city":"Oslo"}
	// assistant Take an umbrella.
}
