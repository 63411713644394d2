package gate

import (
	"context"
	"testing"

	"github.com/coppice-dev/coppice/internal/testkit/history"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/internal/testkit/oracle"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/memstore"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/wire/dialects"
	"pgregory.net/rapid"
)

// models get the requests: for each dialect a plain one and those with rules of
// their own. They have also said parts of the histories (strange.Models).
var models = map[string][]message.Model{
	"anthropic": {{}, {ID: "claude-opus-5", Provider: "anthropic", Reasoning: true, Images: true}},
	"openai-chat": {{}, {ID: "deepseek-v4-pro", Provider: "deepseek", Reasoning: true}, {ID: "anthropic/claude-sonnet-4.5", Provider: "openrouter", Reasoning: true},
		{ID: "gemini-3-pro", Provider: "copilot", Reasoning: true, UnboundThinking: true}, {ID: "mistral-medium-3.5", Provider: "mistral", Reasoning: true, UnboundThinking: true},
		{ID: "glm-5.2", Provider: "zai", Reasoning: true}},
	"openai-responses": {{}, {ID: "gpt-5.1", Provider: "openai", Reasoning: true, Images: true}},
	"gemini":           {{}, {ID: "gemini-3-pro", Provider: "gemini", Reasoning: true, Images: true}},
}

// Invariant I14, checked by our own rules and by a second, independent set.
// -rapid.checks sets how many histories are drawn; a failure prints the seed that
// draws it again.
func TestNothingInvalidIsSent(t *testing.T) {
	ctx := context.Background()
	rapid.Check(t, func(t *rapid.T) {
		log, err := memstore.New(nil).Create(ctx, session.Header{Cwd: "/p"})
		if err != nil {
			t.Fatal(err)
		}
		s := session.New(log, session.Options{})
		d := history.New(t, s)
		d.Huge, d.Strange = 200, true // length decides nothing here, and a million histories are drawn
		for range rapid.IntRange(1, 3).Draw(t, "stages") {
			d.Turns(rapid.IntRange(1, 5).Draw(t, "turns"))
			d.Marks(rapid.IntRange(0, 4).Draw(t, "marks"))
		}
		target := rapid.SampledFrom([]int64{0, 400}).Draw(t, "target")
		opts := message.CallOptions{Thinking: rapid.SampledFrom([]string{"", "off", "low", "high"}).Draw(t, "thinking")}
		for _, dialect := range dialects.All() {
			for _, m := range models[dialect.Name()] {
				v, err := timeline.Project(ctx, s, nil, timeline.Policy{Model: m, Target: target})
				if err != nil {
					t.Fatal(err)
				}
				req := must.Get(v.Request(true))
				if len(req.Messages) == 0 {
					continue // nothing was said, or everything is hidden: there is no request
				}
				body, err := dialect.Render(req, m, opts)
				if err != nil {
					t.Fatal(err)
				}
				for _, p := range dialect.Validate(body, m, false) {
					t.Errorf("%s, %q: %s at %s: %s", dialect.Name(), m.ID, p.Kind, p.Where, p.Detail)
				}
				for _, p := range oracle.Check(dialect.Name(), body) {
					t.Errorf("%s, %q: %s", dialect.Name(), m.ID, p)
				}
				if t.Failed() {
					t.Fatalf("%s", body)
				}
			}
		}
	})
}
