package compaction_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/internal/testkit/amount"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/summarize"
	"github.com/coppice-dev/coppice/tokens"
)

// shapes are texts of about so many tokens.
var shapes = map[string]func(n int) string{
	"lines":     func(n int) string { return strings.Repeat("a line of output like any other\n", n/8) },
	"one line":  func(n int) string { return strings.Repeat("word ", n) },
	"no spaces": func(n int) string { return strings.Repeat("abcdefgh", n/2) },
	"a dense end": func(n int) string {
		return strings.Repeat("a line of output like any other\n", n/10) + strings.Repeat("0x7f;", n/20)
	},
	"kanji in the middle": func(n int) string {
		lines := strings.Repeat("a line of output like any other\n", n/40)
		return lines + strings.Repeat("日本語の出力", n/10) + lines
	},
}

// Results that no one has read use the room that there is for them, whatever
// their size is, and fit.
func TestShortenedResultsUseTheirRoom(t *testing.T) {
	for i, name := range slices.Sorted(maps.Keys(shapes)) {
		shape := shapes[name]
		for j, window := range []int64{12_000, 20_000, 60_000, 200_000} {
			for k, times := range slices.Compact([]int64{1, 3, 600_000 / window}) {
				for l, results := range []int64{1, 3} {
					if !amount.Tries(3, i, j, k, l) {
						continue
					}
					t.Run(fmt.Sprintf("%s, %d times %d in %d pieces", name, times, window, results), func(t *testing.T) {
						var ids []string
						for i := range results {
							ids = append(ids, fmt.Sprintf("c%d", i))
						}
						k := newTalk(t, window).past("old", 1).add(userDraft("ask", "compare"), answerDraft("calls", "", calling(ids...)...))
						for i, id := range ids {
							half := shape(int(times * window / results / 2))
							k.add(resultDraft(fmt.Sprintf("r%d", i), id, "BEGIN "+id+"\n"+half+"\nfatal: "+id+" broke\n"+half+"\nEND "+id))
						}
						used := k.shortened(k.compact(compaction.Request{Trigger: compaction.Threshold}), len(ids))
						if used < 0.5 {
							t.Errorf("%.0f %% of the room is used", 100*used)
						}
					})
				}
			}
		}
	}
}

// shortened checks that the view fits and that each result shows its ends, what
// broke and where the rest is. It returns the part of their room that the results
// use.
func (k *talk) shortened(out *compaction.Outcome, results int) float64 {
	k.t.Helper()
	size := must.Get(out.View.Size(tokens.Default{}, 0))
	if n := size.Hard(size.Estimated); n >= out.Plan.Target {
		k.t.Errorf("%d tokens, but %d are allowed", n, out.Plan.Target)
	}
	var shown int64
	for _, it := range out.View.Items {
		m := must.Get(it.Message())
		if m.Role != message.RoleToolResult {
			continue
		}
		results--
		shown += tokens.Default{}.Message(m)
		if !it.Edited {
			continue
		}
		text, id := m.Text(""), m.ToolCallID
		for _, want := range []string{"BEGIN " + id + "\n", "fatal: " + id + " broke\n", "END " + id, "read en:" + it.Entry.ID + " for all of it"} {
			if !strings.Contains(text, want) {
				k.t.Errorf("%s lacks %q: %.300q", id, want, text)
			}
		}
		if _, middle, _ := strings.Cut(text, "left out here"); strings.Contains(middle, "left out here") {
			k.t.Errorf("%s was shortened twice: %.300q", id, text)
		}
	}
	if results != 0 {
		k.t.Errorf("%d results are missing", results)
	}
	most := float64(out.Plan.Target) / 1.15 // the margin
	return float64(shown) / (most - float64(size.Estimated-shown))
}

// unread is a session with three results that no one has read, compacted in a
// window in which they had to be shortened.
func unread(t *testing.T, window int64) *talk {
	k := newTalk(t, window).past("old", 2).add(userDraft("ask", "compare the three"), answerDraft("calls", "", calling("c0", "c1", "c2")...))
	for i, id := range []string{"c0", "c1", "c2"} {
		half := strings.Repeat(fmt.Sprintf("line of output of %s\n", id), 3000)
		k.add(resultDraft(fmt.Sprintf("r%d", i), id, "BEGIN "+id+"\n"+half+"fatal: "+id+" broke\n"+half+"END "+id))
	}
	if used := k.shortened(k.compact(compaction.Request{Trigger: compaction.Threshold}), 3); used < 0.5 {
		t.Fatalf("%.0f %% of the room is used", 100*used)
	}
	return k
}

