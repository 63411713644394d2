package agent_test

import (
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/agent"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/provider/fake"
	"github.com/coppice-dev/coppice/session"
)

func refuse(text string) fake.Step {
	return fake.Step{Refuse: &fake.Refusal{Status: 400, Message: text}}
}

// A provider that asks for its reasoning back gets it from then on, also for a
// model not known to need it.
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

// If there are too many images, the oldest go, down to four fifths of the limit,
// and the number is not mistaken for a size.
func TestTooManyImages(t *testing.T) {
	s := memory(t)
	picture := message.Image{MIMEType: "image/png", Data: strings.Repeat("iVBORw0KGgo", 100)}
	for range 12 {
		err := s.add(session.MessageDraft(&message.Message{Role: message.RoleUser, Content: []message.Block{message.Text{Text: "And this?"}, picture}}),
			session.MessageDraft(&message.Message{Role: message.RoleAssistant, Provider: "fake", Model: "fake-1", StopReason: message.StopEnd,
				Content: []message.Block{message.Text{Text: "I see."}}}))
		if err != nil {
			t.Fatal(err)
		}
	}
	server := fake.New(refuse("request contains 12 images, exceeding the maximum of 10 allowed per request"), fake.Say("ok"))
	r := newRig(t, server, config{Session: s, Summarizer: extract})
	r.must("What was in them?")
	reqs := server.Requests()
	if len(reqs) != 2 || r.ends() != "" {
		t.Fatalf("%d requests, %s\n%s", len(reqs), r.ends(), r.story())
	}
	if n := strings.Count(string(reqs[1].Body), picture.Data); n != 8 {
		t.Errorf("%d images are left", n)
	}
	if first := strings.Index(string(reqs[1].Body), picture.Data); first < strings.Index(string(reqs[1].Body), "image left out") {
		t.Error("the newest went")
	}
}

// A limit on messages is not a window: the history is compacted once, and nothing
// is learned about tokens.
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

// An answer whose stream breaks is requested again, and its received part is kept
// as failed, in every dialect. After a proxy's page the request is also repeated,
// and the page is quoted if nothing else comes.
func TestTornAnswers(t *testing.T) {
	for _, dialect := range []string{"anthropic", "openai-chat", "openai-responses", "gemini"} {
		server := fake.New(fake.Page("502 Bad Gateway"), fake.Torn("The answer is fo"), fake.Say("The answer is forty-two."))
		r := newRig(t, server, config{Model: quick(server.Bind(dialect))})
		r.must("Which is it?")
		if n := len(server.Requests()); n != 3 {
			t.Errorf("%s: %d requests\n%s", dialect, n, r.story())
		}
		var stored []string
		for _, e := range r.path() {
			if m, err := e.Message(); err == nil && m != nil && m.Role == message.RoleAssistant {
				stored = append(stored, string(m.StopReason)+" "+m.Text(""))
			}
		}
		if got := strings.Join(stored, "\n"); got != "error The answer is fo\nstop The answer is forty-two." {
			t.Errorf("%s: stored %s", dialect, got)
		}
		if said := r.messages(); len(said) != 2 || said[1].Text("") != "The answer is forty-two." {
			t.Errorf("%s: %d messages are shown", dialect, len(said))
		}

		lost := fake.New(fake.Page("Bad Gateway: sorry"))
		err := newRig(t, lost, config{Model: quick(lost.Bind(dialect))}).run("Which is it?")
		if err == nil || !strings.Contains(err.Error(), `"Bad Gateway: sorry"`) || len(lost.Requests()) != 4 {
			t.Errorf("%s: %d requests, %v", dialect, len(lost.Requests()), err)
		}
	}
}
