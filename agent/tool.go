package agent

import (
	"context"

	"github.com/coppice-dev/coppice/message"
	"github.com/go-json-experiment/json/jsontext"
)

// Tool is something that the model can do.
type Tool struct {
	Name        string
	Description string
	Parameters  jsontext.Value // JSON Schema of the arguments; nil: none

	// Parallel says that calls may run in parallel, because the tool changes
	// nothing. Calls of other tools run one after another.
	Parallel bool
	// Run does the work. The model gets an error as a failed result. The agent
	// cuts output that is too long, and stores the whole if there is a place
	// for it.
	Run func(ctx context.Context, c Call) (Result, error)
}

// Call is one call of a tool.
type Call struct {
	ID        string
	Name      string
	Arguments jsontext.Value // a JSON object
	// Update reports the output so far while the tool runs. It is never nil.
	Update func(text string)
}

// Result is what a tool returns.
type Result struct {
	Content []message.Block
	IsError bool
	// Empty says that the tool looked for something and found nothing, so that
	// pruning may leave the result out (docs/pruning.md).
	Empty bool
}

// Text returns a result that is only text.
func Text(s string) Result {
	return Result{Content: []message.Block{message.Text{Text: s}}}
}

// Permit decides whether a call may run. An error forbids it, and the model
// gets it as the reason. It may ask the user and take as long as that takes.
type Permit func(ctx context.Context, t Tool, c Call) error

// offered returns the tools as a request has them.
func offered(tools []Tool) []message.Tool {
	out := make([]message.Tool, len(tools))
	for i, t := range tools {
		out[i] = message.Tool{Name: t.Name, Description: t.Description, Parameters: t.Parameters}
	}
	return out
}