// What was shortened for one window is shortened further for a smaller one, from
// the text in the log, and each step can be undone.
func TestShortenedAgain(t *testing.T) {
	for _, trigger := range []compaction.Trigger{compaction.Threshold, compaction.ModelSwitch, compaction.Overflow, compaction.Manual} {
		t.Run(string(trigger), func(t *testing.T) {
			k := unread(t, 60_000)
			before := []string{k.text()}
			for _, window := range []int64{24_000, 12_000} {
				k.c = extractor(k.s, window)
				out := k.compact(compaction.Request{Trigger: trigger})
				if used := k.shortened(out, 3); used < 0.5 || len(out.Edits) != 3 {
					t.Errorf("%d: %d edits, %.0f %% of the room is used", window, len(out.Edits), 100*used)
				}
				if got := k.shows(); got != "ask calls r0 r1 r2" {
					t.Errorf("%d shows %q", window, got)
				}
				before = append(before, k.text())
			}
			for i := len(before) - 2; i >= 0; i-- {
				if u := must.Get(k.c.Undo(ctx)); u.Status != compaction.Applied {
					t.Fatalf("%+v", u)
				}
				if k.text() != before[i] {
					t.Errorf("undone %d times it shows something else", len(before)-1-i)
				}
			}
		})
	}
}

// text is all that the model sees after the summary.
func (k *talk) text() string {
	k.t.Helper()
	var b strings.Builder
	for _, it := range k.view().Items {
		if it.Entry == nil || it.Entry.Compaction() == nil {
			fmt.Fprintln(&b, must.Get(it.Message()).Text("\n"))
		}
	}
	return b.String()
}

// Text that an edit of someone else has replaced does not come back.
func TestShortenedFromWhatOthersLeft(t *testing.T) {
	k := newTalk(t, 60_000).past("old", 2).add(userDraft("ask", "look"), answerDraft("calls", "", calling("c0")...), resultDraft("r0", "c0", "BEGIN c0\nsecret\n"+strings.Repeat("a line of output\n", 20_000)+"END c0"))
	k.add(session.EditDraft("r0", []message.Block{message.Text{Text: "BEGIN c0\nremoved\n" + strings.Repeat("another line\n", 20_000) + "fatal: c0 broke\nEND c0"}}))
	for _, window := range []int64{60_000, 24_000, 12_000} {
		k.c = extractor(k.s, window)
		k.shortened(k.compact(compaction.Request{Trigger: compaction.Threshold}), 1)
		if got := k.text(); strings.Contains(got, "secret") || !strings.Contains(got, "removed") {
			t.Errorf("%d: %.200q", window, got)
		}
	}
}

// A summary that was made for a large window is made again for a small one, also
// if there is nothing else to cover.
func TestSummaryForASmallerWindow(t *testing.T) {
	for name, since := range map[string][]session.Draft{
		"nothing new":    nil,
		"unread results": {answerDraft("calls", "", calling("c0")...), dump("r0", "c0")},
		"a new turn":     {answerDraft("a", "I will not."), userDraft("u", "Go on.")},
	} {
		for _, to := range []string{"ask", "old-a18"} {
			k := newTalk(t, 200_000).past("old", 20).add(userDraft("ask", "Never touch main.go."))
			k.c.Summarizer = resulting{Summary: strings.Repeat("The work goes on, and no end is in sight.\n", 1200)}
			k.compact(compaction.Request{To: to})
			k.add(since...)
			k.c = extractor(k.s, 12_000)
			out := k.compact(compaction.Request{Trigger: compaction.Threshold})
			size := must.Get(out.View.Size(tokens.Default{}, 0))
			if size.Hard(size.Estimated) >= out.Plan.Target || !strings.Contains(out.Summary+k.text(), "Never touch main.go.") {
				t.Errorf("%s, to %s: %d tokens, but %d are allowed: %.200q", name, to, size.Estimated, out.Plan.Target, k.text())
			}
		}
	}
}

