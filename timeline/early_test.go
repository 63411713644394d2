package timeline

import (
	"fmt"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/internal/testkit/must"
	"pgregory.net/rapid"
)

// shownAs says how the view shows the entries of a path: what follows each, how
// it is shown, and why others are left out.
func shownAs(t *testing.T, v *View) map[string]string {
	out := map[string]string{}
	last := ""
	for _, it := range v.Items {
		if it.Entry == nil {
			out[last] += " " + string(it.Kind)
			continue
		}
		last = it.Entry.ID
		out[last] = fmt.Sprintf("loose=%v %s", it.Loose, must.Get(it.Message()).Text(""))
	}
	for _, l := range v.LeftOut {
		out[l.EntryID] = string(l.Rule)
	}
	return out
}

// A compaction does not change how what it keeps is shown, wherever results are
// in the log: before their calls, late, or twice. Only a result whose call was
// covered, or that no one asked for, may be shown in another way.
func TestACompactionDoesNotChangeWhatItKeeps(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		log, parent := []string{}, ""
		add := func(line, id string) { log, parent = append(log, line), id }
		add(user("k", "", "covered"), "k")
		add(user("u", parent, "kept"), "u")
		called := map[string]bool{}
		for i, w := range rapid.SliceOfN(rapid.SampledFrom([]string{"call", "result", "answer", "user"}), 1, 12).Draw(rt, "log") {
			id := fmt.Sprint(w[:1], i)
			x := rapid.SampledFrom([]string{"x", "y"}).Draw(rt, "call id")
			switch w {
			case "call":
				called[x] = true
				add(assistant(id, parent, "toolUse", call(x)), id)
			case "result":
				add(result(id, parent, x, "result "+id), id)
			case "answer":
				add(answer(id, parent, "answer"), id)
			default:
				add(user(id, parent, "user"), id)
			}
		}
		for _, x := range []string{"x", "y"} { // someone made each call
			if !called[x] {
				add(assistant("last"+x, parent, "toolUse", call(x)), "last"+x)
			}
		}
		before := shownAs(t, project(t, parse(t, log...)))
		after := shownAs(t, project(t, parse(t, append(log, compactionOf("c", parent, "u"))...)))
		for id, want := range before {
			if got := after[id]; id != "k" && got != want {
				rt.Errorf("%s: %q after a compaction, %q before it\n%s", id, got, want, strings.Join(log, "\n"))
			}
		}
	})
}
