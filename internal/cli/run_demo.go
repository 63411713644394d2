package cli

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/coppice-dev/coppice/agent"
	"github.com/coppice-dev/coppice/provider/fake"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/memstore"
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

// finish is the last answer. It says what the last request still shows of the
// first one.
func finish(r fake.Request) fake.Step {
	kept := "and your first words are gone"
	if strings.Contains(r.Text(), "Never restart the service yourself.") {
		kept = "and I still see your first words, so I restarted nothing"
	}
	return fake.Say(fmt.Sprintf("I have read all %d parts, about %s tokens, in a window of %s, %s.",
		demoRounds, thousands(demoRounds*demoBytes/4), thousands(demoWindow), kept))
}

func (d *demo) close() { d.server.Close() }

func (d *demo) config() agent.Config {
	return agent.Config{Model: d.server.Bind("anthropic"), System: "You read logs.", Summarizer: &summarize.Ladder{Extract: true}, Settings: agent.Settings{Background: new(false)},
		Tools: []agent.Tool{
			{Name: "note", Description: "keeps a note", Parameters: []byte(`{"type":"object","properties":{"path":{"type":"string"},"text":{"type":"string"}}}`),
				Run: func(context.Context, agent.Call) (agent.Result, error) { return agent.Text("kept"), nil }},
			{Name: "scan", Description: "reads a part of the log", Parameters: []byte(`{"type":"object","properties":{"part":{"type":"integer"}}}`),
				Run: func(_ context.Context, c agent.Call) (agent.Result, error) {
					return agent.Text(demoLog(uint64(len(c.ID))*31 + uint64(c.ID[len(c.ID)-1]))), nil
				}},
		}}
}

// demoLog is a part of a log that nobody wrote, the same for a seed.
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

// inMemory is a session that is not kept.
func inMemory(ctx context.Context, now func() time.Time) (*session.Session, error) {
	log, err := memstore.New(nil).Create(ctx, session.Header{})
	if err != nil {
		return nil, explain("new session", err)
	}
	return session.New(log, session.Options{Now: now}), nil
}
