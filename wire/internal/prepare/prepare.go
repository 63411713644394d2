// Package prepare does to a request what every dialect needs before it is
// written: blocks that a vendor refuses are dropped or replaced by text, tool
// results come after their calls, and call ids are unique and have the
// accepted form (docs/context.md, Repair).
package prepare

import (
	"slices"
	"strings"

	"github.com/coppice-dev/coppice/internal/codec"
	"github.com/coppice-dev/coppice/internal/jsonw"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/internal/turn"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/timeline"
)

// Message is one message of a request. Consecutive messages may have the same
// role.
type Message struct {
	Role message.Role // user, assistant or toolResult
	// Content is never empty. An assistant message holds Text, Thinking, Call
	// and Opaque; the others hold Text, Image and Opaque.
	Content []message.Block
	Mark    bool // a cache mark goes after this message

	// Of a toolResult:
	CallID  string // of the call it answers, as sent
	Name    string // of the tool
	IsError bool

	order int // of a toolResult: index of its call
}

// Rules are a dialect's own part of the preparation.
type Rules struct {
	// ID converts a stored call id to the accepted form; it should map
	// different ids to different ids.
	ID func(stored string) string
	// Name does the same for tool names.
	Name func(string) string
	// MaxArguments is how many characters arguments of a call may have; 0: any
	// number.
	MaxArguments int
	// Thinking reports whether a block can be sent back.
	Thinking func(message.Thinking) bool
	// Opaque reports whether a block of an unknown type in a message of that
	// role can be sent. nil: none can.
	Opaque func(b message.Opaque, role message.Role, content []message.Block) bool
}

// Texts that replace what cannot be sent.
const (
	NoOutput  = "(no output)"
	NoContent = "(empty message)"
	imageStub = "(image left out: this model does not read images)"
)

// Messages prepares the messages of a request for a model.
func Messages(req timeline.Request, m message.Model, rules Rules) []Message {
	p := preparer{rules: rules, pictures: picturesOf(req, m), ids: newIDs(rules.ID),
		turns: turn.Messages(req.Messages), calls: make([][]sent, len(req.Messages))}
	marks := marked(req)
	for i, msg := range req.Messages {
		if msg == nil {
			continue
		}
		if out, ok := p.message(i, own(msg, m)); ok {
			out.Mark = marks[i]
			p.out = append(p.out, out)
		} else if n := len(p.out); n > 0 && marks[i] {
			p.out[n-1].Mark = true
		}
	}
	sortResults(p.out)
	return p.out
}

// own returns a message without the reasoning of another model than that of the
// request, and without the signatures that refer to it: no vendor takes them.
func own(msg *message.Message, m message.Model) *message.Message {
	if msg.Role != message.RoleAssistant || msg.Model == "" || m.ID == "" || msg.Provider == m.Provider && msg.Model == m.ID {
		return msg
	}
	out := *msg
	out.Content = nil
	for _, b := range msg.Content {
		switch b := b.(type) {
		case message.Thinking:
			continue
		case message.Text:
			b.Signature = ""
			out.Content = append(out.Content, b)
		case message.ToolCall:
			b.ThoughtSignature = ""
			out.Content = append(out.Content, b)
		default:
			out.Content = append(out.Content, b)
		}
	}
	return &out
}

// marked returns the messages that get a cache mark: at most the last three,
// because vendors accept four and the system prompt has one.
func marked(req timeline.Request) map[int]bool {
	points := slices.Compact(slices.Sorted(slices.Values(req.CachePoints)))
	marks := map[int]bool{}
	for _, i := range points[max(0, len(points)-3):] {
		marks[i] = true
	}
	return marks
}

type preparer struct {
	rules    Rules
	pictures pictures
	ids      ids
	turns    *turn.Conversation
	calls    [][]sent // of each message of the request
	sent     int      // how many calls there are so far
	out      []Message
}

// sent are the calls as they are sent, in order.
type sent struct {
	id, name string
	order    int
}

