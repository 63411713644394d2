package mcp_test

import (
	"context"
	"fmt"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/agent"
	"github.com/coppice-dev/coppice/agent/mcp"
	"github.com/coppice-dev/coppice/provider/fake"
)

// An agent gets the tools of all servers that could be started.
func ExampleStart() {
	ctx := context.Background()
	servers := mcp.Start(ctx, mcp.Options{
		Servers: []mcp.Server{{Name: "files", Command: "no-such-server"}},
		Report:  func(e mcp.Event) { fmt.Println(e.Server, e.State) },
	})
	defer servers.Close()

	model := fake.New(fake.Say("Hello."))
	defer model.Close()
	s, err := coppice.InMemory(ctx, coppice.Options{Model: model.Bind("anthropic")})
	if err != nil {
		fmt.Println(err)
		return
	}
	a, err := agent.New(agent.Config{Session: s, Tools: servers.Tools()})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer a.Close()
	for e, err := range a.Run(ctx, "hello") {
		if err == nil && e.Type == agent.EventMessageEnd {
			fmt.Printf("%s: %s\n", e.Role, e.Text)
		}
	}
	// Output:
	// files failed
	// user: hello
	// assistant: Hello.
}
