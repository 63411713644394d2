package docs_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/agent"
	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/hook"
	"github.com/coppice-dev/coppice/ledger"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/provider/fake"
	"github.com/coppice-dev/coppice/state"
	"github.com/coppice-dev/coppice/summarize"
)

func Example_agent() {
	ctx := context.Background()
	sessions := folder()
	s, err := coppice.Create(ctx, sessions, "/srv/shop", coppice.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()

	text := func(s string) []message.Block { return []message.Block{message.Text{Text: s}} }
	_, err = s.Say(ctx,
		&message.Message{Role: message.RoleUser, Content: text("What is in go.mod?")},
		&message.Message{Role: message.RoleAssistant, StopReason: message.StopToolUse, Content: []message.Block{
			message.ToolCall{ID: "call_1", Name: "read", Arguments: []byte(`{"path":"go.mod"}`)}}},
		&message.Message{Role: message.RoleToolResult, ToolCallID: "call_1", ToolName: "read", Content: text("module example.com/shop")},
	)
	if err != nil {
		log.Fatal(err)
	}
	v, err := s.View(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for _, it := range v.Items {
		m, err := it.Message()
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(m.Role)
	}
	// Output:
	// user
	// assistant
	// toolResult
}

func Example_plan() {
	ctx := context.Background()
	s, err := coppice.Open(ctx, sample(), coppice.Options{ReadOnly: true})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()

	keep := int64(8000)
	p, err := s.Plan(ctx, compaction.Request{Keep: &keep})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("summarized:", len(p.History)+len(p.Prefix) > 0, "- kept from", p.FirstKept.Type)
	fmt.Println("smaller:", p.EstimatedAfter() < p.Size.Decision())
	// Output:
	// summarized: true - kept from message
	// smaller: true
}

func Example_model() {
	ctx := context.Background()
	server := fake.New(fake.Refuse(500), fake.Say("not a summary"))
	defer server.Close()
	ladder := &summarize.Ladder{Models: []summarize.Model{server.Bind("anthropic")}, Extract: true}

	s, err := coppice.Open(ctx, sample(), coppice.Options{Summarizer: ladder})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	out, err := s.Compact(ctx, compaction.Request{Focus: "the failing test"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out.Status, "by", out.Rung) // the model was of no use
	// Output: applied by extract
}

func Example_hooks() {
	ctx := context.Background()
	hooks := hook.New(hook.Options{})
	hooks.OnBeforeCompact(hook.Handler{Name: "demonstration"}, func(_ context.Context, e hook.BeforeCompact) (compaction.Answer, error) {
		if e.Trigger == compaction.Threshold {
			return compaction.Answer{Cancel: true, Why: "not during the demonstration"}, nil
		}
		return compaction.Answer{}, nil // as planned
	})
	s, err := coppice.Open(ctx, sample(), coppice.Options{Hooks: hooks})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	out, err := s.Compact(ctx, compaction.Request{Trigger: compaction.Threshold})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out.Status, out.Reason, "-", out.Detail)
	// Output: cancelled hook-cancelled - not during the demonstration
}

func Example_bus() {
	ctx := context.Background()
	server := fake.New(fake.Call("1", "deploy", `{"to":"production"}`), fake.Say("I leave that to you."))
	defer server.Close()
	deploy := agent.Tool{Name: "deploy", Run: func(context.Context, agent.Call) (agent.Result, error) { return agent.Text("deployed"), nil }}

	bus := hook.New(hook.Options{Report: func(err error) { log.Print(err) }})
	bus.OnToolCall(hook.Handler{Name: "no-production", Required: true}, func(_ context.Context, c hook.ToolCall) (a hook.ToolCallAnswer, err error) {
		a.Cancel, a.Why = strings.Contains(string(c.Arguments), "production"), "production is for people"
		return a, nil
	})
	s, err := coppice.InMemory(ctx, coppice.Options{Model: server.Bind("anthropic"), Hooks: bus})
	if err != nil {
		log.Fatal(err)
	}
	worker, err := agent.New(agent.Config{Session: s, Tools: []agent.Tool{deploy}})
	if err != nil {
		log.Fatal(err)
	}
	defer worker.Close()
	for ev, err := range worker.Run(ctx, "Ship it.") {
		if err != nil {
			log.Fatal(err)
		}
		if ev.Type == agent.EventToolEnd {
			fmt.Println(ev.ToolName, "-", ev.Text)
		}
	}
	// Output: deploy - not run: production is for people
}

func Example_extractor() {
	savePage := func(c message.ToolCall) []ledger.FileOp {
		if c.Name != "save_page" {
			return nil
		}
		return []ledger.FileOp{{Class: ledger.FileModified, Path: "page.html"}}
	}
	call := &message.Message{Role: message.RoleAssistant, Content: []message.Block{message.ToolCall{ID: "1", Name: "save_page"}}}
	result := &message.Message{Role: message.RoleToolResult, ToolCallID: "1", ToolName: "save_page"}
	st := state.Fold([]ledger.Source{{EntryID: "a", Message: call}, {EntryID: "b", Message: result}}, state.Options{Extractors: []ledger.Extractor{savePage}})
	for _, file := range st.Of("file") {
		fmt.Println(file.Text, file.Life, file.Note)
	}
	// Output: page.html exists modified
}

func folder() string {
	dir, err := os.MkdirTemp("", "coppice-docs-")
	if err != nil {
		log.Fatal(err)
	}
	return dir
}

// sample is a copy of the sample session.
func sample() string {
	raw, err := os.ReadFile(filepath.FromSlash("../examples/sample-session.jsonl"))
	if err != nil {
		log.Fatal(err)
	}
	path := filepath.Join(folder(), "sample.jsonl")
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		log.Fatal(err)
	}
	return path
}
