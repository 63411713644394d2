// Package message has the messages of a conversation: roles, content blocks,
// tool calls and results, usage and stop reasons; and the types of a model
// call.
//
// The stored form is pi's (docs/format.md). Decoding is tolerant: an unknown
// role, block type or field is kept, never an error. Typed values are read-only
// views; the bytes of the log stay the truth.
package message

import (
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Role says who speaks.
type Role string

// The roles that are stored in a session, and the two that are derived from
// entries of their own type.
const (
	RoleUser          Role = "user"
	RoleAssistant     Role = "assistant"
	RoleToolResult    Role = "toolResult"
	RoleBashExecution Role = "bashExecution"
	RoleCustom        Role = "custom"
	RoleSystem        Role = "system"

	RoleCompactionSummary Role = "compactionSummary"
	RoleBranchSummary     Role = "branchSummary"
)

// StopReason says why an answer ended.
type StopReason string

// Stop reasons, in pi's words. Others are kept as they are.
const (
	StopEnd     StopReason = "stop"
	StopLength  StopReason = "length"
	StopToolUse StopReason = "toolUse"
	StopError   StopReason = "error"
	StopAborted StopReason = "aborted"
)

// Message is one message of a conversation. Which fields are set depends on
// Role; the comments name the roles.
type Message struct {
	Role    Role
	Content []Block // user, assistant, toolResult, custom; system: its text
	Time    time.Time

	// assistant
	API          string
	Provider     string
	Model        string
	Usage        *Usage
	StopReason   StopReason
	ErrorMessage string
	ErrorClass   Class // of the refusal that ErrorMessage tells of; "": none, or not known

	// toolResult
	ToolCallID string
	ToolName   string
	IsError    bool
	Empty      bool // the tool looked for something and found nothing; stored as details.empty

	// bashExecution
	Bash *BashExecution

	// custom
	CustomType string

	// system
	System *SystemPatch

	// compactionSummary, branchSummary
	Summary string
}

// BashExecution is a command that the user ran, not the model.
type BashExecution struct {
	Command            string
	Output             string
	ExitCode           *int // nil: unknown
	Cancelled          bool
	Truncated          bool
	FullOutputPath     string
	ExcludeFromContext bool // the user kept it from the model
}

// SystemPatch changes the prompt and the tools for the rest of the path.
// Replaying all patches of a path in order gives the prompt in force.
type SystemPatch struct {
	Sections     []Section
	ToolsAdded   []Tool
	ToolsRemoved []string
}

// Section is a named part of the system prompt. A deleted section has Text nil.
type Section struct {
	Name string
	Text *string
}

// Tool is a tool as it is offered to a model.
type Tool struct {
	Name        string
	Description string
	Parameters  jsontext.Value // a JSON Schema object; nil: no parameters
	Raw         jsontext.Value // as stored, with every field
}

// Usage is what the provider counted for one call, in tokens.
type Usage struct {
	Input       int64
	Output      int64
	CacheRead   int64
	CacheWrite  int64
	TotalTokens int64 // 0: not given
	Reasoning   int64 // part of Output
	Cost        Cost
}

// Cost is the price of one call in US dollars.
type Cost struct {
	Input, Output, CacheRead, CacheWrite, Total float64
}

// Total returns TotalTokens, or the sum of the parts if it is 0.
func (u *Usage) Total() int64 {
	if u == nil {
		return 0
	}
	if u.TotalTokens > 0 {
		return u.TotalTokens
	}
	return u.Input + u.Output + u.CacheRead + u.CacheWrite
}

// Add adds another call's usage; nil adds nothing.
func (u *Usage) Add(o *Usage) {
	if o == nil {
		return
	}
	u.TotalTokens = u.Total() + o.Total()
	u.Input += o.Input
	u.Output += o.Output
	u.CacheRead += o.CacheRead
	u.CacheWrite += o.CacheWrite
	u.Reasoning += o.Reasoning
	u.Cost.Input += o.Cost.Input
	u.Cost.Output += o.Cost.Output
	u.Cost.CacheRead += o.Cost.CacheRead
	u.Cost.CacheWrite += o.Cost.CacheWrite
	u.Cost.Total += o.Cost.Total
}

// Prompt returns the size of the prompt that the provider saw, in tokens.
func (u *Usage) Prompt() int64 {
	if u == nil {
		return 0
	}
	return u.Input + u.CacheRead + u.CacheWrite
}

// User returns a message of the user.
func User(text string) *Message {
	return &Message{Role: RoleUser, Content: []Block{Text{Text: text}}}
}

// Result returns the result of a tool call.
func Result(c ToolCall, text string) *Message {
	return &Message{Role: RoleToolResult, ToolCallID: c.ID, ToolName: c.Name, Content: []Block{Text{Text: text}}}
}

// Failed reports whether an assistant message ended in an error or an abort.
// Such messages are left out of requests.
func (m *Message) Failed() bool {
	return m.Role == RoleAssistant && (m.StopReason == StopError || m.StopReason == StopAborted)
}

// FinalAnswer reports whether m ends a turn: an assistant message that
// stopped by itself, calls no tool and says something. An empty one, or one
// with nothing but reasoning, answers no one.
func (m *Message) FinalAnswer() bool {
	return m.Role == RoleAssistant && m.StopReason == StopEnd && len(m.ToolCalls()) == 0 && m.shows()
}

// shows reports whether there is more in the content than reasoning and blank
// text.
func (m *Message) shows() bool {
	return slices.ContainsFunc(m.Content, func(b Block) bool {
		switch b := b.(type) {
		case nil, Thinking:
			return false
		case Text:
			return strings.TrimSpace(b.Text) != ""
		}
		return true
	})
}

// ToolCalls returns the calls in the content, in order.
func (m *Message) ToolCalls() []ToolCall {
	var calls []ToolCall
	for _, b := range m.Content {
		if c, ok := b.(ToolCall); ok {
			calls = append(calls, c)
		}
	}
	return calls
}

// Text returns the text blocks joined by sep; other blocks are skipped.
func (m *Message) Text(sep string) string {
	return joinText(m.Content, sep)
}

// Images returns the number of image blocks.
func (m *Message) Images() int {
	n := 0
	for _, b := range m.Content {
		if _, ok := b.(Image); ok {
			n++
		}
	}
	return n
}

// Clone returns a copy whose Content can be changed without changing m.
func (m *Message) Clone() *Message {
	c := *m
	c.Content = append([]Block(nil), m.Content...)
	return &c
}
