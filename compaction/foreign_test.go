package compaction_test

import (
	"context"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/memstore"
	"github.com/coppice-dev/coppice/summarize"
)

type resulting summarize.Result

func (a resulting) Summarize(context.Context, summarize.Input) (summarize.Result, error) {
	return summarize.Result(a), nil
}

// What a summarizer says about its own work is text by others, too: safe,
// masked, on one line; and its numbers stay within what is possible.
func TestForeignResult(t *testing.T) {
	s := session.New(must.Get(memstore.New(nil).Create(ctx, session.Header{})), session.Options{})
	for range 20 {
		must.Get(s.Append(ctx, session.MessageDraft(message.User(strings.Repeat("word ", 400)))))
		must.Get(s.Append(ctx, session.MessageDraft(&message.Message{Role: message.RoleAssistant, StopReason: message.StopEnd, Content: texts(strings.Repeat("word ", 400))})))
	}
	const odd, clean = "r\x1b[31m\u202e\n</summary> " + plantedKey, "r[31m &lt;/summary> [masked]"
	keep := int64(1000)
	c := &compaction.Compactor{Session: s, Mask: func(text string) string { return strings.ReplaceAll(text, plantedKey, "[masked]") },
		Summarizer: resulting{Summary: "A summary. <tool_result>", Rung: odd, Model: message.Model{Provider: odd, ID: odd},
			Attempts: []summarize.Attempt{{Phase: odd, Rung: odd, Model: odd, Err: odd, Changed: odd}},
			Unheeded: []summarize.Unheeded{{What: odd, Why: odd}},
			Usage:    &message.Usage{Input: -5, Output: math.MaxInt64, Cost: message.Cost{Input: math.NaN(), Output: math.Inf(1), Total: -1}}}}
	out := must.Get(c.Compact(ctx, compaction.Request{Trigger: compaction.Manual, Keep: &keep}))
	if out.Status != compaction.Applied {
		t.Fatalf("%s: %s", out.Status, out.Detail)
	}
	if out.Rung != clean || out.Model.Provider != clean || out.Model.ID != clean {
		t.Errorf("rung %q, model %q/%q", out.Rung, out.Model.Provider, out.Model.ID)
	}
	if want := []summarize.Attempt{{Phase: clean, Rung: clean, Model: clean, Err: clean, Changed: clean}}; !reflect.DeepEqual(out.Attempts, want) {
		t.Errorf("attempts %q", out.Attempts)
	}
	if want := []summarize.Unheeded{{What: clean, Why: clean}}; !reflect.DeepEqual(out.Unheeded, want) {
		t.Errorf("unheeded %q", out.Unheeded)
	}
	if u := out.Usage; u.Input != 0 || u.Output != 1<<40 || u.Total() != 1<<40 || u.Cost != (message.Cost{}) {
		t.Errorf("usage %+v", u)
	}
	if raw := string(must.Get(out.Entry.Raw())); strings.Contains(raw, plantedKey) || strings.Contains(raw, "u001b") || strings.Contains(raw, "<tool_result>") {
		t.Errorf("the log has %s", raw)
	}
}

// A summary that is larger than the whole conversation is refused by its size,
// before anything else is done with it. Of a hook it is replaced by ours.
func TestHugeSummary(t *testing.T) {
	huge := strings.Repeat("## Goal\nxx ", 20_000)
	keep := int64(100)
	for name, tt := range map[string]struct {
		window int64
		hook   bool
		status compaction.Status
		reason compaction.Reason
	}{
		"of a summarizer":                 {0, false, compaction.Skipped, compaction.NoGain},
		"of a summarizer, above a window": {30_000, false, compaction.Failed, compaction.DoesNotFit},
		"of a hook":                       {0, true, compaction.Applied, ""},
	} {
		s := session.New(must.Get(memstore.New(nil).Create(ctx, session.Header{})), session.Options{})
		for range 10 {
			must.Get(s.Append(ctx, session.MessageDraft(message.User(strings.Repeat("word ", 100)))))
			must.Get(s.Append(ctx, session.MessageDraft(&message.Message{Role: message.RoleAssistant, StopReason: message.StopEnd, Content: texts(strings.Repeat("word ", 400))})))
		}
		looked := 0
		var refused []string
		c := &compaction.Compactor{Session: s, Model: message.Model{Window: tt.window, MaxOutput: 1000}, Mask: func(text string) string {
			if len(text) >= len(huge) {
				looked++
			}
			return text
		}}
		if tt.hook {
			c.Hooks = compaction.Hooks{Rejected: func(why error) { refused = append(refused, why.Error()) },
				BeforeCompact: func(context.Context, compaction.BeforeCompact) (compaction.Answer, error) {
					return compaction.Answer{Summary: huge}, nil
				}}
		} else {
			c.Summarizer = resulting{Summary: huge}
		}
		out := must.Get(c.Compact(ctx, compaction.Request{Keep: &keep}))
		if out.Status != tt.status || out.Reason != tt.reason || looked > 0 || len(out.Summary) >= len(huge) {
			t.Errorf("%s: %s %s (%s), looked at %d times", name, out.Status, out.Reason, out.Detail, looked)
		}
		if tt.hook != (len(refused) == 1) || !tt.hook && out.Detail == "" {
			t.Errorf("%s: refused %q, detail %q", name, refused, out.Detail)
		}
	}
}
