package summarize

import (
	"fmt"
	"slices"
	"strings"

	"github.com/coppice-dev/coppice/internal/kinds"
	"github.com/coppice-dev/coppice/internal/prose"
	"github.com/coppice-dev/coppice/internal/quote"
	"github.com/coppice-dev/coppice/internal/safetext"
	"github.com/coppice-dev/coppice/internal/state"
)

// Lengths in UTF-16 units.
const (
	maxRequest = 1600 // the current request
	maxEarlier = 320  // an earlier one
	maxLine    = 700
)

// newest is an age that is younger than every message.
const newest = 1 << 20

// made are the items of a kind that were made in what the part covers, oldest
// first.
func (s *sheet) made(k state.Kind) []*state.Item {
	quoted := s.quotes()
	return slices.DeleteFunc(s.in.State.Of(k), func(it *state.Item) bool { return !s.covers.has(it.First) || it.Reported && quoted })
}

// living are those of them that hold.
func (s *sheet) living(k state.Kind) []*state.Item {
	return slices.DeleteFunc(s.made(k), func(it *state.Item) bool { return !it.Living() })
}

// requests writes what is to be reached: the current request, what else is
// open, what the whole began with, what was done.
func (s *sheet) requests(at place) {
	all := slices.DeleteFunc(s.made(state.Request), func(it *state.Item) bool { return it.Life == state.Withdrawn })
	current := s.in.State.CurrentRequest()
	first := s.covers.from < len(s.in.History) || len(s.in.History) == 0 // otherwise the part before this one says it
	if current != nil && first && (current.First >= s.in.tail() || s.in.visible(current.Text)) {
		s.add(at, needed, newest, "- The current request follows, word for word.")
	}
	var earlier []*state.Item
	for _, it := range slices.Backward(all) {
		switch {
		case it == current && s.in.visible(it.Text):
		case it == current:
			s.add(at, needed, newest, "- "+s.request(it, maxRequest))
		case it.Life == state.Current:
			s.add(at, needed, it.First, "- Still open: "+s.request(it, 2*maxEarlier))
		default:
			earlier = append(earlier, it)
		}
	}
	slices.Reverse(earlier)
	const recent, most = 4, 12
	for i, it := range earlier {
		r := useful
		switch {
		case i == 0 || i >= len(earlier)-recent:
			r = wanted1
		case i < len(earlier)-most:
			continue // long done
		}
		label := "Earlier: "
		if it.Life == state.Replaced {
			label = "Replaced by a later request: "
		}
		s.add(at, r, it.First, "- "+label+s.request(it, maxEarlier))
	}
}

// request quotes a request, with what a command or a file says to it.
func (s *sheet) request(it *state.Item, units int) string {
	text := inQuotes(clip(it.Text, units))
	if it.Note != "" {
		text += " — " + clip(it.Note, 400)
	}
	return text
}

// rulesInForce writes the rules in force, word for word.
func (s *sheet) rulesInForce(at place) {
	for _, it := range s.living(state.Rule) {
		if s.in.visible(it.Text) {
			continue
		}
		text := "- " + oneLine(it.Text)
		r := needed
		if from, ok := strings.CutPrefix(it.By, "file:"); ok {
			text += " (" + from + ")"
			r = wanted1
		}
		s.add(at, r, it.First, text)
	}
}

// decisions writes what was chosen and refused, and why.
func (s *sheet) decisions(at place) {
	all := s.living(state.Decision)
	const recent = 4 // of the user
	left := 0
	for _, it := range all {
		if it.By == "user" {
			left++
		}
	}
	for _, it := range all {
		text := clip(it.Text, maxLine)
		var r rank
		if it.By == "user" {
			left--
		}
		switch {
		case it.Life == state.Proposed && it.Why == "":
			continue // the open question says it
		case it.Life == state.Proposed:
			text = "Proposed by the assistant, " + it.Why + ": " + text
			r = needed
		case it.Life == state.Rejected && it.By == "user":
			text = "Refused by the user: " + inQuotes(text)
			r = rankIf(left < recent, needed, wanted1)
		case it.Life == state.Rejected:
			continue // the user's words say it
		case it.By == "user":
			text = "The user chose: " + inQuotes(text)
			if it.Note != "" {
				text += " (" + clip(it.Note, 400) + ")"
			}
			r = rankIf(left < recent, needed, wanted1)
		default:
			r = wanted1
		}
		s.add(at, r, it.First, "- "+text)
	}
}

func rankIf(ok bool, a, b rank) rank {
	if ok {
		return a
	}
	return b
}

// next writes what is left to do: open work and questions, and what the last
// answer says.
func (s *sheet) next(at place) {
	s.openTasks(at)
	for _, it := range s.living(state.Question) {
		text := clip(it.Text, maxEarlier)
		switch {
		case it.By != "user" && it.Note != "":
			text = "Open question to the user, " + it.Note + ": " + text
		case it.By != "user":
			text = "Open question to the user: " + text
		case s.in.visible(it.Text):
			continue
		default:
			text = "Question of the user that is not answered yet: " + text
		}
		s.add(at, needed, it.First, "- "+text)
	}
	for _, todo := range s.in.State.Remaining() {
		if text := s.unsaid(todo.Note); s.covers.has(todo.First) && text != "" {
			s.add(at, wanted1, todo.First, "- "+clip(text, maxLine))
		}
	}
}

