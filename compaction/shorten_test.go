package compaction_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/message"
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
	for name, shape := range shapes {
		for _, window := range []int64{12_000, 20_000, 60_000, 200_000} {
			for _, times := range []int64{1, 3, 600_000 / window} {
				for _, results := range []int64{1, 3} {
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
