package hook

import (
	"context"
	"fmt"
	"slices"

	"github.com/coppice-dev/coppice/internal/codec"
	"github.com/coppice-dev/coppice/internal/guard"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
	"github.com/go-json-experiment/json/jsontext"
)

// ToolCall is the event before a tool runs.
type ToolCall struct {
	Envelope
	Tool      string
	Arguments jsontext.Value // a JSON object; not to be changed in place
}

// ToolCallAnswer is the answer to ToolCall. Cancel blocks the call, and the
// model gets Why as the reason.
type ToolCallAnswer struct {
	Ruling
	Arguments jsontext.Value // a JSON object; nil: as they are
}

// ToolResult is the event after a tool has run, before anyone else sees the
// result.
type ToolResult struct {
	Envelope
	Result *message.Message // role toolResult
}

// ToolResultAnswer is the answer to ToolResult. Cancel keeps the result from
// the model.
type ToolResultAnswer struct {
	Ruling
	Content []message.Block // nil: unchanged
}

// OnToolCall adds a handler that may block a call or change its arguments.
func (b *Bus) OnToolCall(h Handler, f func(context.Context, ToolCall) (ToolCallAnswer, error)) {
	b.on(eventToolCall, h, f)
}

// OnToolResult adds a handler that may change a result.
func (b *Bus) OnToolResult(h Handler, f func(context.Context, ToolResult) (ToolResultAnswer, error)) {
	b.on(eventToolResult, h, f)
}

// ToolCall asks before a tool runs. An error means that ctx was done.
func (b *Bus) ToolCall(ctx context.Context, e ToolCall) (ToolCallAnswer, error) {
	return ask(ctx, b, question[ToolCall, ToolCallAnswer]{
		event: eventToolCall,
		encode: func(_ context.Context, e ToolCall) ([]byte, error) {
			return e.begin(eventToolCall).Str("tool", e.Tool).Raw("arguments", object(e.Arguments)).Bytes(), nil
		},
		decode: func(in *answer) ToolCallAnswer {
			if in.bool("block") {
				return ToolCallAnswer{Ruling: Ruling{Cancel: true, Why: in.said.Why}}
			}
			return ToolCallAnswer{Arguments: in.object("arguments")}
		},
		ruling: func(a *ToolCallAnswer) Ruling { return a.Ruling },
		rule:   func(r Ruling) ToolCallAnswer { return ToolCallAnswer{Ruling: r} },
		check: func(_ ToolCall, a ToolCallAnswer) error {
			if a.Arguments != nil && (!rawjson.Valid(a.Arguments) || rawjson.Kind(a.Arguments) != '{') {
				return fmt.Errorf("arguments is not a JSON object: %s", excerpt(a.Arguments))
			}
			return nil
		},
		merge: func(e *ToolCall, merged *ToolCallAnswer, a ToolCallAnswer) {
			if a.Arguments != nil {
				merged.Arguments = rawjson.JS(a.Arguments)
				e.Arguments = merged.Arguments
			}
		},
	}, e)
}

// ToolResult asks when a tool has run. An error means that ctx was done.
func (b *Bus) ToolResult(ctx context.Context, e ToolResult) (ToolResultAnswer, error) {
	if err := guard.Given("the result", e.Result); err != nil {
		return ToolResultAnswer{}, err
	}
	return ask(ctx, b, question[ToolResult, ToolResultAnswer]{
		event: eventToolResult,
		encode: func(_ context.Context, e ToolResult) ([]byte, error) {
			return e.begin(eventToolResult).Raw("result", encodeMessage(e.Result)).Bytes(), nil
		},
		decode: func(in *answer) ToolResultAnswer { return ToolResultAnswer{Content: in.content("content")} },
		ruling: func(a *ToolResultAnswer) Ruling { return a.Ruling },
		rule:   func(r Ruling) ToolResultAnswer { return ToolResultAnswer{Ruling: r} },
		check:  func(_ ToolResult, a ToolResultAnswer) error { return checkContent(a.Content) },
		merge: func(e *ToolResult, merged *ToolResultAnswer, a ToolResultAnswer) {
			if a.Content == nil {
				return
			}
			merged.Content = a.Content
			changed := *e.Result
			changed.Content = a.Content
			e.Result = &changed
		},
		copy: func(e ToolResult) ToolResult { return ToolResult{e.Envelope, deepCopy(e.Result)} },
	}, e)
}

// content reads content blocks: an array, or a string as the only text block.
func (a *answer) content(name string) []message.Block {
	v := a.take(name, "an array of content blocks", '[', '"')
	if v == nil {
		return nil
	}
	return append([]message.Block{}, codec.DecodeContent(v)...)
}

// checkContent checks that a result has only text and images.
func checkContent(content []message.Block) error {
	bad := slices.IndexFunc(content, func(b message.Block) bool {
		switch b.(type) {
		case message.Text, message.Image:
			return false
		}
		return true
	})
	if bad >= 0 {
		return fmt.Errorf("content block %d is neither text nor an image", bad)
	}
	return nil
}

// object returns arguments for a program. A model may have sent something that
// is not a JSON object, or not JSON.
func object(v jsontext.Value) []byte {
	switch {
	case len(v) == 0:
		return []byte("{}")
	case !rawjson.Valid(v):
		return rawjson.Quote(string(v))
	}
	return v
}
