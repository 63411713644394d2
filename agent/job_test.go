package agent_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/agent"
	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/provider/fake"
	"github.com/coppice-dev/coppice/summarize"
)

// longJob is the environment variable for the whole job: 300 rounds, three
// million tokens.
const longJob = "COPPICE_LONG_JOB"

// planted are facts of the first round that have to be visible in the last
// request: what the user ordered, and what the first call did.
var planted = []string{
	"Never touch the file internal/legacy/ledger.go.",
	"deploy/blue-harbour.yaml",
}

// A job of many rounds lives in a small window: it finishes, no request is
// invalid or over the window, every compaction has one outcome, and what the
// first round said is visible in the last.
func TestLongJob(t *testing.T) {
	rounds := 30
	if n, err := strconv.Atoi(os.Getenv(longJob)); err == nil && n > 0 {
		rounds = n
	}
	for _, dialect := range []string{"anthropic", "openai-chat", "openai-responses", "gemini"} {
		t.Run(dialect, func(t *testing.T) { job(t, dialect, rounds) })
	}
}

func job(t *testing.T, dialect string, rounds int) {
	server := fake.New(script(rounds)...)
	server.Window = 32_000
	r := newRig(t, server, agent.Config{Session: onDisk(t), Model: server.Bind(dialect), System: "You are a careful engineer.",
		Tools: []agent.Tool{scan(), write()}, Summarizer: &summarize.Ladder{Extract: true}})
	r.must("Scan all parts of the log and tell me what broke. " + planted[0])

	r.sound()
	requests := server.Requests()
	if want := rounds + 2; len(requests) != want {
		t.Errorf("%d requests, want %d: some were refused or repeated", len(requests), want)
	}
	last := requests[len(requests)-1].Text()
	for _, fact := range planted {
		if !strings.Contains(last, fact) {
			t.Errorf("the last request does not say %q", fact)
		}
	}
	starts, ends := r.of(agent.EventCompactionStart), r.of(agent.EventCompactionEnd)
	if len(starts) != len(ends) || len(ends) < rounds/3 {
		t.Errorf("%d compactions began and %d ended", len(starts), len(ends))
	}
	written := 0
	for _, e := range r.path() {
		if e.Compaction() != nil {
			written++
		}
	}
	for _, e := range ends {
		if e.Outcome == compaction.Applied {
			written--
			continue
		}
		t.Errorf("a compaction ended as %s %s: %s", e.Outcome, e.Why, e.Error)
	}
	if written != 0 {
		t.Errorf("the log has %d compactions more than were told", written)
	}
	if final := r.messages(); !final[len(final)-1].FinalAnswer() {
		t.Error("the job has no final answer")
	}
}

// script is what the model does: one file, then all scans, then the answer.
func script(rounds int) []fake.Step {
	steps := []fake.Step{fake.Call("w0", "write", `{"path":"deploy/blue-harbour.yaml","content":"replicas: 3"}`)}
	for i := range rounds {
		steps = append(steps, fake.Call(fmt.Sprintf("s%d", i), "scan", fmt.Sprintf(`{"part":%d}`, i)))
	}
	return append(steps, fake.Say("All parts are scanned; part 7 broke."))
}

func write() agent.Tool {
	return agent.Tool{Name: "write", Description: "writes a file", Parameters: []byte(`{"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"}}}`),
		Run: func(context.Context, agent.Call) (agent.Result, error) { return agent.Text("written"), nil }}
}

// scan gives about 10,000 tokens of log lines, other ones for each part.
func scan() agent.Tool {
	return agent.Tool{Name: "scan", Description: "reads a part of the log", Parameters: []byte(`{"type":"object","properties":{"part":{"type":"integer"}}}`),
		Run: func(_ context.Context, c agent.Call) (agent.Result, error) {
			return agent.Text(logLines(string(c.Arguments), 40_000)), nil
		}}
}

// logLines is text like that of a service's log, always the same for a seed.
func logLines(seed string, bytes int) string {
	words := strings.Fields("request handler accepted worker queue retry customer order payment gateway timeout shipped cache index segment replica node leader follower started stopped")
	h := uint64(14695981039346656037)
	for _, c := range []byte(seed) {
		h = (h ^ uint64(c)) * 1099511628211
	}
	rnd := rand.New(rand.NewPCG(h, 1))
	var b strings.Builder
	for i := 0; b.Len() < bytes; i++ {
		fmt.Fprintf(&b, "line %d", i)
		for range 8 {
			b.WriteString(" " + words[rnd.IntN(len(words))])
		}
		b.WriteByte('\n')
	}
	return b.String()
}
