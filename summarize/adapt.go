package summarize

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/coppice-dev/coppice/internal/kinds"
	"github.com/coppice-dev/coppice/internal/state"
	"github.com/coppice-dev/coppice/message"
)

// accept takes the answer to the current query as the running summary and
// continues with what is left. In a folded history it adds the facts of the
// rounds so far that the model dropped: no later pass could bring them back.
func (f *fold) accept(ctx context.Context, summary string) {
	if f.folded {
		summary += f.dropped(ctx, summary)
	}
	f.previous = f.safe(summary)
	rest := f.left[f.taken:]
	if f.piece != nil {
		rest = append([]round{*f.piece}, rest...)
	}
	f.left = rest
	f.passes++
	f.tries, f.ask.reminder, f.changed, f.fallback = 0, "", "", nil
}

// doubt returns a *refusal for an answer that could be used, but had better be
// asked for once more: it is in another script than the user writes in, or it
// says what the state knows to be otherwise. It does so once; the answer stays
// as a fallback.
func (f *fold) doubt(ctx context.Context, got answer) error {
	f.fallback = nil
	if f.doubted {
		return nil
	}
	var r *refusal
	if script, other := otherScript(got.text, f.script); other {
		r = &refusal{Reason: wrongText, Detail: script}
	} else if f.strict && f.state != nil && !f.more() {
		var lines []string
		for _, c := range state.NewText(got.text).Contradictions(ctx, f.state) {
			lines = append(lines, fmt.Sprintf("%q: %s", clip(c.Text, 200), clip(f.safe(c.Right), 200)))
		}
		if len(lines) > 0 {
			r = &refusal{Reason: notTrue, Detail: strings.Join(lines, "; ")}
		}
	}
	if r == nil {
		return nil
	}
	f.doubted, f.fallback = true, &got
	return r
}

// isDoubt reports whether an answer was refused that could have been used.
func isDoubt(err error) bool {
	var r *refusal
	return errors.As(err, &r) && (r.Reason == wrongText || r.Reason == notTrue)
}

