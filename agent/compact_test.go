package agent_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/agent"
	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/internal/kinds"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/internal/testkit/o200k"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/provider"
	"github.com/coppice-dev/coppice/provider/fake"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/summarize"
)

var extract = &summarize.Ladder{Extract: true}

// history fills a session with turns of about 1,000 tokens each.
func history(t *testing.T, s seed, turns int) {
	t.Helper()
	for _, m := range talk(turns) {
		if err := s.add(session.MessageDraft(m)); err != nil {
			t.Fatal(err)
		}
	}
}

// talk is turns of about 1,000 tokens each.
func talk(turns int) []*message.Message {
	var out []*message.Message
	for i := range turns {
		out = append(out, message.User(fmt.Sprintf("Question %d", i)), &message.Message{Role: message.RoleAssistant, Provider: "fake", Model: "fake-1",
			StopReason: message.StopEnd, Content: []message.Block{message.Text{Text: scanLines(fmt.Sprint(i), 4000)}}})
	}
	return out
}

// hears adds more turns to the session.
func (r *rig) hears(turns int) {
	r.t.Helper()
	if _, err := r.session.Say(context.Background(), talk(turns)...); err != nil {
		r.t.Fatal(err)
	}
}

// ends are the outcomes of all compactions, a word each.
func (r *rig) ends() string {
	var out []string
	for _, e := range r.of(coppice.EventCompactionEnd) {
		s := string(e.Reason) + " " + string(e.Outcome)
		if e.Why != "" {
			s += " " + string(e.Why)
		}
		out = append(out, s)
	}
	return strings.Join(out, ", ")
}

func TestCompactionBeforeSending(t *testing.T) {
	server := fake.New(fake.Say("ok"))
	server.Window = 16_000
	s := memory(t)
	history(t, s, 20) // about 20,000 tokens: over the window already
	r := newRig(t, server, config{Session: s, Summarizer: extract})
	r.must("And now?")
	if got := r.ends(); got != "threshold applied" {
		t.Errorf("%s\n%s", got, r.story())
	}
	r.sound()
}

// The provider's refusal is believed: one compaction, one more request.
func TestOverflowIsRecoveredFromOnce(t *testing.T) {
	tests := []struct {
		name     string
		script   []fake.Step
		requests int
		ends     string
		err      string
	}{
		{"then it fits", []fake.Step{fake.Overflow(), fake.Say("ok")}, 2, "overflow applied", ""},
		{"always refused", []fake.Step{fake.Overflow()}, 2, "overflow applied", "Context overflow recovery failed: "},
		{"an error in the stream", []fake.Step{fake.StreamError("so", "prompt is too long: 210000 tokens > 200000 maximum"), fake.Say("ok")}, 2, "overflow applied", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := memory(t)
			history(t, s, 20)
			server := fake.New(tt.script...)
			r := newRig(t, server, config{Session: s, Summarizer: extract})
			err := r.run("And now?")
			if tt.err == "" && err != nil || tt.err != "" && (err == nil || !strings.HasPrefix(err.Error(), tt.err)) {
				t.Errorf("ended with %v", err)
			}
			if tt.err != "" {
				if f, ok := message.AsFault(err); !ok || f.Class != message.ClassOverflow {
					t.Errorf("the fault is lost: %v", err)
				}
			}
			reqs := server.Requests()
			if len(reqs) != tt.requests || r.ends() != tt.ends {
				t.Fatalf("%d requests, %s\n%s", len(reqs), r.ends(), r.story())
			}
			if reqs[1].Tokens >= reqs[0].Tokens {
				t.Errorf("the second request is not smaller: %d, %d", reqs[0].Tokens, reqs[1].Tokens)
			}
			r.sound()
		})
	}
}

// A refusal that names no number says that this request was too large: less is
// kept than the usual recent part.
func TestOverflowWithoutNumbers(t *testing.T) {
	for _, text := range []string{
		"the request exceeds the available context size, try increasing it",
		"Your input exceeds the context window of this model. Please adjust your input and try again.",
		"Input is too long for requested model.",
		"context window exceeds limit",
	} {
		s := memory(t)
		history(t, s, 11)
		const window = 10_000
		step := fake.Step{Answer: func(q fake.Request) fake.Step {
			if q.Tokens > window {
				return refuse(text)
			}
			return fake.Say("ok")
		}}
		r := newRig(t, fake.New(step), config{Session: s, Summarizer: extract})
		r.must("And now?")
		if got := r.ends(); got != "overflow applied" {
			t.Errorf("%s: %s\n%s", text, got, r.story())
		}
		r.sound()
	}
}

