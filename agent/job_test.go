package agent_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/agent"
	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/internal/testkit/o200k"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/provider/fake"
	"github.com/coppice-dev/coppice/summarize"
)

// longJob is the environment variable for the whole job: 300 rounds, three
// million tokens.
const longJob = "COPPICE_LONG_JOB"

// planted are facts from the first round that must be visible in the last
// request: what the user ordered, and what the first call did.
var planted = []string{
	"Never touch the file internal/legacy/ledger.go.",
	"deploy/blue-harbour.yaml",
}

// jobDialects are the wire formats on which the job runs.
var jobDialects = []string{"anthropic", "openai-chat", "openai-responses", "gemini"}

// jobRounds is how many tool rounds the job has.
func jobRounds() int {
	if n, err := strconv.Atoi(os.Getenv(longJob)); err == nil && n > 0 {
		return n
	}
	return 15
}

// The window and the byte cap of the job, and the least that each round produces,
// in exactly counted tokens.
const (
	jobWindow   = 32_000
	jobMaxBytes = 200_000
	roundTokens = 10_000
)

// A job of many rounds works in a small window: it finishes, no request is
// invalid or over the window, every compaction has one outcome, and what the
// first round said is visible in the last.
func TestLongJob(t *testing.T) {
	for _, dialect := range jobDialects {
		t.Run(dialect, func(t *testing.T) { job(t, dialect, jobRounds()) })
	}
}

func job(t *testing.T, dialect string, rounds int) {
	server := fake.New(script(rounds)...)
	server.Window, server.MaxBytes = jobWindow, jobMaxBytes
	r := newRig(t, server, config{Session: onDisk(t), Model: server.Bind(dialect), System: "You are a careful engineer.",
		Tools: []agent.Tool{scan(), write()}, Summarizer: &summarize.Ladder{Extract: true}})
	r.must("Scan all parts of the log and tell me what broke. " + planted[0])

	r.remembers()
	if n, want := len(server.Requests()), rounds+2; n != want {
		t.Errorf("%d requests, want %d: some were refused or repeated", n, want)
	}
	var told []string
	for _, e := range r.events {
		if l := compactionLine(e); l != "" {
			told = append(told, l)
		}
	}
	if n := len(told); n > 0 && told[n-1] == begun {
		told = told[:n-1] // made in the background for a turn that does not come
	}
	r.finished(rounds, told)
}

// remembers fails the test if a request was refused or is unsound, or the last
// one does not have the facts of the first round.
func (r *rig) remembers() {
	r.t.Helper()
	r.sound()
	requests := r.server.Requests()
	last := requests[len(requests)-1].Text()
	for _, fact := range planted {
		if !strings.Contains(last, fact) {
			r.t.Errorf("the last request does not say %q", fact)
		}
	}
}

// finished fails the test if the log of the job is incomplete: its final answer,
// the output of all rounds, and as many compactions as were reported, each with
// one outcome. told are lines of compactionLine.
func (r *rig) finished(rounds int, told []string) {
	r.t.Helper()
	produced, written := int64(0), 0
	var last *message.Message
	for _, e := range r.path() {
		if e.Compaction() != nil {
			written++
		}
		m := must.Get(e.Message())
		if m == nil {
			continue
		}
		if last = m; m.Role == message.RoleToolResult {
			produced += o200k.Count(m.Text(""))
		}
	}
	if produced < int64(rounds)*roundTokens {
		r.t.Errorf("%d tokens were produced, want %d", produced, rounds*roundTokens)
	}
	open, applied := 0, 0
	for _, l := range told {
		switch l {
		case begun:
			open++
		case string(compaction.Applied):
			open--
			applied++
		default:
			r.t.Errorf("a compaction ended as %s", l)
		}
	}
	if open != 0 || applied != written || written < rounds/3 {
		r.t.Errorf("%d compactions are in the log, %d were told as applied, %d have no outcome", written, applied, open)
	}
	if !last.FinalAnswer() {
		r.t.Error("the job has no final answer")
	}
	r.t.Logf("%d rounds, %d tokens, %d requests in a window of %d, %d compactions", rounds, produced, len(r.server.Requests()), r.server.Window, written)
}

// begun is the compactionLine of a start.
const begun = "begun"

// compactionLine describes an event: that a compaction starts, or how it ended;
// "" for others.
func compactionLine(e agent.Event) string {
	switch e.Type {
	case coppice.EventCompactionStart:
		return begun
	case coppice.EventCompactionEnd:
		return strings.TrimSpace(string(e.Outcome) + " " + string(e.Why) + e.Error)
	}
	return ""
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

// scan gives somewhat more than 10,000 tokens of a log, exactly counted and
// different for each part.
func scan() agent.Tool {
	return agent.Tool{Name: "scan", Description: "reads a part of the log", Parameters: []byte(`{"type":"object","properties":{"part":{"type":"integer"}}}`),
		Run: func(_ context.Context, c agent.Call) (agent.Result, error) {
			return agent.Text(scanLines(string(c.Arguments), 45_000)), nil
		}}
}

var logWords = strings.Fields("request handler accepted worker queue retry customer order payment gateway timeout shipped cache index segment replica node leader follower started stopped")

// seeded is a source of numbers, always the same for a seed.
func seeded(seed string) *rand.Rand {
	h := uint64(14695981039346656037)
	for _, c := range []byte(seed) {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return rand.New(rand.NewPCG(h, 1))
}

// logLines is text like that of a service's log, always the same for a seed.
func logLines(seed string, bytes int) string {
	rnd := seeded(seed)
	var b strings.Builder
	for i := 0; b.Len() < bytes; i++ {
		fmt.Fprintf(&b, "line %d", i)
		for range 8 {
			b.WriteString(" " + logWords[rnd.IntN(len(logWords))])
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// scanLines is like logLines, with numbers: about four bytes are a token.
func scanLines(seed string, bytes int) string {
	rnd := seeded(seed)
	var b strings.Builder
	for i := 0; b.Len() < bytes; i++ {
		fmt.Fprintf(&b, "line %d", i)
		for range 2 {
			fmt.Fprintf(&b, " %s %s %s %d", logWords[rnd.IntN(len(logWords))], logWords[rnd.IntN(len(logWords))], logWords[rnd.IntN(len(logWords))], rnd.IntN(10_000))
		}
		b.WriteByte('\n')
	}
	return b.String()
}
