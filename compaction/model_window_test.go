package compaction_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/internal/calibration"
	"github.com/coppice-dev/coppice/internal/mark"
	"github.com/coppice-dev/coppice/internal/testkit/amount"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/tokens"
)

// smallWindows are those in which reserve and summary take a large share.
var smallWindows = []int64{32_768, 8192}

// eachSmall runs a test over every wire format and every small window; the
// session's model summarizes itself.
func eachSmall(t *testing.T, f func(t *testing.T, api string, w windows)) {
	eachAPI(t, func(t *testing.T, api string) {
		for _, n := range smallWindows {
			t.Run(fmt.Sprint(n), func(t *testing.T) { f(t, api, windows{n, n}) })
		}
	})
}

// checkFits sends the next request to the server: it is valid, below the
// threshold by a real tokenizer, and by the estimate with its margin (I5).
func (r *rig) checkFits() {
	r.t.Helper()
	target := r.Settings.Threshold(r.Model.Window)
	_, v, err := r.Plan(ctx, compaction.Request{})
	if err != nil {
		r.t.Fatal(err)
	}
	if n := calibration.Hard(must.Get(v.Size(tokens.Default{}, 0)).Estimated); n >= target {
		r.t.Errorf("the next request may have %d tokens, the threshold is %d", n, target)
	}
	if _, err := r.bound.Complete(ctx, must.Get(v.Request(true)), message.CallOptions{MaxOutput: 500}); err != nil {
		r.t.Errorf("the next request: %v", err)
	}
	reqs := r.server.Requests()
	last := reqs[len(reqs)-1]
	if last.Tokens >= target || len(last.Problems) > 0 {
		r.t.Errorf("the next request has %d tokens, the threshold is %d; problems %v", last.Tokens, target, last.Problems)
	}
}

// In a small window the reserve rule, the limits of the summary and folding
// together still give a request that fits.
func TestSmallWindows(t *testing.T) {
	eachSmall(t, func(t *testing.T, api string, w windows) {
		r := newRig(t, api, w, newDay(24, 6000).open(t), writes())
		out := r.compact(compaction.Request{Trigger: compaction.Threshold})
		if out.Status != compaction.Applied {
			t.Fatalf("%s %s: %s", out.Status, out.Reason, out.Detail)
		}
		if len(out.Edits) > 0 {
			t.Errorf("%d results were shortened without need", len(out.Edits))
		}
		r.checkThirds()
		r.checkFits()
	})
}

// huge is a day whose last unit alone is above the window: three parallel
// results.
func huge() *day {
	d := newDay(6, 3000)
	d.user("Read all of the logs. Do not shorten them.")
	d.round("I read them at once.",
		toolUse{"read", `{"path":"a.log"}`, "head of a\n" + d.prose(60_000) + "tail of a", false},
		toolUse{"read", `{"path":"b.log"}`, "head of b\n" + d.prose(90_000) + "tail of b", false},
		toolUse{"read", `{"path":"c.log"}`, "a short one", false})
	return d
}

// If only the last unit is kept and does not fit, it is shortened by edits in the
// same append; the originals can be read back.
func TestLastUnitIsShortened(t *testing.T) {
	eachSmall(t, func(t *testing.T, api string, w windows) {
		d := huge()
		r := newRig(t, api, w, d.open(t), writes())
		before := r.Session
		leaf, err := before.Leaf(ctx)
		if err != nil {
			t.Fatal(err)
		}
		out := r.compact(compaction.Request{Trigger: compaction.Overflow})
		if out.Status != compaction.Applied || len(out.Edits) != 2 {
			t.Fatalf("%s %s with %d edits: %s", out.Status, out.Reason, len(out.Edits), out.Detail)
		}
		r.checkEdits(out, leaf)
		visible := r.visible()
		for _, want := range []string{"head of a", "tail of a", "head of b", "tail of b", "a short one", "Do not shorten them."} {
			if !strings.Contains(visible, want) {
				t.Errorf("%q is lost", want)
			}
		}
		r.checkFits()

		if u, err := r.Undo(ctx); err != nil || u.Status != compaction.Applied {
			t.Fatalf("undo: %+v %v", u, err)
		}
		if got, want := r.requestBytes(), newRig(t, api, w, d.open(t)).requestBytes(); got != want {
			t.Error("undo did not bring the originals back")
		}
	})
}

// A huge message of the open request is shown with its head and its tail; a
// rule in its middle is not, so the summary has to hold it.
func TestRuleInsideTheShownRequest(t *testing.T) {
	eachSmall(t, func(t *testing.T, api string, w windows) {
		const inside = "The export must never contain drafts."
		d := newDay(3, 1500)
		d.user("Here is the ticket:\n" + d.prose(int(w.session)) + "\n" + inside + "\n" + d.prose(int(w.session)) + "\nThat is all.")
		for range 6 {
			d.round("I look.", toolUse{"bash", `{"command":"make"}`, d.prose(int(w.session) / 2), false})
		}
		r := newRig(t, api, w, d.open(t), writes())
		out := r.compact(compaction.Request{Trigger: compaction.Overflow})
		if out.Status != compaction.Applied || len(out.Plan.Request) != 1 {
			t.Fatalf("%s %s: %s", out.Status, out.Reason, out.Detail)
		}
		visible := r.visible()
		for _, want := range []string{"Here is the ticket:", "That is all.", inside} {
			if !strings.Contains(visible, want) {
				t.Errorf("%q is lost", want)
			}
		}
		r.checkFits()
	})
}

