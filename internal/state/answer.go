package state

import (
	"slices"
	"strings"

	"github.com/coppice-dev/coppice/internal/calls"
	"github.com/coppice-dev/coppice/internal/prose"
	"github.com/coppice-dev/coppice/internal/safetext"
	"github.com/coppice-dev/coppice/message"
)

// assistant takes a message of the assistant: its words, then its calls.
func (f *folder) assistant(m *message.Message, w *said) {
	toolCalls := m.ToolCalls()
	final := len(toolCalls) == 0 && m.StopReason != message.StopToolUse
	f.talk.before = ""
	if w != nil && len(w.sentences) > 0 {
		f.prose(w, final)
	}
	if final {
		f.requestDone("answered")
	}
	for n, tc := range toolCalls {
		f.call(callRef{f.at, n}, tc, calls.Name(tc.Name), calls.ArgsOf(tc).Masked(f.opts.Mask))
	}
}

// prose takes what the assistant says: decisions, proposals, conclusions,
// questions.
func (f *folder) prose(w *said, final bool) {
	f.talk.decided = false
	f.decisions(w, final)
	f.answered(w, final)
	f.checkboxes(w)
	if !final {
		f.note(w)
		return
	}
	f.conclusion(w)
	f.assistantQuestions(w)
	f.mentions(w)
}

// note keeps what is said before calls: the reason of what the calls do. What
// only announces them says nothing.
func (f *folder) note(w *said) {
	var kept []sentence
	for _, s := range w.sentences {
		if !announces(s, len(w.sentences)) {
			kept = append(kept, s)
		}
	}
	if len(kept) == 0 {
		return
	}
	text := safetext.CutHead(oneLine(join(kept)), maxNote)
	f.talk.before = text
	if f.talk.decided {
		f.talk.before = "" // the decision says it
		return
	}
	if telling(kept) {
		f.make(Item{Kind: Finding, Key: "note/" + text, Text: text, Life: Current, By: "assistant"})
	}
}

// announces reports whether a sentence only says what comes next.
func announces(s sentence, of int) bool {
	const short = 60 // bytes
	text := strings.TrimSpace(s.Text)
	switch {
	case s.Question() || strings.HasSuffix(text, ":") || strings.HasSuffix(text, "："):
		return true
	case s.Has(prose.Cause, prose.Reason, prose.Choose):
		return false
	}
	h, ok := s.First(prose.Announce)
	return ok && h.Start < 4 || len(text) < short && !strings.ContainsAny(text, "`0123456789") && !fact(s)
}

// fact reports whether a sentence states something.
func fact(s sentence) bool {
	low := " " + strings.ToLower(s.Text) + " "
	for _, w := range []string{" is ", " are ", " has ", " have ", " contains ", " needs ", " cannot ", " can't ", " does not ", " doesn't ", " already ", " missing ", " wrong ",
		" ist ", " sind ", " hat ", " fehlt ", " est ", " sont ", " manque ", " es ", " está ", " falta ", " é ", " são ", " нет ", " это ", "です", "ます", "是", "没有", "입니다", "없"} {
		if strings.Contains(low, w) {
			return true
		}
	}
	return false
}

// telling reports whether words before a call are worth keeping by themselves.
func telling(sentences []sentence) bool {
	return slices.ContainsFunc(sentences, func(s sentence) bool {
		return s.Has(prose.Cause) || s.Has(prose.Reason) && len(s.Text) > 40 || strings.ContainsAny(s.Text, "0123456789") && len(s.Text) > 30 || len(s.Text) > 60 && fact(s)
	})
}

// decisions takes what the assistant chose and why, what it proposes, and the
// ways that it offers.
func (f *folder) decisions(w *said, final bool) {
	t := &f.talk
	for i, s := range w.sentences {
		if s.Question() && !s.Has(prose.Propose) || len(s.Text) > 1200 {
			continue
		}
		if s.Has(prose.Ways) && (final || hasChoice(w.sentences[i:])) && lists(s) {
			t.ways = s.Text
		}
		switch {
		case declared(s):
			f.decision(withReason(w.sentences[i:]), s)
		case prose.Option(s.Text) != "" && !s.Question() && optionsIn(w) == 1:
			f.decision(withReason(w.sentences[i:]), s)
			t.ways = ""
		case s.Has(prose.Choose) && !s.Has(prose.Propose) && (s.Has(prose.Reason) || t.ways != "" || strings.Contains(s.Text, "instead of") || decided(s)):
			text := withReason(w.sentences[i:])
			if t.ways != "" && t.ways != s.Text && len(t.ways)+len(text) < 1200 {
				text = t.ways + " " + text
			}
			f.decision(text, s)
			t.ways = ""
		case final && s.Has(prose.Propose):
			f.propose(w, i)
		}
	}
}

