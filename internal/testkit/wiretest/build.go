package wiretest

import "github.com/coppice-dev/coppice/message"

// User is a user message.
func User(blocks ...message.Block) *message.Message {
	return &message.Message{Role: message.RoleUser, Content: blocks}
}

// Assistant is an assistant message.
func Assistant(blocks ...message.Block) *message.Message {
	return &message.Message{Role: message.RoleAssistant, Content: blocks}
}

// Result is the result of a call of the tool "read".
func Result(id string, blocks ...message.Block) *message.Message {
	return &message.Message{Role: message.RoleToolResult, ToolCallID: id, ToolName: "read", Content: blocks}
}

// Text is a text block.
func Text(s string) message.Block { return message.Text{Text: s} }

// Call is a call of the tool "read".
func Call(id, arguments string) message.Block {
	return message.ToolCall{ID: id, Name: "read", Arguments: []byte(arguments)}
}

// PNG is a small image.
func PNG() message.Image { return message.Image{Data: "iVBORw0KGgo=", MIMEType: "image/png"} }