// A number that is far below what the server has answered is not its window: it
// neither shrinks the view nor is learned.
func TestOverflowWithANumberOfSomethingElse(t *testing.T) {
	s := memory(t)
	history(t, s, 20)
	learned := &provider.Limits{}
	server := fake.New(fake.Say("ok"), refuse("The segment has 1300 tokens, which exceeds the limit of 1200 tokens"), fake.Say("ok"))
	r := newRig(t, server, config{Session: s, Summarizer: extract, Learned: learned})
	r.must("First")
	r.must("And now?")
	if got := r.ends(); got != "overflow applied" {
		t.Errorf("%s\n%s", got, r.story())
	}
	requests := server.Requests()
	if last := requests[len(requests)-1].Tokens; last < 6000 {
		t.Errorf("%d tokens are left of %d", last, requests[0].Tokens)
	}
	if m := server.Bind("anthropic").Model; len(learned.Of(m)) != 0 {
		t.Errorf("learned %+v", learned.Of(m))
	}
	r.sound()
}

func TestSwitchedOff(t *testing.T) {
	for _, how := range []string{"setting", "session"} {
		s := memory(t)
		history(t, s, 40)
		server := fake.New(fake.Overflow())
		settings := compaction.Settings{}
		settings.Enabled = new(how != "setting")
		r := newRig(t, server, config{Session: s, Summarizer: extract, Compaction: settings})
		if how == "session" {
			r.session.SetAutoCompaction(false)
		}
		err := r.run("And now?")
		if !errors.Is(err, coppice.ErrPaused) || r.ends() != "" {
			t.Errorf("%s: %v, %s", how, err, r.ends())
		}
		// The pause survives a restart, and the user's own compaction works.
		r = newRig(t, server, config{Session: s, Summarizer: extract, Compaction: settings})
		if err := r.run("Again"); err == nil || r.ends() != "" {
			t.Errorf("%s after a restart: %v, %s", how, err, r.ends())
		}
		for ev, err := range r.agent.Compact(context.Background(), "") {
			if r.events = append(r.events, ev); err != nil {
				t.Fatal(err)
			}
		}
		if r.ends() != "manual applied" {
			t.Errorf("%s: %s", how, r.ends())
		}
	}
}

// failing is a summarizer that never succeeds.
type failing struct{ asked int }

func (f *failing) Summarize(context.Context, summarize.Input) (summarize.Result, error) {
	f.asked++
	return summarize.Result{}, errTest
}

// After three failures in a row nothing is tried until the user acts, across
// restarts too. The count is in the log with a message, never alone.
func TestThreeFailuresStop(t *testing.T) {
	s := memory(t)
	history(t, s, 12)
	server := fake.New(fake.Say("ok"))
	broken := &failing{}
	settings := compaction.Settings{}
	settings.ThresholdTokens = 8_000
	cfg := config{Session: s, Summarizer: broken, Compaction: settings}
	for i := range 3 {
		r := newRig(t, server, cfg) // each time in a new process
		r.must(fmt.Sprintf("Turn %d", i))
	}
	if broken.asked < 3 {
		t.Fatalf("asked %d times", broken.asked)
	}
	before := broken.asked
	r := newRig(t, server, cfg)
	r.must("One more")
	if broken.asked != before {
		t.Errorf("asked again after %d failures", before)
	}
	path := r.path()
	for i, e := range path {
		if c := e.Custom(); c != nil && c.CustomType == kinds.CustomState {
			if i+1 == len(path) || must.Get(path[i+1].Message()) == nil {
				t.Error("the state is all there is")
			}
		}
	}
	r.session.SetAutoCompaction(true)
	r.must("Try again")
	if broken.asked == before {
		t.Error("not tried after the user switched it on again")
	}
}

// A limit of a rate that a compaction does not help against does not stop
// compactions; a limit of the window does.
func TestRateLimitsDoNotPause(t *testing.T) {
	for text, paused := range map[string]bool{
		"Request too large for model `m` on tokens per minute (TPM): Limit 1000, Requested 1500, please reduce your message size and try again. Need more tokens? Upgrade here.":       false,
		"Request too large for gpt-4o in organization o on tokens per min (TPM): Limit 1000, Requested 1538. The input or output tokens must be reduced in order to run successfully.": false,
		"prompt is too long: 1500 tokens > 1000 maximum": true,
	} {
		status := 400
		if !paused {
			status = 429
		}
		server := fake.New(fake.Step{Refuse: &fake.Refusal{Status: status, Message: text}})
		r := newRig(t, server, config{Summarizer: extract})
		var last error
		for i := range 4 {
			last = r.run(fmt.Sprint("Turn ", i))
		}
		if !errors.Is(last, coppice.ErrPaused) == paused || !paused && !errors.Is(last, coppice.ErrNotRescued) {
			t.Errorf("%s: %v", text, last)
		}
	}
}