// message prepares one message; it returns false if nothing of it can be sent.
func (p *preparer) message(i int, m *message.Message) (Message, bool) {
	switch m.Role {
	case message.RoleAssistant:
		content := p.assistant(i, m.Content)
		return Message{Role: m.Role, Content: content}, len(content) > 0
	case message.RoleToolResult:
		return p.result(i, m), true
	}
	content := p.user(m.Content, message.RoleUser)
	if len(content) == 0 {
		content = []message.Block{message.Text{Text: NoContent}}
	}
	return Message{Role: message.RoleUser, Content: content}, true
}

func (p *preparer) result(i int, m *message.Message) Message {
	out := Message{Role: m.Role, Content: p.user(m.Content, m.Role), IsError: m.IsError}
	if len(out.Content) == 0 {
		out.Content = []message.Block{message.Text{Text: NoOutput}}
	}
	if head, n := p.turns.Call(i); head >= 0 && !p.turns.Second(i) {
		c := p.calls[head][n]
		out.CallID, out.Name, out.order = c.id, c.name, c.order
	} else {
		// The timeline repairs pairs; here a result without a call is sent as
		// it is, and Validate reports it.
		out.CallID, out.Name, out.order = p.rules.ID(m.ToolCallID), p.rules.Name(m.ToolName), p.sent
	}
	return out
}

// user prepares the content of a user message or a tool result.
func (p *preparer) user(content []message.Block, role message.Role) []message.Block {
	var out []message.Block
	for _, b := range content {
		switch b := codec.Value(b).(type) {
		case message.Text:
			if !Blank(b.Text) {
				out = append(out, b)
			}
		case message.Image:
			out = append(out, p.pictures.block(b))
		case message.Opaque:
			if p.opaque(b, role, content) {
				out = append(out, b)
			} else {
				out = append(out, message.Text{Text: "(content of type " + Fit(b.Type, 64) + " left out)"})
			}
		}
	}
	return out
}

func (p *preparer) opaque(b message.Opaque, role message.Role, content []message.Block) bool {
	return p.rules.Opaque != nil && Sendable(b.Raw) && p.rules.Opaque(b, role, content)
}

// assistant prepares what the model said. Thinking at the end of a message is
// dropped, because the unit that it belongs to was never finished.
func (p *preparer) assistant(i int, content []message.Block) []message.Block {
	var out []message.Block
	for _, b := range content {
		switch b := codec.Value(b).(type) {
		case message.Text:
			if !Blank(b.Text) {
				out = append(out, b)
			}
		case message.Thinking:
			if p.rules.Thinking(b) {
				out = append(out, b)
			}
		case message.ToolCall:
			c := Call{ToolCall: b, Stored: b.ID}
			c.Name = p.rules.Name(b.Name)
			c.ID = p.ids.give(b.ID)
			p.calls[i] = append(p.calls[i], sent{c.ID, c.Name, p.sent})
			p.sent++
			c.Arguments = arguments(b.Arguments, p.rules.MaxArguments)
			out = append(out, c)
		case message.Opaque:
			if p.opaque(b, message.RoleAssistant, content) {
				out = append(out, b)
			}
		}
	}
	for len(out) > 0 {
		if _, ok := out[len(out)-1].(message.Thinking); !ok {
			break
		}
		out = out[:len(out)-1]
	}
	return out
}

// ObjectArguments wraps arguments that are not an object: {"input": value}.
func ObjectArguments(args []byte) []byte {
	if rawjson.Kind(args) == '{' {
		return args
	}
	var o jsonw.Object
	o.Raw("input", args)
	return o.Bytes()
}

// Blank reports whether s has only white space; vendors refuse such text
// blocks.
func Blank(s string) bool { return strings.TrimSpace(s) == "" }

// sortResults puts the results of each batch, in the order of their calls,
// before anything else between two assistant messages.
func sortResults(messages []Message) {
	for start := 0; start < len(messages); {
		end := start
		for end < len(messages) && messages[end].Role != message.RoleAssistant {
			end++
		}
		slices.SortStableFunc(messages[start:end], func(a, b Message) int {
			ra, rb := a.Role == message.RoleToolResult, b.Role == message.RoleToolResult
			switch {
			case ra && rb:
				return a.order - b.order
			case ra:
				return -1
			case rb:
				return 1
			}
			return 0
		})
		start = end + 1
	}
}
