package summarize

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/coppice-dev/coppice/internal/kinds"
	"github.com/coppice-dev/coppice/ledger"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/tokens"
)

// scripted is a model that answers from a script. It refuses requests above
// its real window, which may be smaller than the one it states.
type scripted struct {
	facts  message.Model
	real   int64 // real window; 0: the stated one
	answer func(n int, prompt string) (*message.Message, error)

	mu   sync.Mutex
	seen []sent
}

type sent struct {
	req  timeline.Request
	opts message.CallOptions
}

func (s sent) prompt() string { return s.req.Messages[len(s.req.Messages)-1].Text("") }

func (s sent) size() int64 {
	n := tokens.Default{}.Text(s.req.System)
	for _, m := range s.req.Messages {
		n += tokens.Default{}.Message(m)
	}
	return n
}

func (m *scripted) Facts() message.Model { return m.facts }

func (m *scripted) Complete(ctx context.Context, req timeline.Request, opts message.CallOptions) (*message.Message, error) {
	m.mu.Lock()
	s := sent{req, opts}
	m.seen = append(m.seen, s)
	n := len(m.seen)
	m.mu.Unlock()
	if need := s.size() + opts.MaxOutput; m.real > 0 && need > m.real {
		return nil, &message.Fault{Class: message.ClassOverflow, Limit: message.Limit{Unit: kinds.UnitContext, Max: m.real}, Message: "too long"}
	}
	return m.answer(n, s.prompt())
}

func newModel(window int64, answer func(n int, prompt string) (*message.Message, error)) *scripted {
	return &scripted{facts: message.Model{Provider: "p", ID: "m", Window: window}, answer: answer}
}

func reply(text string) *message.Message {
	return &message.Message{Role: message.RoleAssistant, StopReason: message.StopEnd,
		Usage: &message.Usage{Input: 100, Output: 10}, Content: []message.Block{message.Text{Text: text}}}
}

// good is an answer with every heading that the request asks for.
func good(prompt, word string) *message.Message {
	want := sections
	if strings.Contains(prompt, "## Original Request") {
		want = prefixSections
	}
	var b strings.Builder
	for _, s := range want {
		fmt.Fprintf(&b, "## %s\n%s\n", s, word)
	}
	return reply(b.String())
}

func always(word string) func(int, string) (*message.Message, error) {
	return func(_ int, prompt string) (*message.Message, error) { return good(prompt, word), nil }
}

var errDown = errors.New("down")

func never(int, string) (*message.Message, error) { return nil, errDown }

// sources numbers messages as entries e0, e1, ….
func sources(msgs ...*message.Message) []ledger.Source {
	var out []ledger.Source
	for i, m := range msgs {
		out = append(out, ledger.Source{EntryID: fmt.Sprintf("e%d", i), Message: m})
	}
	return out
}

// talk is a conversation of n turns of some 300 tokens each.
func talk(n int) []ledger.Source {
	var msgs []*message.Message
	for i := range n {
		id := fmt.Sprintf("c%d", i)
		msgs = append(msgs, user(text(fmt.Sprintf("Request number %d: look at file%d.go", i, i))),
			assistant(text("Looking."), message.ToolCall{ID: id, Name: "read", Arguments: fmt.Appendf(nil, `{"path":"file%d.go"}`, i)}),
			&message.Message{Role: message.RoleToolResult, ToolCallID: id, ToolName: "read",
				Content: []message.Block{message.Text{Text: strings.Repeat(fmt.Sprintf("line of file %d\n", i), 60)}}},
			assistant(text(fmt.Sprintf("File %d is fine.", i))))
	}
	return sources(msgs...)
}
