package cli

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/agent"
	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/provider/fake"
	"github.com/coppice-dev/coppice/summarize"
)

// The demonstration: a job whose output is many times its window.
const (
	demoWindow = 16_000 // tokens
	demoRounds = 16
	demoBytes  = 24_000 // of output a round, about 6,000 tokens
	demoPrompt = "Scan all parts of the service log and tell me what broke. Never restart the service yourself."
)

// demo is a scripted model on this machine and the tools of its job.
type demo struct{ server *fake.Server }

func newDemo() *demo {
	steps := []fake.Step{fake.Call("note", "note", `{"path":"findings.md","text":"started"}`)}
	for i := 1; i <= demoRounds; i++ {
		steps = append(steps, fake.Call(fmt.Sprintf("scan-%d", i), "scan", fmt.Sprintf(`{"part":%d}`, i)))
	}
	steps = append(steps, fake.Step{Answer: finish})
	d := &demo{fake.New(steps...)}
	d.server.Window = demoWindow
	return d
}

// finish is the last answer. It says how much of the first request the last
// one still shows.
func finish(r fake.Request) fake.Step {
	kept := "and your first words are gone"
	if strings.Contains(r.Text(), "Never restart the service yourself.") {
		kept = "and I still see your first words, so I restarted nothing"
	}
	return fake.Say(fmt.Sprintf("I have read all %d parts, about %s tokens, in a window of %s, %s.",
		demoRounds, thousands(demoRounds*demoBytes/4), thousands(demoWindow), kept))
}

func (d *demo) close() { d.server.Close() }

// config configures the demo's agent. The user's settings have no effect on
// it.
func (d *demo) config(o *coppice.Options) agent.Config {
	*o = coppice.Options{Model: d.server.Bind("anthropic"), Summarizer: &summarize.Ladder{Extract: true},
		Compaction: compaction.Settings{Background: new(false)}, Mask: o.Mask, Hooks: o.Hooks, Now: o.Now}
	return agent.Config{System: "You read logs.",
		Tools: []agent.Tool{
			{Name: "note", Description: "keeps a note", Parameters: []byte(`{"type":"object","properties":{"path":{"type":"string"},"text":{"type":"string"}}}`),
				Run: func(context.Context, agent.Call) (agent.Result, error) { return agent.Text("kept"), nil }},
			{Name: "scan", Description: "reads a part of the log", Parameters: []byte(`{"type":"object","properties":{"part":{"type":"integer"}}}`),
				Run: func(_ context.Context, c agent.Call) (agent.Result, error) {
					return agent.Text(demoLog(uint64(len(c.ID))*31 + uint64(c.ID[len(c.ID)-1]))), nil
				}},
		}}
}

// demoLog is a part of an invented log, the same for each seed.
func demoLog(seed uint64) string {
	words := strings.Fields("request handler accepted worker queue retry customer order payment gateway shipped cache index segment replica node leader follower started stopped")
	rnd := rand.New(rand.NewPCG(seed, 1))
	var b strings.Builder
	for i := 1; b.Len() < demoBytes; i++ {
		fmt.Fprintf(&b, "line %d", i)
		for range 8 {
			b.WriteString(" " + words[rnd.IntN(len(words))])
		}
		b.WriteByte('\n')
	}
	return b.String()
}
