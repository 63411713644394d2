package coppice_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/provider/fake"
	"github.com/coppice-dev/coppice/summarize"
)

// What does not fit says why, also when a compaction was made before it came.
func TestDoesNotFitSaysWhy(t *testing.T) {
	ctx := t.Context()
	server := fake.New(fake.Say("ok"))
	defer server.Close()
	server.Window = 9000
	large := message.User(strings.Repeat("too large ", 40_000))
	s := inMemory(t, coppice.Options{Model: server.Bind("anthropic"), Summarizer: &summarize.Ladder{Extract: true}})
	talk(t, s, 30)
	if p := must.Get(s.Fit(ctx, message.User("PENDING"))); len(p.Report.Outcomes) != 1 || p.Report.Outcomes[0].Status != compaction.Applied {
		t.Fatalf("%+v", p.Report)
	}
	for i := range 2 {
		_, err := s.Fit(ctx, large)
		var e *coppice.DoesNotFitError
		if !errors.As(err, &e) || e.Outcome == nil || e.Outcome.Status == compaction.Applied || e.Outcome.Detail == "" || errors.Is(err, coppice.ErrPaused) ||
			!strings.Contains(err.Error(), e.Outcome.Detail+" (fixed part") {
			t.Errorf("%d: %v", i, err)
		}
	}
	s.SetAutoCompaction(false)
	if _, err := s.Fit(ctx, large); !errors.Is(err, coppice.ErrPaused) {
		t.Errorf("switched off: %v", err)
	}
	if _, err := s.Fit(ctx); err != nil {
		t.Errorf("without it: %v", err)
	}
}

// Each way in which a compaction ends has words.
func TestDoesNotFitInWords(t *testing.T) {
	for want, o := range map[string]*compaction.Outcome{
		": automatic compaction is off or paused":                                              nil,
		": it broke (fixed part 0, pending input 0)":                                           {Status: compaction.Failed, Reason: compaction.IO, Detail: "it broke"},
		": the compaction was skipped no-gain (fixed part 0, pending input 0)":                 {Status: compaction.Skipped, Reason: compaction.NoGain},
		": a compaction was made, and what it has to keep is still too large (fixed part 0, p": {Status: compaction.Applied},
	} {
		if err := (&coppice.DoesNotFitError{Outcome: o}).Error(); !strings.Contains(err, want) {
			t.Errorf("%s, want %s", err, want)
		}
	}
}

// restless is a model with another name at each call.
type restless struct {
	bad
	n *int
}

func (r restless) Facts() message.Model {
	*r.n++
	return message.Model{Provider: "local", ID: fmt.Sprint("m", *r.n), API: "openai-chat", Window: 32_000}
}

// A model that does not keep its name fails, and does not fill the log.
func TestRestlessModel(t *testing.T) {
	s := inMemory(t, coppice.Options{Model: restless{n: new(int)}})
	talk(t, s, 1)
	_, err := s.Fit(t.Context())
	if err == nil || !strings.Contains(err.Error(), "the model does not keep its name") || !strings.Contains(err.Error(), "local/m") {
		t.Errorf("%v", err)
	}
	if n := strings.Count(string(raw(t, s)), `"model_change"`); n != 2 {
		t.Errorf("%d changes", n)
	}
}

// A session that was opened for reading can be measured and made into a request,
// and is left as it is.
func TestFitReadOnly(t *testing.T) {
	ctx := t.Context()
	path := filepath.Join(t.TempDir(), "s.jsonl")
	w := must.Get(coppice.Create(ctx, filepath.Dir(path), "/", coppice.Options{}))
	talk(t, w, 40)
	before := string(raw(t, w))
	ref := w.Ref()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	server := fake.New(fake.Say("ok"))
	defer server.Close()
	for _, window := range []int64{200_000, 50_000, 20_000} { // fits; is over the threshold; does not fit
		server.Window = window
		s := must.Get(coppice.Open(ctx, ref, coppice.Options{ReadOnly: true, Model: server.Bind("anthropic"), Summarizer: &summarize.Ladder{Extract: true}}))
		p, err := s.Fit(ctx, message.User("And now?"))
		switch {
		case window == 20_000:
			if !errors.Is(err, coppice.ErrDoesNotFit) || !strings.Contains(err.Error(), "for reading only") {
				t.Errorf("%v", err)
			}
		case err != nil || !strings.Contains(string(p.Body), "And now?"):
			t.Errorf("%d: %v", window, err)
		case (window == 50_000) != p.Meter.Over():
			t.Errorf("%d: %d tokens, threshold %d", window, p.Meter.Decision(), p.Meter.Threshold)
		}
		if string(raw(t, s)) != before {
			t.Errorf("%d: the session was changed", window)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
