package agent

import (
	"context"

	"github.com/coppice-dev/coppice/compaction"
)

// Hooks are the moments at which others may answer. Nil functions are not
// asked.
type Hooks struct {
	Compaction compaction.Hooks
	// ToolCall may change the arguments of a call, or forbid it by an error
	// that is told to the model.
	ToolCall func(ctx context.Context, c Call) (Call, error)
	// ToolResult may change what a call gave back.
	ToolResult func(ctx context.Context, c Call, r Result) Result
}
