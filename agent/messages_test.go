package agent_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/agent"
	"github.com/coppice-dev/coppice/internal/kinds"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/internal/testkit/amount"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/provider"
	"github.com/coppice-dev/coppice/provider/fake"
	"github.com/coppice-dev/coppice/session"
)

// A server that takes so many messages refuses one request. From then on the cap
// is kept before sending, by a compaction each time that it is reached, until it
// is forgotten; another model knows nothing of it.
func TestCapOfMessagesIsKept(t *testing.T) {
	for _, tt := range []struct {
		dialect, list string
		most          int
	}{{"anthropic", "messages", 60}, {"openai-chat", "messages", 60}, {"openai-responses", "input", 60}, {"gemini", "contents", 60}, {"openai-chat", "messages", 20}} {
		most, dialect, list := tt.most, tt.dialect, tt.list
		t.Run(fmt.Sprint(dialect, most), func(t *testing.T) {
			refused, largest := 0, 0
			server := fake.New(fake.Step{Answer: func(r fake.Request) fake.Step {
				n := 0
				for range rawjson.Elements(rawjson.Get(r.Body, list)) {
					n++
				}
				largest = max(largest, n)
				if n > most {
					refused++
					return refuse(fmt.Sprintf("Invalid '%s': array too long. Expected an array with maximum length %d, but got an array with length %d instead.", list, most, n))
				}
				return fake.Say("done")
			}})
			s := memory(t)
			history(t, s, 80)
			model, limits := quick(server.Bind(dialect)), &provider.Limits{}
			model.Model.Window = 400_000
			r := newRig(t, server, config{Session: s, Model: model, Summarizer: extract, Learned: limits})
			for i := range amount.Of(35, 70) {
				r.must(fmt.Sprint("And now? ", i))
			}
			if refused != 1 || largest <= most {
				t.Errorf("%d refusals, the largest request had %d messages", refused, largest)
			}
			if got := limits.InForce(model.Model).MaxMessages; got != int64(most) {
				t.Errorf("the cap is %d", got)
			}
			other := model.Model
			if other.ID = "other"; limits.InForce(other).MaxMessages != 0 {
				t.Error("another model has the cap")
			}
			if !limits.Forget(model.Model.Key()) || limits.InForce(model.Model).MaxMessages != 0 {
				t.Error("it was not forgotten")
			}
		})
	}
}

// A request that does not exceed a cap is not made smaller for it: it goes out
// once more as it is, and the view stays.
func TestCapThatIsNotExceeded(t *testing.T) {
	for _, text := range []string{
		"Invalid 'messages': array too long. Expected an array with maximum length 2048, but got an array with length 2301 instead.",
		"Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 131 instead.",
		"Too many messages in request: maximum 500 messages allowed, got 612",
		"request contains 51 images, exceeding the maximum of 50 allowed per request",
	} {
		for _, always := range []bool{false, true} {
			server := fake.New(refuse(text), fake.Say("done"), fake.Say("done"))
			if always {
				server = fake.New(fake.Step{Answer: func(fake.Request) fake.Step { return refuse(text) }})
			}
			s := memory(t)
			history(t, s, 20)
			picture := message.Image{MIMEType: "image/png", Data: strings.Repeat("iVBORw0KGgo", 100)}
			if err := s.add(session.MessageDraft(&message.Message{Role: message.RoleUser, Content: []message.Block{message.Text{Text: "See."}, picture}})); err != nil {
				t.Fatal(err)
			}
			model, limits := quick(server.Bind("openai-chat")), &provider.Limits{}
			r := newRig(t, server, config{Session: s, Model: model, Summarizer: extract, Tools: []agent.Tool{echo(true, nil)}, Learned: limits})
			err := r.run("And now?")
			reqs := server.Requests()
			if (err != nil) != always || len(reqs) != 2 || r.ends() != "" || !bytes.Equal(reqs[0].Body, reqs[1].Body) {
				t.Errorf("%s: %v, %d requests, %s\n%s", text, err, len(reqs), r.ends(), r.story())
			}
			if got := limits.Of(model.Model); len(got) != 1 || got[0].Unit != kinds.UnitItems {
				t.Errorf("%s: learned %+v", text, got)
			}
		}
	}
}
