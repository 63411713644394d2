package sdk

import (
	"context"

	"github.com/coppice-dev/coppice/message"
)

// peer is a vendor's library as the client of a server.
type peer struct {
	dialect string
	// ask sends a request body of ours through the library: decoded into its
	// types, encoded again by them. Its error is the library's own.
	ask func(ctx context.Context, url string, body []byte) (answer, error)
	// refusal is what the library's error says.
	refusal func(err error) (refusal, bool)
}

func peers() []peer {
	return []peer{
		{"anthropic", askAnthropic, anthropicRefusal},
		{"openai-chat", askChat, openaiRefusal},
		{"openai-responses", askResponses, openaiRefusal},
		{"gemini", askGemini, geminiRefusal},
	}
}

// answer is what both sides must agree on.
type answer struct {
	Text, Thinking string
	Calls          []call
	Stop           message.StopReason
	Prompt         int64 // tokens, like the next two; cached ones included
	CacheRead      int64
	Output         int64
}

type call struct{ Name, Arguments string }

// refusal is an error of a server as a library sees it.
type refusal struct {
	Status int
	Kind   string // the vendor's type or code
	Words  string
}

// ours is an answer as our provider reads it.
func ours(m *message.Message) answer {
	a := answer{Stop: m.StopReason, Prompt: m.Usage.Prompt(), CacheRead: m.Usage.CacheRead, Output: m.Usage.Output}
	for _, b := range m.Content {
		switch b := b.(type) {
		case message.Text:
			a.Text += b.Text
		case message.Thinking:
			a.Thinking += b.Thinking
		case message.ToolCall:
			a.Calls = append(a.Calls, call{b.Name, string(b.Arguments)})
		}
	}
	return a
}