// openTasks writes listed work that is open, the first of it.
func (s *sheet) openTasks(at place) {
	const most = 12
	open := slices.DeleteFunc(s.living(state.Task), func(it *state.Item) bool { return it.Life != state.Open })
	for i, it := range open[:min(len(open), most)] {
		s.add(at, needed, 1<<19-i, "- [ ] "+oneLine(it.Text))
	}
	if n := len(open) - most; n > 0 {
		text := "- [ ] " + count(n, "more", "more")
		if file := s.in.State.PlanOf(open[most]); file != "" {
			text += " in " + file
		}
		s.add(at, needed, 1<<19-most, text)
	}
}

// context writes how to go on: runs and how they ended, places, findings.
func (s *sheet) context(at place) {
	s.guide(at)
	s.kept(at)
	s.images(at)
	s.runs(at)
	s.whereabouts(at)
	findings := s.living(state.Finding)
	for i, it := range findings {
		text := s.unsaid(clip(it.Text, 2*maxLine))
		if len(text) < 3 {
			continue
		}
		r := useful
		const recent, most = 3, 24
		switch {
		case i >= len(findings)-recent:
			r = wanted1
		case i < len(findings)-most && s.in.matches(text) == 0:
			continue // said long ago
		case strings.HasPrefix(it.Key, "note/"):
			r = spare
		}
		s.add(at, r, it.First, "- "+text)
	}
	s.looked(at)
}

// unsaid is a text without the sentences that are in a line already: as the
// reason of a change, in a question, as what is left to do.
func (s *sheet) unsaid(text string) string {
	var left []string
	for _, sentence := range prose.Split(text) {
		if len(sentence) < 12 || !s.says(quote.Escape(sentence)) {
			left = append(left, sentence)
		}
	}
	return strings.Join(left, " ")
}

func (s *sheet) says(text string) bool {
	for _, lines := range s.lines {
		if slices.ContainsFunc(lines, func(l *line) bool { return strings.Contains(l.text, text) }) {
			return true
		}
	}
	return false
}

// runs writes the commands that were run, each with how it ended last.
func (s *sheet) runs(at place) {
	runs := s.living(state.Run)
	for i, it := range runs {
		if it.Life == state.Running || s.failing(it) || it.Ending == kinds.EndedFailing {
			continue // in progress, blocked, or it no longer matters
		}
		outcome := it.Note
		if it.Life == state.Unknown && outcome == "" {
			outcome = "outcome not known"
		}
		text := "- " + code(oneLine(it.Text))
		r := spare
		switch {
		case outcome != "":
			text += ": " + clip(outcome, 200)
			r = useful
		case it.Why != "":
			text += " (" + it.Why + ")"
		}
		const recent = 4
		if r == useful && (i >= len(runs)-recent || s.measured(it)) {
			r = wanted1
		}
		s.add(at, r, it.Last, text)
	}
}

// measured reports whether a run told a number that holds.
func (s *sheet) measured(run *state.Item) bool {
	return slices.ContainsFunc(s.in.State.Living(state.Measure), func(it *state.Item) bool {
		return it.Note == run.Text && strings.HasPrefix(it.Key, "figure/")
	})
}

// failing reports whether a run is listed under Blocked.
func (s *sheet) failing(run *state.Item) bool {
	return slices.ContainsFunc(s.in.State.Living(state.Failure), func(it *state.Item) bool { return it.Key == run.Key || it.Text == run.Text })
}

// whereabouts writes branch, addresses, versions.
func (s *sheet) whereabouts(at place) {
	var parts []string
	age := 0
	for _, it := range s.living(state.Place) {
		if it.By != "git" {
			parts = append(parts, oneLine(it.Text))
			age = it.Last
		}
	}
	if len(parts) > 0 {
		const most = 12
		s.add(at, wanted1, age, "- Places: "+strings.Join(parts[max(0, len(parts)-most):], ", "))
	}
}

// matches is how many words a line shares with the user's focus; 0 where it
// does not speak of it.
func (in Input) matches(text string) int {
	if in.focus == nil {
		return 0
	}
	return in.focus(text)
}

// focusOn returns a function that counts the words a line shares with what the
// user or a hook wants kept; nil where nobody said.
func focusOn(wishes []string) func(string) int {
	var bags []prose.Bag
	for _, w := range wishes {
		if b := prose.Content(w, prose.Detect(w)); len(b) > 0 {
			bags = append(bags, b)
		}
	}
	if len(bags) == 0 {
		return nil
	}
	return func(line string) int {
		content := prose.Content(line, prose.Detect(line))
		most := 0
		for _, b := range bags {
			if n := len(b.Shared(content)); n >= min(2, len(b)) {
				most = max(most, n)
			}
		}
		return most
	}
}

// count says how many of a thing there are.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// clip shortens a text to one line of at most units UTF-16 units, at the end
// of a word.
func clip(text string, units int) string {
	text = oneLine(text)
	cut := safetext.CutHead(text, units)
	if cut == text {
		return text
	}
	if i := strings.LastIndexByte(cut, ' '); i > len(cut)/2 {
		cut = cut[:i]
	}
	return strings.TrimSpace(cut) + "…"
}