// checkEdits: the edits come directly before the compaction, are named in
// it, say where to read the rest, and left their targets as they were.
func (r *rig) checkEdits(out *compaction.Outcome, leaf *session.Entry) {
	r.t.Helper()
	parent := leaf.ID
	named := out.Entry.Compaction().Coppice.Edits
	if len(named) != len(out.Edits) {
		r.t.Fatalf("details name %v of %d edits", named, len(out.Edits))
	}
	for i, e := range out.Edits {
		if e.ParentID != parent || named[i] != e.ID || e.Type != session.TypeContextEdit {
			r.t.Errorf("edit %d: %s %s under %s; details name %s", i, e.Type, e.ID, e.ParentID, named[i])
		}
		parent = e.ID
		target := e.ContextEdit().TargetID
		if text := (&message.Message{Content: e.ContextEdit().Content}).Text("\n"); !strings.Contains(text, "read en:"+target) {
			r.t.Errorf("edit %d does not say where to read the rest:\n%.300s", i, text)
		}
		original, err := r.Session.Find(ctx, target, -1)
		if err != nil || len(must.Get(original.Message()).Text("")) < 60_000 {
			r.t.Errorf("the original %s cannot be read: %v", target, err)
		}
	}
	if out.Entry.ParentID != parent {
		r.t.Errorf("the compaction is under %s, want %s", out.Entry.ParentID, parent)
	}
}

// A floor above the target is reported with the size of each part, before any
// model is asked.
func TestFloorTooLarge(t *testing.T) {
	const prompt, pins, request, pending = "fixed part", "pins", "open request", "pending input"
	eachSmall(t, func(t *testing.T, api string, w windows) {
		target := max(compaction.Settings{}.Threshold(w.session), w.session-4096) // with a floor above the threshold
		text := strings.Repeat("rule ", int(target))                              // 5/4 of the target
		for _, tt := range []struct {
			name    string
			change  func(d *day)
			pending int64
		}{
			{prompt, func(d *day) {
				d.message(&message.Message{Role: message.RoleSystem, Content: texts(text)})
			}, 0},
			{pending, func(*day) {}, target},
			{request, func(d *day) {
				for range 6 {
					d.user(text[:len(text)/6])
				}
				d.round("Now the work.", toolUse{"bash", `{"command":"make"}`, d.prose(3000), false})
			}, 0},
			{pins, func(d *day) {
				d.user(text)
				d.say("noted")
				d.drafts = append(d.drafts, mark.Pin(fmt.Sprintf("%08x", len(d.drafts)-1), nil))
				d.user("Go on.")
				d.say("I go on.")
			}, 0},
		} {
			t.Run(tt.name, func(t *testing.T) {
				d := newDay(6, 3000)
				tt.change(d)
				r := newRig(t, api, w, d.open(t), writes())
				out := r.compact(compaction.Request{Trigger: compaction.Overflow, Pending: tt.pending})
				if out.Status != compaction.Failed || out.Reason != compaction.DoesNotFit {
					t.Fatalf("%s %s: %s", out.Status, out.Reason, out.Detail)
				}
				sizes := sizesIn(t, out.Detail)
				if sizes[tt.name] < target*4/5 {
					t.Errorf("the %s has %d tokens: %s", tt.name, sizes[tt.name], out.Detail)
				}
				if n := len(r.server.Requests()); n != 0 {
					t.Errorf("%d requests were paid for a floor that cannot fit", n)
				}
			})
		}
	})
}

var sizeIn = regexp.MustCompile(`(fixed part|pins|open request|pending input|summary|kept) (\d+)`)

// sizesIn reads the parts out of a detail; each has to be there.
func sizesIn(t *testing.T, detail string) map[string]int64 {
	t.Helper()
	sizes := map[string]int64{}
	for _, m := range sizeIn.FindAllStringSubmatch(detail, -1) {
		var n int64
		fmt.Sscan(m[2], &n)
		sizes[m[1]] = n
	}
	if len(sizes) != 6 {
		t.Errorf("the detail does not name each part: %s", detail)
	}
	return sizes
}

// proseOf is a log of about so many tokens.
func (d *day) proseOf(n int64) string {
	return d.prose(int(n * 10_000 / tokens.Default{}.Text(d.prose(10_000))))
}

