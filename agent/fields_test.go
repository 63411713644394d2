package agent_test

import (
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/agent"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/provider"
	"github.com/coppice-dev/coppice/provider/fake"
	"github.com/coppice-dev/coppice/session"
)

// written is a session with a long text, a long call and a long result.
func written(t *testing.T) seed {
	t.Helper()
	s := memory(t)
	long := strings.Repeat("line of a file\n", 1000)
	err := s.add(session.MessageDraft(message.User("Begin. "+long+"The end.")),
		session.MessageDraft(&message.Message{Role: message.RoleAssistant, Provider: "fake", Model: "fake-1", StopReason: message.StopToolUse, Content: []message.Block{
			message.ToolCall{ID: "call_with_a_long_name_0123456789", Name: "echo", Arguments: []byte(`{"text":` + string(rawjson.Quote(long)) + `}`)}}}),
		session.MessageDraft(&message.Message{Role: message.RoleToolResult, ToolCallID: "call_with_a_long_name_0123456789", ToolName: "echo",
			Content: []message.Block{message.Text{Text: "Result. " + long + "exit code 0"}}}),
		session.MessageDraft(&message.Message{Role: message.RoleAssistant, Provider: "fake", Model: "fake-1", StopReason: message.StopEnd,
			Content: []message.Block{message.Text{Text: "Done."}}}))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A field that a server refuses as too long is shortened in the request, at
// once and in every later one, and the log keeps it. What the server said is
// shown, and forgotten on request.
func TestFieldsThatAreTooLong(t *testing.T) {
	for _, tt := range []struct {
		name, api, text, where, sent string
		shared                       bool // the model has learned it before the session does
	}{
		{"arguments", "openai-responses", "Invalid 'input[1].arguments': string too long. Expected a string with maximum length 4000, but got a string with length 15015 instead.", "arguments", "left out; read en:", false},
		{"arguments in chat", "openai-chat", "Invalid 'messages[1].tool_calls[0].function.arguments': string too long. Expected a string with maximum length 4000, but got a string with length 15015 instead.", "arguments", "left out; read en:", false},
		{"arguments in Anthropic's words", "anthropic", "messages.1.content.0.tool_use.input: String should have at most 4000 characters", "arguments", "left out; read en:", false},
		{"output", "openai-responses", "Invalid 'input[2].output': string too long. Expected a string with maximum length 4000, but got a string with length 15019 instead.", "output", "exit code 0", false},
		{"output in Anthropic's words", "anthropic", "messages.2.content.0.tool_result.content.0.text: String should have at most 4000 characters", "output", "exit code 0", false},
		{"content", "openai-chat", "Invalid 'messages[0].content': string too long. Expected a string with maximum length 4000, but got a string with length 15015 instead.", "text", "The end.", false},
		{"an unseen wording", "openai-chat", "Field 'messages[0].content' has 15015 characters, which is more than the limit of 4000 characters.", "text", "The end.", false},
		{"id", "openai-chat", "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 24, but got a string with length 32 instead.", "id", "call_with_", false},
		{"description", "openai-chat", "Invalid 'tools[0].function.description': string too long. Expected a string with maximum length 1024, but got a string with length 3000 instead.", "description", "gives back", false},
		{"arguments, with shared limits", "openai-responses", "Invalid 'input[1].arguments': string too long. Expected a string with maximum length 4000, but got a string with length 15015 instead.", "arguments", "left out; read en:", true},
		{"content, with shared limits", "openai-chat", "Invalid 'messages[0].content': string too long. Expected a string with maximum length 4000, but got a string with length 15015 instead.", "text", "The end.", true},
		{"id, with shared limits", "openai-chat", "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 24, but got a string with length 32 instead.", "id", "call_with_", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server := fake.New(refuse(tt.text), fake.Say("ok"))
			model := quick(server.Bind(tt.api))
			limits := &provider.Limits{}
			if tt.shared {
				model.Catalog = provider.NewCatalog(provider.Config{}, limits)
			}
			tool := echo(false, nil)
			tool.Description = "gives back " + strings.Repeat("text ", 600)
			r := newRig(t, server, config{Session: written(t), Model: model, Learned: limits, Tools: []agent.Tool{tool}})
			r.must("And now?")
			reqs := server.Requests()
			if len(reqs) != 2 || r.ends() != "" {
				t.Fatalf("%d requests, %s\n%s", len(reqs), r.ends(), r.story())
			}
			if tt.where == "id" == strings.Contains(string(reqs[1].Body), "call_with_a_long_name_0123456789") ||
				len(reqs[1].Body) >= len(reqs[0].Body) || !strings.Contains(string(reqs[1].Body), tt.sent) || len(reqs[1].Problems) > 0 {
				t.Errorf("%d bytes after %d, problems %v", len(reqs[1].Body), len(reqs[0].Body), reqs[1].Problems)
			}
			r.must("And then?")
			if last := server.Requests()[2]; len(last.Body) >= len(reqs[0].Body) && tt.where != "id" || len(last.Problems) > 0 {
				t.Errorf("%d bytes in the next turn, problems %v", len(last.Body), last.Problems)
			}
			stored, err := r.path()[0].Message()
			if err != nil || !strings.HasSuffix(stored.Text(""), "The end.") || strings.Contains(stored.Text(""), "left out") {
				t.Errorf("the log changed: %v", err)
			}
			lessons := limits.Of(model.Model)
			if len(lessons) != 1 || lessons[0].Where != tt.where || lessons[0].Text != tt.text {
				t.Errorf("learned %+v", lessons)
			}
		})
	}
}