// optionsIn counts the ways that a message calls by a label.
func optionsIn(w *said) int {
	var labels []string
	for _, s := range w.sentences {
		if l := prose.Option(s.Text); l != "" && !contains(labels, l) {
			labels = append(labels, l)
		}
	}
	return len(labels)
}

// withReason is the first of some sentences, with the next one where that says
// why.
func withReason(sentences []sentence) string {
	s := sentences[0]
	if len(sentences) > 1 && !s.Has(prose.Reason) && sentences[1].Has(prose.Reason) && sentences[1].line == s.line && !sentences[1].Question() {
		return s.Text + " " + sentences[1].Text
	}
	return s.Text
}

// lists reports whether a sentence names several things.
func lists(s sentence) bool {
	return strings.ContainsAny(s.Text, ";:；：") || strings.Count(s.Text, ",")+strings.Count(s.Text, "、") >= 2 || strings.Contains(s.Text, " or ")
}

func hasChoice(sentences []sentence) bool {
	return slices.ContainsFunc(sentences, func(s sentence) bool { return s.Has(prose.Choose) })
}

// declared reports whether a sentence is labelled as a decision: "Decision:
// keys live in the database."
func declared(s sentence) bool {
	const most = 4 // words of the label
	head, rest, ok := strings.Cut(strings.ReplaceAll(s.Text, "：", ":"), ":")
	return ok && len(strings.Fields(head)) <= most && len(strings.TrimSpace(rest)) > 8 && decided(sentence{Sentence: prose.Sentence{Text: head}})
}

// decided reports whether a sentence says by itself that it decides.
func decided(s sentence) bool {
	low := strings.ToLower(s.Text)
	for _, w := range []string{"decid", "decision", "settled on", "opted", "ruled out", "entschied", "entscheid", "décid", "opté", "decidi", "elijo", "решил", "решен", "决定", "決定", "決め", "결정"} {
		if strings.Contains(low, w) {
			return true
		}
	}
	return false
}

func (f *folder) decision(text string, s sentence) {
	content := prose.Content(s.Text, s.Lang)
	mine := clause{text: s.Text, content: content}
	for _, it := range f.recent(Decision) {
		if it.By != "assistant" || it.Life != Accepted || it.First == f.at {
			continue
		}
		old := f.memo.content(it.Text, s.Lang)
		if content.Mostly(old, 0.6) || s.Has(prose.Instead) && sameSubject(clause{text: it.Text, content: old}, mine, true) {
			f.replace(it, clip(text, 160))
		}
	}
	f.make(Item{Kind: Decision, Key: f.entry + text, Text: text, Life: Accepted, By: "assistant"})
	f.talk.decided = true
}

// propose keeps what the assistant proposes until the user has answered.
func (f *folder) propose(w *said, i int) {
	if f.talk.proposal != nil && f.talk.proposal.First == f.at {
		return
	}
	from := i
	if w.sentences[i].Question() && i > 0 && w.sentences[i-1].line == w.sentences[i].line {
		from = i - 1 // "I would do X. Shall I?"
	}
	text := safetext.CutHead(join(w.sentences[from:i+1]), maxNote)
	if len(prose.Content(text, w.lang)) < 4 && spaced(w.lang) {
		return // "What shall we do?"
	}
	f.talk.proposal = f.make(Item{Kind: Decision, Key: f.entry + text, Text: text, Life: Proposed, By: "assistant"})
}

// conclusion takes the point of a final answer.
func (f *folder) conclusion(w *said) {
	text := conclude(w)
	if spaced(w.lang) && len(text) < maxDull && len(prose.Content(text, w.lang)) < 2 && !f.asksNow() {
		text = "" // "It is larger."
	}
	if text == "" {
		if text = remaining(w); text == "" {
			return
		}
	}
	content, figures := prose.Content(text, w.lang).Index(), numbers(text)
	denied := denials(w)
	for _, it := range f.recent(Finding) {
		if deniedBy(denied, it) {
			f.end(it, Replaced, "denied since: "+clip(text, 160))
			continue
		}
		if c := f.memo.content(it.Text, w.lang); len(c) > 2 && c.Mostly(content, 0.85) && !differ(f.memo.numbers(it.Text), figures) {
			f.end(it, Replaced, "said anew")
		}
	}
	f.make(Item{Kind: Finding, Key: answerKey + f.entry, Text: text, Note: remaining(w), Life: Current, By: "assistant"})
}

// asksNow reports whether the request at hand is a question.
func (f *folder) asksNow() bool {
	it := f.talk.current
	return it != nil && strings.ContainsAny(it.Text, "?？")
}

