package compaction_test

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/summarize"
)

func TestCheckAnswer(t *testing.T) {
	s := newDay(9, 3000).open(t)
	r := newRig(t, "anthropic", ordinary, s)
	p, _, err := r.Plan(ctx, keep(1000))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		a    compaction.Answer
		want string // part of the error; "": valid
	}{
		{"as planned", compaction.Answer{Summary: "Short."}, ""},
		{"the planned id", compaction.Answer{Summary: "Short.", FirstKeptEntryID: p.FirstKept.ID}, ""},
		{"another message", compaction.Answer{Summary: "Short.", FirstKeptEntryID: idOf(t, s, message.RoleUser, 4)}, ""},
		{"nothing said", compaction.Answer{Summary: " \n"}, "empty"},
		{"inside a tool group", compaction.Answer{Summary: "Short.", FirstKeptEntryID: idOf(t, s, message.RoleToolResult, 4)}, "the first one that is kept"},
		{"unknown", compaction.Answer{Summary: "Short.", FirstKeptEntryID: "ffffffff"}, "the first one that is kept"},
		{"larger than its source", compaction.Answer{Summary: strings.Repeat("so much happened ", 90000)}, "replaces"},
	} {
		err := p.Check(tt.a)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// A hook's summary that saves too little is reported as rejected, and ours is
// used.
func TestHookSummaryWithoutGain(t *testing.T) {
	r := newRig(t, "anthropic", ordinary, newDay(9, 3000).open(t), writes("by the model"))
	p, _, err := r.Plan(ctx, keep(1000))
	if err != nil {
		t.Fatal(err)
	}
	covered := 4 * int(p.Size.Estimated-p.Size.Fixed-p.KeptTokens)
	r.Hooks = answering(compaction.Answer{Summary: strings.Repeat("much ", covered/5*98/100)}, nil)
	var why []string
	r.Hooks.Rejected = func(err error) { why = append(why, err.Error()) }
	out := r.applied(keep(1000))
	if out.Rung != summarize.RungModel || len(why) != 1 || !strings.Contains(why[0], "smaller") {
		t.Errorf("by %q, rejected %q", out.Rung, why)
	}
}

// What a hook says about its compaction is stored as it was given. What a view
// needs from us is next to it, or in a field of its own.
func TestHookDetailsAreStored(t *testing.T) {
	const lists = `"readFiles":[`
	for _, tt := range []struct {
		name, details string
		want          string // of the entry's details; "": as given
		apart         bool   // ours is in the entry's own field
	}{
		{"an object", `{"mine":{"a":1}}`, `{"mine":{"a":1},` + lists, false},
		{"its own file lists", `{"readFiles":["invented"],"modifiedFiles":[]}`, `{"readFiles":["invented"],"modifiedFiles":[],"coppice":{`, false},
		{"a member with our name", `{"mine":1,"coppice":7}`, "", true},
		{"an array", `[1,{"readFiles":["x"]}]`, "", true},
		{"a string", `"a word about \"it\""`, "", true},
		{"a number", `-1.50e3`, "", true},
		{"true", `true`, "", true},
		{"on several lines", "[\n  1\n]", `[1]`, true},
		{"not JSON", `{"torn`, `{"readFiles":[`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, "anthropic", ordinary, newDay(9, 3000).open(t), writes())
			before := int64(42)
			r.Hooks = answering(compaction.Answer{Summary: "By the hook.", Details: []byte(tt.details), TokensBefore: &before}, nil)
			out := r.applied(keep(1000))
			c := out.Entry.Compaction()
			want := tt.want
			if want == "" {
				want = tt.details
			}
			if got := string(c.Details); !strings.HasPrefix(got, want) || tt.apart && got != want {
				t.Errorf("details %s, want %s", got, want)
			}
			apart := rawjson.Get(must.Get(out.Entry.Raw()), "coppice") != nil
			if c.TokensBefore != 42 || c.Coppice == nil || c.Coppice.Rung != "hook" || c.Coppice.State == nil || apart != tt.apart {
				t.Errorf("tokensBefore %d, ours %+v, apart %v", c.TokensBefore, c.Coppice, apart)
			}
			r.Hooks = compaction.Hooks{}
			r.log = bytesOfLog(t, r.Session)
			if p, _, err := r.Plan(ctx, compaction.Request{}); err != nil || p.Previous == nil || p.Previous.ID != out.Entry.ID {
				t.Errorf("the next plan: %+v, %v", p, err)
			}
		})
	}
}

// A hook may stop a summary of ours, but not the rescue.
func TestCompactingCancels(t *testing.T) {
	for _, trigger := range []compaction.Trigger{compaction.Manual, compaction.Overflow} {
		r := newRig(t, "anthropic", ordinary, newDay(9, 3000).open(t), writes("by the model"))
		var told compaction.BeforeCompact
		r.Hooks.Compacting = func(_ context.Context, e compaction.BeforeCompact) (compaction.Guidance, error) {
			told = e
			return compaction.Guidance{Cancel: true, Why: "the vault is shut"}, nil
		}
		req := keep(1000)
		req.Trigger = trigger
		out := r.compact(req)
		cancelled := out.Status == compaction.Cancelled && out.Reason == compaction.HookCancelled && out.Detail == "the vault is shut"
		if cancelled != (trigger == compaction.Manual) || !cancelled && out.Status != compaction.Applied {
			t.Errorf("%s: %s %s %s", trigger, out.Status, out.Reason, out.Detail)
		}
		if !reflect.DeepEqual(told.Settings, r.Settings) {
			t.Errorf("it got the settings %+v", told.Settings)
		}
	}
}
