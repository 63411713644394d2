package mcp_test

import (
	"context"
	"fmt"

	"github.com/coppice-dev/coppice/agent"
	"github.com/coppice-dev/coppice/agent/mcp"
	"github.com/coppice-dev/coppice/provider/fake"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/memstore"
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
	log, err := memstore.New(nil).Create(ctx, session.Header{})
	if err != nil {
		fmt.Println(err)
		return
	}
	a, err := agent.New(agent.Config{Session: session.New(log, session.Options{}), Model: model.Bind("anthropic"), Tools: servers.Tools()})
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