// What no compaction can reduce is named with its size; nothing is sent and
// the input is not lost.
func TestFloor(t *testing.T) {
	server := fake.New()
	server.Window = 8_000
	r := newRig(t, server, config{Summarizer: extract, System: scanLines("prompt", 40_000)})
	err := r.run("Hello")
	if !errors.Is(err, coppice.ErrDoesNotFit) || !strings.Contains(err.Error(), "fixed part") {
		t.Errorf("ended with %v", err)
	}
	if n := len(server.Requests()); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
	if q := r.agent.Queued(); len(q) != 1 || q[0].Text != "Hello" {
		t.Errorf("the input is lost: %v", q)
	}
}

func TestSwitchToASmallerModel(t *testing.T) {
	large, small := fake.New(fake.Say("large")), fake.New(fake.Say("small"))
	t.Cleanup(small.Close)
	small.Window, small.Count = 16_000, o200k.Count
	s := memory(t)
	history(t, s, 20)
	r := newRig(t, large, config{Session: s, Summarizer: extract})
	r.must("One")
	m := small.Bind("openai-chat")
	m.Model.ID = "small-1"
	r.session.SetModel(m)
	r.must("Two")
	if r.ends() != "model_switch applied" || len(r.of(coppice.EventModelChange)) != 1 {
		t.Errorf("%s\n%s", r.ends(), r.story())
	}
	r.server = small
	r.sound()
}

// Room is made after a turn, so that the next input does not wait; after a final
// answer nothing continues on its own.
func TestCompactionAfterATurn(t *testing.T) {
	s := memory(t)
	history(t, s, 9)
	server := fake.New(fake.Say(scanLines("answer", 24_000)), fake.Say("unasked"))
	settings := compaction.Settings{}
	settings.ThresholdTokens = 10_500
	r := newRig(t, server, config{Session: s, Summarizer: extract, Compaction: settings})
	r.must("Tell me all")
	story := r.story()
	if r.ends() != "threshold applied" || strings.Index(story, "turn_end") > strings.Index(story, "compaction_start") {
		t.Errorf("%s\n%s", r.ends(), story)
	}
	if n := len(server.Requests()); n != 1 {
		t.Errorf("%d requests", n)
	}
}

// gated is a summarizer that waits until the test releases it.
type gated struct {
	asked, let chan struct{}
	inner      compaction.Summarizer
}

func (g *gated) Summarize(ctx context.Context, in summarize.Input) (summarize.Result, error) {
	select {
	case g.asked <- struct{}{}:
	case <-ctx.Done():
		return summarize.Result{}, ctx.Err()
	}
	select {
	case <-g.let:
		return g.inner.Summarize(ctx, in)
	case <-ctx.Done():
		return summarize.Result{}, ctx.Err()
	}
}

// Near the threshold a summary is prepared while the turns go on; at the
// threshold it is committed without another summary.
func TestBackground(t *testing.T) {
	for name, s := range map[string]seed{"memory": memory(t), "disk": onDisk(t)} {
		t.Run(name, func(t *testing.T) {
			history(t, s, 10)
			server := fake.New(fake.Say("fine"))
			settings := compaction.Settings{}
			settings.ThresholdTokens, settings.KeepRecentTokens = 10_500, new(int64(2000))
			g := &gated{asked: make(chan struct{}), let: make(chan struct{}), inner: extract}
			r := newRig(t, server, config{Session: s, Summarizer: g, Compaction: settings})
			r.must("One") // over 9,450, under 10,500
			<-g.asked
			r.must("Two") // is not held up by the summary
			if len(r.of(coppice.EventCompactionStart)) != 1 || r.ends() != "" {
				t.Fatalf("not prepared in the background\n%s", r.story())
			}
			close(g.let)
			r.hears(5) // some thousand tokens more: now it is over
			r.must("Three")
			if r.ends() != "background applied" {
				t.Errorf("%s\n%s", r.ends(), r.story())
			}
			r.sound()
		})
	}
}

