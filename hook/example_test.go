package hook_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/coppice-dev/coppice/hook"
)

// A hook in Go is a function. This one forbids pushes.
func ExampleBus() {
	bus := hook.New(hook.Options{Report: func(err error) { fmt.Println(err) }})
	bus.OnToolCall(hook.Handler{Name: "no-push", Required: true}, func(_ context.Context, c hook.ToolCall) (hook.ToolCallAnswer, error) {
		if c.Tool == "bash" && strings.Contains(string(c.Arguments), "git push") {
			return hook.ToolCallAnswer{Ruling: hook.Ruling{Cancel: true, Why: "pushing is for people"}}, nil
		}
		return hook.ToolCallAnswer{}, nil
	})
	for _, arguments := range []string{`{"command":"git status"}`, `{"command":"git push --force"}`} {
		answer, err := bus.ToolCall(context.Background(), hook.ToolCall{Tool: "bash", Arguments: []byte(arguments)})
		fmt.Println(answer.Cancel, answer.Why, err)
	}
	// Output:
	// false  <nil>
	// true pushing is for people <nil>
}
