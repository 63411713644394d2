// Embed is a custom loop over the engine, with one tool: go run ./examples/embed
// PROVIDER/MODEL SESSION.jsonl "What is in main.go?"
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/provider"
)

func main() {
	model, err := provider.NewRegistry(provider.Config{}, os.Getenv).Bind(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	ctx := coppice.Observe(context.Background(), func(e coppice.Event) { fmt.Print(e.Delta.TextDelta) })
	s, err := coppice.Open(ctx, os.Args[2], coppice.Options{Model: model})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	if err := work(ctx, s, strings.Join(os.Args[3:], " "), cat); err != nil {
		log.Print(err)
	}
}

var tools = []message.Tool{{Name: "cat", Description: "reads a file", Parameters: []byte(`{"type":"object","properties":{"path":{"type":"string"}}}`)}}

// work says text and works until the model's final answer.
func work(ctx context.Context, s *coppice.Session, text string, run func(message.ToolCall) string) error {
	if err := s.SetPrompt(ctx, "You answer questions about files.", tools); err != nil {
		return err
	}
	if _, err := s.Say(ctx, message.User(text)); err != nil {
		return err
	}
	for {
		p, err := s.Fit(ctx) // prunes and compacts; p.Body is marked for the provider's cache
		if err != nil {
			return err
		}
		answer, err := s.Answer(ctx, p.Stream(ctx)) // deltas go to the observers of ctx
		if err != nil {
			if _, err := s.Recover(ctx, err); err != nil { // compacts, asks for less, …
				return err
			}
			continue
		}
		if len(answer.ToolCalls()) == 0 {
			return nil
		}
		for _, c := range answer.ToolCalls() {
			if _, err := s.Say(ctx, message.Result(c, run(c))); err != nil {
				return err
			}
		}
	}
}

func cat(c message.ToolCall) string {
	var in struct{ Path string }
	if err := json.Unmarshal(c.Arguments, &in); err != nil {
		return err.Error()
	}
	data, err := os.ReadFile(in.Path)
	if err != nil {
		return err.Error()
	}
	return string(data)
}