// noWords deny.
var noWords = []string{" not ", "n't ", " no longer ", " never ", " nicht ", " kein ", " keine ", " pas ", " no es ", " no era ", " no está ", " não é ", " não era ", " не ", "不是", "并非", "ではな", "じゃな", "ありません", "아니", "않"}

// denials are the sentences of an answer that deny something, where it says what
// is the case instead.
func denials(w *said) []prose.Bag {
	var out []prose.Bag
	found := false
	for _, s := range w.sentences {
		if found = found || s.Has(prose.Cause); len(s.Text) > 200 || s.Question() {
			continue
		}
		if hasAny(" "+strings.ReplaceAll(strings.ToLower(s.Text), "’", "'")+" ", noWords...) {
			out = append(out, s.Content())
		}
	}
	if !found {
		return nil
	}
	return out
}

// deniedBy reports whether what was found before is denied now: a sentence that
// denies has no word besides those of it.
func deniedBy(denials []prose.Bag, it *Item) bool {
	if len(denials) == 0 || it.By != "assistant" {
		return false
	}
	lang := prose.Detect(it.Text)
	if !prose.Read(it.Text, lang).Has(prose.Cause) {
		return false
	}
	old := prose.Content(it.Text, lang)
	return slices.ContainsFunc(denials, func(b prose.Bag) bool { return len(b) > 0 && b.Within(old) >= 0.99 })
}

// maxDull is the length in bytes of what says too little by itself.
const maxDull = 60

// answerKey begins the keys of conclusions of final answers.
const answerKey = "answer/"

// remaining is what an answer says is left to do.
func remaining(w *said) string {
	var parts []sentence
	for i, s := range w.sentences {
		if i < len(w.sentences)-8 || s.Question() || !s.Has(prose.Next) || prose.IsFiller(s.Text, s.Lang) || s.Has(prose.Propose) {
			continue
		}
		parts = append(parts, s)
	}
	return safetext.CutHead(flow(parts[max(0, len(parts)-4):]), maxNote)
}

// maxConclusion bounds a conclusion in bytes. A sentence is never cut before
// its end, unless it is longer than maxFinding, in UTF-16 units: that is data.
const (
	maxConclusion = 700
	maxFinding    = 4 * maxConclusion
)

// conclude returns what an answer comes to: all of a short one; of a long one
// what names causes and results, and its last statement.
func conclude(w *said) string {
	var parts []sentence
	size := 0
	for _, s := range w.sentences {
		if s.Question() || trivial(s) || prose.IsFiller(s.Text, s.Lang) || s.Has(prose.Propose) {
			continue
		}
		parts = append(parts, s)
		size += len(s.Text) + 1
	}
	if size <= maxConclusion {
		return flow(parts)
	}
	taken := make([]bool, len(parts))
	left := maxConclusion
	take := func(i int) {
		if i >= 0 && !taken[i] && (len(parts[i].Text) <= left || left == maxConclusion) {
			taken[i] = true
			left -= len(parts[i].Text) + 1
		}
	}
	last := len(parts) - 1
	take(last)
	found := false
	for i := last; i >= 0; i-- { // what was found, the latest first
		if parts[i].Has(prose.Cause) && !parts[i].Has(prose.Announce) {
			take(i)
			found = true
		}
	}
	for i := last - 1; i >= 0 && i > last-6; i-- {
		if !found || parts[i].line != parts[last].line {
			take(i)
		}
	}
	if len(parts[0].Text) > 40 && !parts[0].Has(prose.Announce) {
		take(0)
	}
	var out []sentence
	for i, s := range parts {
		if taken[i] {
			out = append(out, s)
		}
	}
	return safetext.CutHead(flow(out), maxFinding)
}

// flow writes sentences one after the other, with a sign between list items.
func flow(parts []sentence) string {
	var b strings.Builder
	for i, s := range parts {
		if i > 0 {
			if s.line != parts[i-1].line && !strings.HasSuffix(parts[i-1].Text, ".") && !strings.HasSuffix(parts[i-1].Text, ":") && !strings.HasSuffix(parts[i-1].Text, "。") {
				b.WriteString(";")
			}
			b.WriteString(" ")
		}
		b.WriteString(oneLine(s.Text))
	}
	return b.String()
}

// trivial reports whether a sentence says only that something is finished.
func trivial(s sentence) bool {
	const short = 30 // bytes
	return len(s.Text) < short && s.Has(prose.Done) && !strings.ContainsAny(s.Text, "`0123456789/") || len(strings.Fields(s.Text)) < 2 && spaced(s.Lang)
}
