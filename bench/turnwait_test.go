package bench

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/agent"
	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/summarize"
	"github.com/coppice-dev/coppice/timeline"
)

// What a user waits for in a conversation that outgrows its window: the model
// answers at once, a summary takes half a minute, and near the threshold, where
// it matters, the user types for a while before each turn.
const (
	summaryTime = 30 * time.Second
	typingTime  = 15 * time.Second
	typingFrom  = 0.8 // of the threshold
	talkTurns   = 60  // three compactions
)

// slow makes its summaries by extraction, but takes as long as a model.
type slow struct{ takes time.Duration }

func (s slow) Summarize(ctx context.Context, in summarize.Input) (summarize.Result, error) {
	select {
	case <-time.After(s.takes):
	case <-ctx.Done():
		return summarize.Result{}, context.Cause(ctx)
	}
	return (&summarize.Ladder{Extract: true}).Summarize(ctx, in)
}

// prompt is a model that answers at once.
type prompt struct{}

func (prompt) Facts() message.Model {
	return message.Model{Provider: "local", ID: "prompt", Window: 32_000, MaxOutput: 4_000}
}

func (p prompt) Complete(context.Context, timeline.Request, message.CallOptions) (*message.Message, error) {
	return &message.Message{Role: message.RoleAssistant, Provider: "local", Model: "prompt", StopReason: message.StopEnd,
		Content: []message.Block{message.Text{Text: "Noted. " + strings.Repeat("That part is done as you said. ", 20)}}}, nil
}

func (p prompt) Stream(ctx context.Context, req timeline.Request, opts message.CallOptions) iter.Seq2[message.Event, error] {
	return func(yield func(message.Event, error) bool) {
		m, err := p.Complete(ctx, req, opts)
		yield(message.Event{Message: m}, err)
	}
}

// waits runs the conversation, and returns how long each turn took and how many
// compactions there were.
func waits(tb testing.TB, background bool, scale float64) (turns []time.Duration, compactions int) {
	ctx := context.Background()
	takes := func(d time.Duration) time.Duration { return time.Duration(float64(d) * scale) }
	s, err := coppice.InMemory(ctx, coppice.Options{Model: prompt{}, Compaction: compaction.Settings{Background: &background},
		Summarizer: slow{takes(summaryTime)}})
	if err != nil {
		tb.Fatal(err)
	}
	defer s.Close()
	a, err := agent.New(agent.Config{Session: s})
	if err != nil {
		tb.Fatal(err)
	}
	defer a.Close()
	var meter agent.Context
	for n := range talkTurns {
		if float64(meter.Used) > typingFrom*float64(meter.Threshold) {
			time.Sleep(takes(typingTime))
		}
		start := time.Now()
		for ev, err := range a.Run(ctx, fmt.Sprintf("Part %d of the plan. ", n)+strings.Repeat("The service keeps what it was told. ", 90)) {
			if err != nil {
				tb.Fatal(err)
			}
			if ev.Type == coppice.EventCompactionEnd && ev.Outcome == compaction.Applied {
				compactions++
			}
			if ev.Context != nil {
				meter = *ev.Context
			}
		}
		turns = append(turns, time.Since(start))
	}
	return turns, compactions
}

func longest(turns []time.Duration) time.Duration {
	var most time.Duration
	for _, d := range turns {
		most = max(most, d)
	}
	return most
}

// With a summary prepared in the background the user does not wait for it;
// otherwise the user waits for all of it. The test has its own clock.
func TestTurnWait(t *testing.T) {
	for background, want := range map[bool]time.Duration{true: 0, false: summaryTime} {
		synctest.Test(t, func(t *testing.T) {
			turns, compactions := waits(t, background, 1)
			if got := longest(turns); got != want || compactions < 2 {
				t.Errorf("background %v: %d compactions, the longest turn took %s; want %s", background, compactions, got, want)
			}
		})
	}
}

// BenchmarkTurnWait prints how long the longest turn took in real time:
//
//	go test ./bench -bench TurnWait -benchtime 1x -run '^$' -timeout 60m
//
// In -short mode everything is a hundred times faster.
func BenchmarkTurnWait(b *testing.B) {
	scale := 1.0
	if testing.Short() {
		scale = 0.01
	}
	for name, background := range map[string]bool{"background": true, "foreground": false} {
		b.Run(name, func(b *testing.B) {
			for range b.N {
				turns, compactions := waits(b, background, scale)
				b.ReportMetric(float64(longest(turns).Milliseconds()), "ms-longest-turn")
				b.ReportMetric(float64(compactions), "compactions")
			}
		})
	}
}