// A last message that alone is near the window, or above it, is shown with its
// head, its tail and where to read the rest, no matter who said it. The plan says so,
// and undo brings all of it back.
func TestLastMessageNearTheWindow(t *testing.T) {
	const head, tail = "Here is everything: ", " And that is the end."
	said := map[string]func(d *day, text string){
		"user":   (*day).user,
		"answer": (*day).say,
		"call": func(d *day, text string) {
			d.user("Write it down.")
			d.round("I do.", toolUse{"write", string(must.Get(json.Marshal(map[string]string{"path": "a", "content": text}))), "written", false})
		},
		"custom": func(d *day, text string) {
			d.message(&message.Message{Role: message.RoleCustom, CustomType: "note", Content: texts(text)})
		},
		"result": func(d *day, text string) {
			d.user("Read it.")
			d.round("I do.", toolUse{"read", `{"path":"a"}`, text, false})
		},
	}
	for i, n := range smallWindows {
		api, w := apis[i], windows{n, n}
		target := compaction.Settings{}.Threshold(w.session)
		for k, kind := range slices.Sorted(maps.Keys(said)) {
			say := said[kind]
			for j, tt := range []struct {
				size  string
				n     int64
				whole bool
			}{
				{"a sixth of the target", target / 6, true},
				{"nine tenths of the target", target * 9 / 10, false},
				{"the window", w.session, false},
				{"four windows", 4 * w.session, false},
			} {
				if !amount.Tries(2, i, k, j) {
					continue
				}
				t.Run(kind+" of "+tt.size, func(t *testing.T) {
					d := newDay(6, 3000)
					say(d, head+d.proseOf(tt.n)+tail)
					r := newRig(t, api, w, d.open(t), writes()).auto()
					before := r.requestBytes()
					p, _, err := r.Plan(ctx, compaction.Request{Trigger: compaction.Overflow})
					if err != nil || p.Misfit() != "" || (p.FirstKept == nil) != (kind == "user" && !tt.whole) {
						t.Fatalf("planned: first kept %v, fits %v, %v", p.FirstKept, p.Misfit() == "", err)
					}
					r.applied(compaction.Request{Trigger: compaction.Overflow})
					r.checkFits()
					visible := r.requestBytes()
					if !strings.Contains(visible, head) || !strings.Contains(visible, strings.TrimSpace(tail)) {
						t.Error("head or tail are lost")
					}
					if cut := strings.Contains(visible, "left out"); cut == tt.whole || cut && !strings.Contains(visible, "read en:") {
						t.Errorf("cut: %v", cut)
					}
					if u, err := r.Undo(ctx); err != nil || u.Status != compaction.Applied || r.requestBytes() != before {
						t.Errorf("undo: %+v, %v", u, err)
					}
				})
			}
		}
	}
}

// Where the user says what to cover, the rest is part of the floor.
func TestKeptTooLarge(t *testing.T) {
	eachSmall(t, func(t *testing.T, api string, w windows) {
		d := newDay(6, 3000)
		d.user("Here is everything: " + d.prose(int(4*w.session)))
		r := newRig(t, api, w, d.open(t), writes())
		req := compaction.Request{Trigger: compaction.Overflow, To: must.Get(r.Session.Path(ctx, nil))[5].ID}
		p, _, err := r.Plan(ctx, req)
		if err != nil || p.Skip != "" || p.Misfit() == "" {
			t.Fatalf("%q, it fits: %v, %v", p.Skip, p.Misfit() == "", err)
		}
		out := r.compact(req)
		if out.Status != compaction.Failed || out.Reason != compaction.DoesNotFit || out.Detail != p.Misfit() || sizesIn(t, out.Detail)["kept"] < w.session {
			t.Fatalf("%s %s: %s", out.Status, out.Reason, out.Detail)
		}
	})
}

// A text that stays too large leads to smaller and smaller plans, in the end
// to the last unit alone, and then to the sizes.
func TestTextStaysTooLarge(t *testing.T) {
	for _, n := range smallWindows {
		r := newRig(t, "anthropic", windows{n, n}, newDay(42, 6000).open(t), writes())
		tries := 0
		out := r.compact(compaction.Request{Keep: new(n), Edit: func(_ context.Context, text string) (string, error) {
			tries++
			return text + strings.Repeat(" and so on", int(n)), nil
		}})
		if out.Status != compaction.Failed || out.Reason != compaction.DoesNotFit || tries > 6 {
			t.Fatalf("%d: %s %s after %d tries: %s", n, out.Status, out.Reason, tries, out.Detail)
		}
		if sizes := sizesIn(t, out.Detail); sizes["summary"] < n || len(out.Plan.Keep) > 2 {
			t.Errorf("%d: %d entries kept at last: %s", n, len(out.Plan.Keep), out.Detail)
		}
	}
}

// requestBytes are the next request in the rig's dialect.
func (r *rig) requestBytes() string {
	r.t.Helper()
	return render(r.t, r.api, r.view())
}

func (r *rig) view() *timeline.View {
	r.t.Helper()
	_, v, err := r.Plan(ctx, compaction.Request{})
	if err != nil {
		r.t.Fatal(err)
	}
	return v
}