// A first message that is larger than the window is shown by its ends.
func TestFirstMessageAboveTheWindow(t *testing.T) {
	k := newTalk(t, 60_000).add(userDraft("ask", "BEGIN\n"+strings.Repeat("a line of the log\n", 60_000)+"END"))
	for _, window := range []int64{60_000, 20_000, 12_000} {
		k.c = extractor(k.s, window)
		out := must.Get(k.c.Compact(ctx, compaction.Request{Trigger: compaction.Threshold}))
		if window == 60_000 && out.Status != compaction.Applied {
			t.Fatalf("%s %s: %s", out.Status, out.Reason, out.Detail)
		}
		v := must.Get(k.c.View(ctx, nil))
		size := must.Get(v.Size(tokens.Default{}, 0))
		if got := k.text(); size.Hard(size.Estimated) >= window || !strings.Contains(got, "BEGIN\n") || !strings.Contains(got, "END") || !strings.Contains(got, "read en:ask") {
			t.Errorf("%d: %d tokens %.300q", window, size.Estimated, got)
		}
	}
}

// Without anything before them results are shortened too.
func TestResultsWithNothingBefore(t *testing.T) {
	k := newTalk(t, 12_000).add(answerDraft("calls", "", calling("c0", "c1")...), dump("r0", "c0"), dump("r1", "c1"))
	k.shortened(k.compact(compaction.Request{Trigger: compaction.Threshold}), 2)
	if got := k.shows(); got != "calls r0 r1" {
		t.Errorf("shows %q", got)
	}
}

// Why nothing is compacted says what is so.
func TestNothingToCompact(t *testing.T) {
	for _, tt := range []struct {
		name string
		k    *talk
		r    compaction.Request
		want string
	}{
		{"fits", newTalk(t, 60_000).past("old", 1), compaction.Request{}, "all of it is kept, because it is recent"},
		{"unread", newTalk(t, 60_000).add(answerDraft("calls", "", calling("c0")...), dump("r0", "c0")), compaction.Request{}, "no answer has followed what is in view, so none of it can be summarized"},
		{"empty", newTalk(t, 60_000), compaction.Request{}, "nothing has been said yet"},
		{"up to the first", newTalk(t, 60_000).add(answerDraft("calls", "", calling("c0")...), dump("r0", "c0"), answerDraft("a", "ok")), compaction.Request{To: "calls"}, "nothing up to that entry can be summarized"},
	} {
		out := must.Get(tt.k.c.Compact(ctx, tt.r))
		if out.Status != compaction.Skipped || out.Detail != tt.want {
			t.Errorf("%s: %s %s: %s", tt.name, out.Status, out.Reason, out.Detail)
		}
	}
}

// filling writes summaries that use all the room that they are given.
type filling struct{ caps []int64 }

func (f *filling) Summarize(_ context.Context, in summarize.Input) (summarize.Result, error) {
	f.caps = append(f.caps, in.Cap)
	text, line := "", "The work goes on, and no end is in sight.\n"
	for n := in.Estimate(line); int64(len(text)/len(line)+2)*n < in.Cap; {
		text += line
	}
	return summarize.Result{Summary: text}, nil
}

// A summary that does not fit next to what no one has read is asked for once
// more, with the room that is left.
func TestSummaryInTheRoomThatIsLeft(t *testing.T) {
	k := newTalk(t, 12_000).past("old", 8).add(userDraft("ask", "look"), answerDraft("calls", "", calling("c0")...), resultDraft("r0", "c0", "ok"), userDraft("u", strings.Repeat("It is so. ", 1600)))
	f := &filling{}
	k.c.Summarizer = f
	out := k.compact(compaction.Request{Trigger: compaction.Threshold})
	size := must.Get(out.View.Size(tokens.Default{}, 0))
	if size.Hard(size.Estimated) >= out.Plan.Target || len(f.caps) != 2 || f.caps[1] >= f.caps[0] {
		t.Errorf("%d tokens, but %d are allowed; caps %d", size.Estimated, out.Plan.Target, f.caps)
	}
}