// Another reduction stops what runs in the background; it ends as superseded.
func TestBackgroundIsSuperseded(t *testing.T) {
	s := memory(t)
	history(t, s, 10)
	server := fake.New(fake.Say("fine"), fake.Overflow(), fake.Say("fine"))
	settings := compaction.Settings{}
	settings.ThresholdTokens, settings.KeepRecentTokens = 10_500, new(int64(2000))
	g := &gated{asked: make(chan struct{}), let: make(chan struct{}), inner: extract}
	r := newRig(t, server, config{Session: s, Summarizer: g, Compaction: settings})
	r.must("One")
	<-g.asked // the one in the background, which is never released
	done := make(chan struct{})
	go func() { // lets the rescue through
		defer close(done)
		<-g.asked
		g.let <- struct{}{}
	}()
	r.must("Two")
	<-done
	if r.ends() != "background cancelled superseded, overflow applied" {
		t.Errorf("%s\n%s", r.ends(), r.story())
	}
}

// The agent waits for a rate limit that passes; one that the request can never
// meet is an overflow, whatever the status says.
func TestTwoFacesOfARateLimit(t *testing.T) {
	for words, want := range map[string]string{
		"Rate limit reached for model `m` on tokens per minute (TPM): Limit 60000, Used 50340, Requested 14430. Please try again in 5ms.":                                          "",
		"Request too large for model `m` on tokens per minute (TPM): Limit 18000, Requested 21500, please reduce your message size and try again. Need more tokens? Upgrade here.": "overflow applied",
	} {
		s := memory(t)
		history(t, s, 20)
		server := fake.New(fake.Step{Refuse: &fake.Refusal{Status: 429, Message: words}}, fake.Say("ok"))
		r := newRig(t, server, config{Session: s, Summarizer: extract})
		r.must("And now?")
		if len(server.Requests()) != 2 || r.ends() != want {
			t.Errorf("%s: %d requests, %s\n%s", words, len(server.Requests()), r.ends(), r.story())
		}
		r.sound()
	}
}

