package agent_test

import (
	"fmt"
	"testing"

	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/provider"
	"github.com/coppice-dev/coppice/provider/fake"
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
			for i := range 70 {
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
