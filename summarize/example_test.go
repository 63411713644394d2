package summarize_test

import (
	"fmt"

	"github.com/coppice-dev/coppice/ledger"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/summarize"
)

var conversation = []*message.Message{
	{Role: message.RoleUser, Content: []message.Block{message.Text{Text: "Fix the parser. Never touch api.go."}}},
	{Role: message.RoleAssistant, Content: []message.Block{message.Text{Text: "Looking."},
		message.ToolCall{ID: "1", Name: "edit", Arguments: []byte(`{"path":"parser.go","oldText":"a","newText":"b"}`)}}},
	{Role: message.RoleToolResult, ToolCallID: "1", ToolName: "edit", Content: []message.Block{message.Text{Text: "edited"}}},
}

func ExampleSerializeConversation() {
	fmt.Println(summarize.SerializeConversation(conversation, summarize.SerializeOptions{}))
	// Output:
	// [User]: Fix the parser. Never touch api.go.
	//
	// [Assistant]: Looking.
	//
	// [Assistant tool calls]: edit(path="parser.go", oldText="a", newText="b")
	//
	// [Tool result]: (edit)
	// edited
}

func ExampleExtract() {
	var history []ledger.Source
	for _, m := range conversation {
		history = append(history, ledger.Source{Message: m})
	}
	fmt.Println(summarize.Extract(summarize.Input{History: history}).Summary)
	// Output:
	// ## Goal
	// - "Fix the parser. Never touch api.go."
	//
	// ## Constraints & Preferences
	// - Never touch api.go.
	//
	// ## Progress
	// ### Done
	// - parser.go: `a` → `b`
}