// A count from before a compaction, or of another model, says nothing about the
// next request.
func TestStaleUsage(t *testing.T) {
	s := memory(t)
	history(t, s, 2)
	for _, model := range []string{"another", "fake-1"} {
		err := s.add(session.MessageDraft(&message.Message{Role: message.RoleAssistant, Provider: "fake", Model: model,
			StopReason: message.StopEnd, Content: []message.Block{message.Text{Text: "So far."}}, Usage: &message.Usage{Input: 190_000, Output: 10}}))
		if err != nil {
			t.Fatal(err)
		}
		if model == "another" {
			continue
		}
		leaf, err := s.Leaf(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if err := s.add(session.CompactionDraft(&session.Compaction{Summary: "What was said.", FirstKeptEntryID: leaf.ID, TokensBefore: 190_010})); err != nil {
			t.Fatal(err)
		}
	}
	server := fake.New(fake.Say("ok"))
	server.Window = 200_000
	r := newRig(t, server, config{Session: s, Summarizer: extract})
	r.must("And now?")
	if r.ends() != "" || len(server.Requests()) != 1 {
		t.Errorf("%s, %d requests\n%s", r.ends(), len(server.Requests()), r.story())
	}
}

// A body that is too large for the provider loses its old pictures, not its
// words, and is sent once more.
func TestByteLimit(t *testing.T) {
	s := memory(t)
	picture := message.Image{MIMEType: "image/png", Data: strings.Repeat("iVBORw0KGgo", 30_000)}
	for _, content := range [][]message.Block{{message.Text{Text: "Look at this."}, picture}, {message.Text{Text: "And at this."}, picture}} {
		err := s.add(session.MessageDraft(&message.Message{Role: message.RoleUser, Content: content}),
			session.MessageDraft(&message.Message{Role: message.RoleAssistant, Provider: "fake", Model: "fake-1", StopReason: message.StopEnd,
				Content: []message.Block{message.Text{Text: "I see."}}}))
		if err != nil {
			t.Fatal(err)
		}
	}
	server := fake.New(fake.Say("ok"))
	server.MaxBytes = 500_000
	model := quick(server.Bind("anthropic"))
	model.Model.MaxBytes = 0 // the limit is not known yet
	r := newRig(t, server, config{Session: s, Model: model, Summarizer: extract})
	r.must("What was in them?")
	reqs := server.Requests()
	if len(reqs) != 2 || len(reqs[0].Body) <= 500_000 || len(reqs[1].Body) > 500_000 || r.ends() != "" {
		t.Fatalf("%d requests, %s\n%s", len(reqs), r.ends(), r.story())
	}
	for _, words := range []string{"Look at this.", "And at this.", "What was in them?"} {
		if !strings.Contains(reqs[1].Text(), words) {
			t.Errorf("the second request lacks %q", words)
		}
	}
}

// A provider that refuses everything pauses automatic compaction after three
// prompts, each from its own process.
func TestPauseAcrossProcesses(t *testing.T) {
	for _, dialect := range []string{"anthropic", "openai-responses"} {
		s := memory(t)
		for n := range 5 {
			server := fake.New(fake.Overflow())
			r := newRig(t, server, config{Session: s, Summarizer: extract, Model: quick(server.Bind(dialect))})
			err := r.run(fmt.Sprintf("hello %d", n))
			if errors.Is(err, coppice.ErrPaused) != (n >= 3) {
				t.Errorf("%s, prompt %d: %v", dialect, n, err)
			}
		}
	}
}

// Input that fits no window does not block the input after it.
func TestInputTooLarge(t *testing.T) {
	server := fake.New(fake.Say("fine"))
	server.Window = 16_000
	r := newRig(t, server, config{Summarizer: extract})
	var refused *agent.InputError
	large := strings.Repeat("word ", 20_000)
	if err := r.run(large); !errors.As(err, &refused) || !errors.Is(err, coppice.ErrDoesNotFit) || refused.Input.Text != large || refused.Tokens != 24_533 {
		t.Fatalf("%v", err)
	}
	if left := r.agent.Queued(); len(left) > 0 || len(server.Requests()) > 0 {
		t.Errorf("%d inputs wait, %d requests", len(left), len(server.Requests()))
	}
	r.must("Small.")
	r.sound()
}

// A summary still in preparation when the work is over ends too, and is reported
// once.
func TestFinish(t *testing.T) {
	s := memory(t)
	history(t, s, 10)
	server := fake.New(fake.Say("fine"))
	settings := compaction.Settings{}
	settings.ThresholdTokens, settings.KeepRecentTokens = 10_500, new(int64(2000))
	g := &gated{asked: make(chan struct{}), let: make(chan struct{}), inner: extract}
	r := newRig(t, server, config{Session: s, Summarizer: g, Compaction: settings})
	r.must("One")
	<-g.asked
	r.events = append(r.events, r.agent.Finish()...)
	if r.ends() != "background cancelled interrupted" {
		t.Errorf("%s\n%s", r.ends(), r.story())
	}
	if again := r.agent.Finish(); len(again) > 0 {
		t.Errorf("told again: %v", again)
	}
	r.agent.Close()
	if err := r.run("Two"); !errors.Is(err, agent.ErrClosed) {
		t.Errorf("a closed agent says %v", err)
	}
}

// A compaction can be stopped alone: the turn goes on, and the log has no trace
// of the compaction.
func TestAbortCompaction(t *testing.T) {
	s := memory(t)
	history(t, s, 12)
	settings := compaction.Settings{}
	settings.ThresholdTokens = 8_000
	g := &gated{asked: make(chan struct{}), let: make(chan struct{}), inner: extract}
	r := newRig(t, fake.New(fake.Say("ok")), config{Session: s, Summarizer: g, Compaction: settings})
	go func() {
		<-g.asked
		if trigger := r.session.Reducing(); trigger != compaction.Threshold {
			t.Error(trigger)
		}
		r.session.AbortCompaction()
	}()
	r.must("And now?")
	if got := r.ends(); got != "threshold cancelled interrupted" {
		t.Errorf("%s\n%s", got, r.story())
	}
	for _, e := range r.path() {
		if e.Compaction() != nil {
			t.Error("the log has a compaction")
		}
	}
	if trigger := r.session.Reducing(); trigger != "" {
		t.Errorf("%s still runs", trigger)
	}
}

// Input that arrives during a compaction is delivered once, in order.
func TestInputDuringCompaction(t *testing.T) {
	s := memory(t)
	history(t, s, 12)
	server := fake.New(fake.Say("ok"))
	settings := compaction.Settings{}
	settings.ThresholdTokens = 8_000
	r := newRig(t, server, config{Session: s, Summarizer: extract, Compaction: settings})
	for ev, err := range r.agent.Run(context.Background(), "first") {
		if err != nil {
			t.Fatal(err)
		}
		if r.events = append(r.events, ev); ev.Type == coppice.EventCompactionStart {
			r.agent.Queue(agent.FollowUp, "second")
			r.agent.Queue(agent.FollowUp, "third")
		}
	}
	var said []string
	for _, e := range r.path()[25:] {
		if m := must.Get(e.Message()); m != nil && m.Role == message.RoleUser {
			said = append(said, m.Text(""))
		}
	}
	if got := strings.Join(said, " "); got != "first second third" {
		t.Errorf("said %q\n%s", got, r.story())
	}
	r.sound()
}
