// Forever works on one ticket after another, in a window of 32,000 tokens, until
// it is stopped: go run ./examples/forever PROVIDER/MODEL
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/agent"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/provider"
)

func main() {
	model, err := provider.NewRegistry(provider.Config{}, os.Getenv).Bind(os.Args[1]) // "anthropic/claude-sonnet-4-5"
	if err != nil {
		log.Fatal(err)
	}
	model.Model.Window = 32_000
	log.Fatal(forever(context.Background(), model, nextTicket))
}

func forever(ctx context.Context, model coppice.Model, next func() string) error {
	s, err := coppice.Create(ctx, "sessions", ".", coppice.Options{Model: model})
	if err != nil {
		return err
	}
	defer s.Close()
	ticket := agent.Tool{Name: "next_ticket", Description: "gives the next ticket to work on",
		Run: func(context.Context, agent.Call) (agent.Result, error) { return agent.Text(next()), nil }}
	a, err := agent.New(agent.Config{Session: s, Tools: []agent.Tool{ticket}})
	if err != nil {
		return err
	}
	defer a.Close()
	for {
		for ev, err := range a.Run(ctx, "Work on the next ticket.") {
			if err != nil {
				return err
			}
			if ev.Role == message.RoleAssistant && ev.Text != "" {
				fmt.Println(ev.Text)
			}
		}
	}
}

var tickets int

func nextTicket() string {
	tickets++
	return fmt.Sprintf("Ticket %d: the page %d loads slowly. Say what you would measure first.", tickets, tickets)
}
