package state

import (
	"context"
	"slices"
	"strings"
)

// ResidueHeading is the heading of the facts that code adds to a summary
// because the summarizer dropped them. An extraction does not carry these lines
// over: its state has them.
const ResidueHeading = "## Facts Found by Code"

// wanted are the kinds of items that somebody who goes on would miss, the
// least first, with the lives that count and how many of them: the newest, of
// tasks the first.
var wanted = []struct {
	kind  Kind
	lives []Life
	most  int // how many; 0: all
}{
	{Decision, []Life{Rejected, Accepted}, 4},
	{Place, []Life{Current}, 3},
	{Run, []Life{Running}, 0},
	{Question, []Life{Open}, 6},
	{Request, []Life{Current}, 6},
	{Task, []Life{Open, Doing}, 8},
	{Failure, []Life{Open}, 6},
	{Rule, []Life{InForce, Limited}, 0},
}

// Missing returns the living items that a text does not hold and that somebody
// who goes on would want, those that matter most last. keep says which items
// count at all; nil: all. If ctx ends, it stops in between.
func (t *Text) Missing(ctx context.Context, s *State, keep func(*Item) bool) []*Item {
	var out []*Item
	for _, w := range wanted {
		all := slices.DeleteFunc(s.Of(w.kind), func(it *Item) bool {
			return !slices.Contains(w.lives, it.Life) || !it.counts() || keep != nil && !keep(it)
		})
		if n := len(all); w.most > 0 && n > w.most {
			if all = all[n-w.most:]; w.kind == Task { // what comes first is next
				all = s.Of(Task)
				all = slices.DeleteFunc(all, func(it *Item) bool { return !slices.Contains(w.lives, it.Life) || keep != nil && !keep(it) })[:w.most]
			}
		}
		for i, it := range all {
			if i%lookAfter == 0 && ctx.Err() != nil {
				return out
			}
			if !t.Holds(it) {
				out = append(out, it)
			}
		}
	}
	return out
}

// counts reports whether an item is one that is missed: what the user said and
// refused, commits that are not pushed, but not what a tool or a file said.
func (it *Item) counts() bool {
	switch it.Kind {
	case Decision:
		return it.By == "user"
	case Place:
		return it.By == "git" && it.Git == Committed
	case Rule:
		return it.By == "user" || it.By == ""
	case Question:
		return it.By == "user" || it.Note != ""
	}
	return true
}

// Line writes an item on one line, without a bullet.
func (it *Item) Line() string {
	text := oneLine(it.Text)
	switch {
	case it.Kind == Request && it.Living():
		return "open request: " + quoted(clip(text, maxNote))
	case it.Kind == Request:
		return "earlier request: " + quoted(clip(text, maxNote))
	case it.Kind == Task:
		return "to do: " + text
	case it.Kind == Failure:
		return code(text) + " fails" + withNote(": ", it.Note)
	case it.Kind == Run && it.Life == Running:
		return code(text) + " is running" + withNote(": ", it.Note)
	case it.Kind == Run:
		return code(text) + withNote(": ", it.Note)
	case it.Kind == Decision && it.Life == Rejected:
		return "refused by the user: " + quoted(text)
	case it.Kind == Decision && it.By == "user":
		return "chosen by the user: " + quoted(text)
	case it.Kind == Question:
		return "not answered yet: " + text
	case it.Kind == Place && it.By == "git" && it.Git == Committed:
		return "commit, not pushed: " + text
	case it.Kind == File && it.Life == Moved:
		return text + " → " + it.Note
	}
	return text
}

func withNote(sep, note string) string {
	if note = strings.TrimSpace(note); note == "" {
		return ""
	}
	return sep + clip(note, maxNote)
}