// dropped lists the essential facts of the current rounds that the summary
// lacks, newest first, in at most an eighth of the output limit.
func (f *fold) dropped(ctx context.Context, summary string) string {
	if f.state == nil {
		return ""
	}
	here := map[string]bool{}
	for _, r := range f.left[:f.taken] {
		for _, s := range r.sources {
			here[s.EntryID] = true
		}
	}
	left := f.output / 8
	var lines []string
	for _, it := range slices.Backward(state.NewText(summary).Missing(ctx, f.state, func(it *state.Item) bool {
		return f.covers.has(it.First) && slices.ContainsFunc(it.Entries(), func(id string) bool { return here[id] })
	})) {
		line := "- " + f.safe(it.Line())
		if left -= f.estimate(line) + 1; left < 0 {
			break
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		return ""
	}
	return "\n\n" + state.ResidueHeading + "\n" + strings.Join(lines, "\n")
}

// refused changes the next attempt after an answer that is not a summary. It
// reports false if the model has had all its tries: the same request would fail
// the same way again.
func (f *fold) refused(r *refusal) bool {
	if f.tries++; f.tries >= maxTries {
		return false
	}
	advice := ""
	var changes []string
	switch r.Reason {
	case empty, errorText:
		advice = "Write the summary as plain text."
		changes = f.shrink()
	case cutOff:
		advice = fmt.Sprintf("Use at most %d words.", f.words())
		changes = f.grow()
	case calledTool:
		advice = "There are no tools here. Answer with text only."
	case notSmaller, tooLong:
		advice = fmt.Sprintf("Use at most %d words.", f.words())
	case wrongText:
		advice = "Write in the user's language, in " + r.Detail + " script; headings stay in English."
	case notTrue:
		advice = "Correct these lines and keep the rest."
	case noSections:
		advice = "Use every one of the headings that are given below, as they are written."
	}
	if f.tries > 1 && len(changes) == 0 {
		changes = f.shrink() // asking was not enough
	}
	if f.tries > 1 && len(changes) == 0 {
		changes = f.grow()
	}
	f.ask.reminder = prompt("reminder", map[string]string{"Reason": r.words(), "Advice": advice})
	f.changed = strings.Join(append(changes, "reminder"), ", ")
	return true
}

// shrink halves the transcript if it is large enough.
func (f *fold) shrink() []string {
	const least = 256
	size := f.estimate(f.chunk)
	if size/2 < least {
		return nil
	}
	f.smaller = size / 2
	return []string{fmt.Sprintf("input %d → %d tokens", size, f.smaller)}
}

// grow doubles the output limit, within what the model and the window allow.
func (f *fold) grow() []string {
	limit := int64(maxOutput)
	if f.model.MaxOutput > 0 {
		limit = min(limit, f.model.MaxOutput)
	}
	if f.window > 0 {
		limit = min(limit, f.window/4)
	}
	before := f.output
	f.output = max(before, min(2*before, limit))
	if f.output == before {
		return nil
	}
	return []string{fmt.Sprintf("output %d → %d tokens", before, f.output)}
}

// words returns how many words a summary should have, a little below its limit.
func (f *fold) words() int64 {
	limit := capped(f.maxOutput, f.last.maxOutput)
	if f.last.check.Cap > 0 {
		limit = min(limit, f.last.check.Cap)
	}
	if f.source > 0 {
		limit = min(limit, f.source/2)
	}
	return max(limit/2, 50) // two tokens a word, to be on the safe side
}

// overflowed learns from a refused request how much the model takes, so that
// the next request is smaller. It reports false after too many refusals, and if
// a smaller request would not help.
func (f *fold) overflowed(fault *message.Fault) bool {
	left := maxLearning - f.learned
	remedy := fault.Next(map[message.Remedy]int{kinds.RemedyCompact: left, kinds.RemedyReduceOutput: left, kinds.RemedyDropMedia: left}, nil)
	if remedy == kinds.RemedyNone {
		return false
	}
	f.learned++
	limit := fault.Limit
	if remedy == kinds.RemedyReduceOutput {
		before := f.output
		f.output = max(before/2, 1)
		if limit.Max > 0 {
			f.output = min(f.output, limit.Max)
		}
		f.changed = fmt.Sprintf("output %d → %d tokens", before, f.output)
		return before > 1
	}
	if limit.Unit == kinds.UnitBytes {
		limit = message.Limit{} // the refusal says nothing about tokens
	}
	asked := f.last.size(f.estimate)
	if limit.Max > 0 && (f.window == 0 || limit.Max < f.window) {
		f.window = limit.Max
	}
	if limit.Used > 0 && asked > 0 {
		// The provider counted: take its ratio, and a little more for the next text.
		f.factor = max(f.factor, 1.05*float64(limit.Used)/float64(asked))
	}
	before := f.tokens(asked) + f.last.maxOutput
	if f.window == 0 || before <= f.window {
		f.window = before * 7 / 10 // no number explains the refusal
	}
	f.changed = fmt.Sprintf("window of %d tokens learned", f.window)
	return true
}

// words returns the reason as a sentence.
func (r *refusal) words() string {
	text := map[reason]string{
		empty:      "it had no text",
		cutOff:     "it was cut off by the output limit",
		calledTool: "it called a tool",
		errorText:  "it was an error, not a summary",
		notSmaller: "it was as long as what it summarizes",
		tooLong:    "it was too long",
		noSections: "headings were missing",
		wrongText:  "it was not in the user's language",
		notTrue:    "it says something that is wrong",
	}[r.Reason]
	if r.Reason == noSections && r.Detail != "" || r.Reason == notTrue {
		return text + " (" + r.Detail + ")"
	}
	return text
}
