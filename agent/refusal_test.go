package agent_test

import (
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/agent"
	"github.com/coppice-dev/coppice/provider/fake"
)

func refuse(text string) fake.Step {
	return fake.Step{Refuse: &fake.Refusal{Status: 400, Message: text}}
}

// A provider that misses reasoning gets it, from then on, also of a model that
// nobody knows to want it.
func TestMissingReasoningIsSent(t *testing.T) {
	server := fake.New(fake.Call("c1", "echo", `{"text":"hi"}`),
		refuse("The `reasoning_content` in the thinking mode must be passed back to the API."), fake.Say("Done."), fake.Say("Still done."))
	r := newRig(t, server, config{Model: quick(server.Bind("openai-chat")), Tools: []agent.Tool{echo(false, nil)}})
	r.must("Go.")
	r.must("Go on.")
	var sent []string
	for _, q := range server.Requests() {
		sent = append(sent, map[bool]string{true: "with", false: "without"}[strings.Contains(string(q.Body), "reasoning_content")])
	}
	if got := strings.Join(sent, " "); got != "without without with with" {
		t.Errorf("%s\n%s", got, r.story())
	}
}

// A limit of messages is no window: the history is compacted once, as the
// window has it, and nothing is learned of tokens.
func TestTooManyMessages(t *testing.T) {
	s := memory(t)
	history(t, s, 20)
	server := fake.New(refuse("Invalid 'messages': array too long. Expected an array with maximum length 2048, but got an array with length 2301 instead."), fake.Say("ok"))
	model := quick(server.Bind("anthropic"))
	before := model.Facts().Window
	r := newRig(t, server, config{Session: s, Model: model, Summarizer: extract})
	r.must("And now?")
	if got := model.Facts().Window; got != before || r.ends() != "overflow applied" {
		t.Errorf("a window of %d, %s\n%s", got, r.ends(), r.story())
	}
	reqs := server.Requests()
	if now := reqs[1].Tokens; now < reqs[0].Tokens/4 {
		t.Errorf("%d tokens are left of %d", now, reqs[0].Tokens)
	}
}