// A field from which nothing can be taken away, and a cap that is still refused when
// it is kept, end the turn after one try.
func TestFieldsThatCannotBeShortened(t *testing.T) {
	for text, requests := range map[string]int{
		"Invalid 'tools[0].name': string too long. Expected a string with maximum length 3, but got a string with length 4 instead.":              1,
		"Invalid 'metadata.user': string too long. Expected a string with maximum length 512, but got a string with length 600 instead.":          1,
		"Invalid 'input[1].arguments': string too long. Expected a string with maximum length 4000, but got a string with length 15015 instead.":  2,
		"Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 150 instead.":                   1,
		"Invalid 'messages[21].tool_calls': array too long. Expected an array with maximum length 128, but got an array with length 130 instead.": 1,
	} {
		server := fake.New(refuse(text))
		err := newRig(t, server, config{Session: written(t), Model: quick(server.Bind("openai-responses"))}).run("And now?")
		if n := len(server.Requests()); err == nil || n != requests || !strings.Contains(err.Error(), strings.Fields(text)[1]) {
			t.Errorf("%s: %d requests, %v", text, n, err)
		}
	}
}

// A body of text that has too many bytes loses the middles of its longest texts,
// whether the server names a number or not; a number that it named is kept to
// from then on.
func TestBodyOfTextTooLarge(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		status     int
		learned    int
	}{
		{"no number", "Request exceeds the maximum size", 413, 0},
		{"a number", "Request payload size exceeds the limit: 30000 bytes.", 400, 1},
		{"a parser's limit", "String value length (40054) exceeds the maximum allowed (30000, from `StreamReadConstraints.getMaxStringLength()`)", 400, 1},
	} {
		server := fake.New(fake.Step{Refuse: &fake.Refusal{Status: tt.status, Message: tt.text}}, fake.Say("ok"))
		model, limits := quick(server.Bind("openai-chat")), &provider.Limits{}
		r := newRig(t, server, config{Session: written(t), Model: model, Learned: limits})
		r.must("And now?")
		r.must("And then?")
		reqs := server.Requests()
		if len(reqs) != 3 || len(reqs[0].Body) < 45_000 || len(reqs[1].Body) > 30_000 || tt.learned > 0 && len(reqs[2].Body) > 30_000 || r.ends() != "" {
			t.Errorf("%s: %d requests of %d, %d bytes, %s\n%s", tt.name, len(reqs), len(reqs[0].Body), len(reqs[1].Body), r.ends(), r.story())
		}
		for _, want := range []string{"Begin.", "The end.", "Result.", "exit code 0", "And now?"} {
			if !strings.Contains(reqs[1].Text(), want) {
				t.Errorf("%s: %q is gone", tt.name, want)
			}
		}
		if got := limits.Of(model.Model); len(got) != tt.learned {
			t.Errorf("%s: learned %+v", tt.name, got)
		}
		r.sound()
	}
}
