package state

import (
	"context"
	"slices"
	"strings"

	"github.com/coppice-dev/coppice/internal/kinds"
	"github.com/coppice-dev/coppice/internal/prose"
)

// Contradiction is a line of a text that the state knows to be otherwise.
type Contradiction struct {
	Text  string // the line
	Kind  Kind
	Entry string // the entry that says otherwise
	Right string // what is true, in one line
	Stale bool   // the line was true once
}

// Contradictions finds what a text says that is known to be otherwise. It is
// judged by exact things only: exits, paths, commits, tasks, counts, words of
// the user; prose is never held against prose. If ctx ends, it stops in between.
func (t *Text) Contradictions(ctx context.Context, s *State) []Contradiction {
	var out []Contradiction
	add := func(l *textLine, it *Item, right string, stale bool) {
		if slices.ContainsFunc(out, func(c Contradiction) bool { return c.Text == l.text }) {
			return
		}
		entry := ""
		if ids := it.Entries(); len(ids) > 0 {
			entry = ids[len(ids)-1]
		}
		out = append(out, Contradiction{Text: l.text, Kind: it.Kind, Entry: entry, Right: right, Stale: stale})
	}
	for i := range t.lines {
		l := &t.lines[i]
		if i%lookAfter == 0 && ctx.Err() != nil {
			break
		}
		if strings.HasPrefix(l.text, "<") || strings.HasPrefix(l.text, ">") {
			continue
		}
		low := l.lower()
		for k := range s.Items {
			it := &s.Items[k]
			if right, ok := s.contradicts(it, l, low); ok {
				add(l, it, right, !it.Living())
			}
		}
	}
	return out
}

// contradicts reports whether what a line says of an item is wrong, and what
// is.
func (s *State) contradicts(it *Item, l *textLine, low string) (right string, yes bool) {
	switch it.Kind {
	case Failure:
		if it.Life == Open && !it.Reported && names(l, it) && saysGood(low) {
			return code(it.Text) + " still fails: " + clip(it.Note, 200), true
		}
	case Measure:
		if it.Ending == kinds.EndedFailing && saysAllPass(low) && !it.Reported {
			return "not all tests pass: " + code(it.Note) + " says " + it.Text, true
		}
	case Task:
		if (it.Life == Done || it.Life == Cancelled) && ahead(l) && sameTask(l, it) {
			return "no longer to do (" + string(it.Life) + "): " + it.Text, true
		}
	case Rule:
		if (it.Life == Replaced || it.Life == Withdrawn) && ruleSection(l.section) && len(it.Text) > 12 && strings.Contains(l.folded, strings.TrimRight(fold(it.Text), ".。")) && !saysEnded(low) && !saysSuccessor(l, it) {
			return "no longer in force: " + it.Text + " (" + clip(it.Why, 200) + ")", true
		}
	case File:
		if it.Life == Deleted && strings.Contains(l.folded, it.Text) && NewText(l.text).whole(fold(it.Text)) && strings.Contains(it.Text, ".") && saysThere(low) && !saysGone(low) {
			return it.Text + " was deleted", true
		}
	case Place:
		if it.By == "git" && it.Git == Committed && names(l, it) && strings.Contains(low, "pushed") && !saysNot(low, "push") {
			return it.Text + " is not pushed", true
		}
	case Question:
		if it.Life == Answered && strings.Contains(l.folded, strings.TrimRight(fold(lastQuestion(it.Text)), ".")) && saysOpen(low, l.section) {
			return "answered already: " + clip(it.Why, 200), true
		}
	}
	return "", false
}

// saysSuccessor reports whether a line says what took the place of a rule, which
// may hold the words of the old one.
func saysSuccessor(l *textLine, rule *Item) bool {
	return rule.Successor != "" && strings.Contains(l.folded, strings.TrimRight(fold(rule.Successor), ".。"))
}

func lastQuestion(text string) string {
	all := prose.Split(text)
	for _, s := range slices.Backward(all) {
		if strings.HasSuffix(s, "?") || strings.HasSuffix(s, "？") {
			return s
		}
	}
	return text
}

// names reports whether a line speaks of a command or a commit, by its own
// spelling.
func names(l *textLine, it *Item) bool {
	if it.Kind == Place {
		hash := firstField(it.Text)
		return isHash(hash) && strings.Contains(l.folded, hash[:7])
	}
	text := fold(it.Text)
	return len(text) > 3 && strings.Contains(l.folded, text) && NewText(l.text).whole(text)
}

func hasAny(low string, words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(low, w) })
}

// saysGood reports whether a line says that something works.
func saysGood(low string) bool {
	return hasAny(low, "passes", "passed", " pass", "succeed", "is green", "now works", "works now", "fixed", "resolved", "(ok)", "✅", "✓", "successfully") &&
		!hasAny(low, "fail", "error", "not ", "n't", "still", "broken", "except", "red", "unresolved", "should", "must", "need", "make sure", "until", "ensure")
}

// saysAllPass reports whether a line says that all tests pass.
func saysAllPass(low string) bool {
	return hasAny(low, "all tests pass", "all tests are passing", "all tests green", "all tests are green", "all passing", "tests all pass", "full test suite passes", "test suite passes", "test suite is green", "every test passes", "all specs pass", "no failing tests") &&
		!hasAny(low, "not all", "until", "make sure", "ensure", "should", "must", "once ", "before", "when all", "verify", "fail", "run ")
}

// ahead reports whether a line says what is to be done.
func ahead(l *textLine) bool {
	return strings.HasPrefix(strings.TrimLeft(l.text, "-* "), "[ ]") || hasAny(l.section, "next", "in progress", "remaining", "pending", "to do", "todo") && !strings.Contains(l.text, "[x]")
}

// sameTask reports whether a line names a task: its text, or all its words.
func sameTask(l *textLine, it *Item) bool {
	text := strings.TrimRight(fold(it.Text), ".")
	if len(text) < 8 {
		return false
	}
	if strings.Contains(strings.ToLower(l.folded), strings.ToLower(text)) {
		return len(l.folded) < 3*len(text)
	}
	want := prose.Content(it.Text, prose.Detect(it.Text))
	return len(want) >= 4 && want.Within(l.content()) >= 0.99 && len(l.content()) <= len(want)
}

func ruleSection(section string) bool { return hasAny(section, "constraint", "rule", "preference") }

func saysEnded(low string) bool {
	return hasAny(low, "replaced", "no longer", "superseded", "withdrawn", "instead", "was ", "was:", "(was", "not any more", "dropped", "earlier")
}

func saysThere(low string) bool {
	return hasAny(low, "created", "added", "modified", "updated", "new file", "contains", "exists", "implemented in", "(new)", "wrote", "lives in", "is in ")
}

func saysGone(low string) bool {
	return hasAny(low, "delet", "remov", "renam", "moved", "gone", "dropped", "no longer", "obsolete", "replaced", "→", "->", "was ", "former")
}

func saysNot(low, what string) bool {
	return hasAny(low, "not "+what, "not yet "+what, "un"+what, "n't "+what, "not been "+what, "to be "+what, "local", "later", "without "+what, "before "+what, "when ", "never "+what, "no "+what)
}

func saysOpen(low, section string) bool {
	return hasAny(low, "open question", "unanswered", "not answered", "waiting for an answer", "awaiting an answer", "needs an answer") || hasAny(section, "open question")
}
