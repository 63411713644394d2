package cli

import (
	"fmt"
	"strings"

	"github.com/coppice-dev/coppice/timeline"
)

// printContext shows a view to a person.
func (a *app) printContext(c contextJSON, v *timeline.View, n now) error {
	for i, m := range c.Messages {
		id := m.EntryID
		if id == "" {
			id = "(made here)"
		}
		a.say("%4d  %-18s %9s  %-17s %s%s\n", i+1, m.Role, thousands(m.Tokens), id, marks(m), short(m.Text, a.previewWidth()))
	}
	if len(c.LeftOut) > 0 {
		a.say("\nnot shown: %s\n", countRules(c.LeftOut))
	}
	kinds, err := kindsOf(v)
	if err != nil {
		return err
	}
	a.say("\n%s\n%s\n", a.bar(kinds, c.Tokens.Window, c.Tokens.Threshold, a.barWidth()), a.legend(kinds))
	a.say("%s\n", meter(c))
	a.sayNow(n, "", a.barWidth())
	if k := c.Tokens.Calibration; k.Samples > 0 {
		a.say("the provider counts %.2f times what is estimated (%d stretches compared)", k.Text, k.Samples)
		if c.Tokens.Fixed > 0 {
			a.say("; %s tokens of each request are not messages", thousands(c.Tokens.Fixed))
		}
		a.say("\n")
	}
	const most = 10
	for _, p := range c.Problems[:min(most, len(c.Problems))] {
		a.warn("%s: %s", p.Kind, p.Detail)
	}
	if n := len(c.Problems); n > most {
		a.warn("%s more problems: coppice check %s", thousands(int64(n-most)), c.File)
	}
	return nil
}

// meter describes the state of the window in one line.
func meter(c contextJSON) string {
	t := c.Tokens
	s := fmt.Sprintf("%s tokens", thousands(t.Decision))
	switch {
	case t.Measured != nil && *t.Measured == t.Decision:
		s += " (measured)"
	case t.Fixed == 0:
		s += " (estimated, without prompt and tools: their size is not known until the next answer)"
	default:
		s += " (estimated)"
	}
	s += fmt.Sprintf(" of %s (%s)", thousands(t.Window), t.WindowSource)
	if c.Model != nil {
		s += ", " + c.Model.Provider + "/" + c.Model.ID
	}
	switch left := t.Threshold - t.Decision; {
	case t.Threshold <= 0:
	case left < 0:
		s += fmt.Sprintf("; %s over the threshold of %s", thousands(-left), thousands(t.Threshold))
	default:
		s += fmt.Sprintf("; %s below the threshold of %s", thousands(left), thousands(t.Threshold))
	}
	return s
}

// marks names what is special about a message.
func marks(m messageJSON) string {
	var out []string
	for _, f := range []struct {
		on   bool
		name string
	}{{m.Pinned, "pinned"}, {m.Request, "request"}, {m.Open, "open call"}, {m.Edited, "edited"}, {m.Synthetic != "", m.Synthetic}} {
		if f.on {
			out = append(out, f.name)
		}
	}
	if len(out) == 0 {
		return ""
	}
	return "[" + strings.Join(out, ", ") + "] "
}

func countRules(left []leftOutJSON) string {
	counts, order := map[string]int{}, []string{}
	for _, l := range left {
		if counts[l.Rule] == 0 {
			order = append(order, l.Rule)
		}
		counts[l.Rule]++
	}
	for i, r := range order {
		order[i] = fmt.Sprintf("%d %s", counts[r], r)
	}
	return strings.Join(order, ", ")
}

// previewWidth is the room left for a message after its columns.
func (a *app) previewWidth() int {
	const columns, usual = 58, 60
	if a.Width == 0 {
		return usual
	}
	return max(20, a.Width-columns)
}
