package agent_test

import (
	"context"
	"fmt"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/agent"
	"github.com/coppice-dev/coppice/provider/fake"
)

// An agent with one tool. However long it works, it stays inside its model's
// window. The model here is scripted; provider.Registry binds real ones.
func Example() {
	ctx := context.Background()
	server := fake.New(fake.Call("1", "weather", `{"city":"Oslo"}`), fake.Say("Take an umbrella."))
	defer server.Close()
	s, err := coppice.InMemory(ctx, coppice.Options{Model: server.Bind("anthropic")})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	weather := agent.Tool{Name: "weather", Description: "tells the weather in a city",
		Run: func(context.Context, agent.Call) (agent.Result, error) { return agent.Text("rain"), nil }}

	a, err := agent.New(agent.Config{Session: s, Tools: []agent.Tool{weather}})
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
