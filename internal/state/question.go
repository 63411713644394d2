package state

import (
	"slices"
	"strings"

	"github.com/coppice-dev/coppice/internal/lazy"
	"github.com/coppice-dev/coppice/internal/prose"
	"github.com/coppice-dev/coppice/internal/safetext"
)

// maxQuestion bounds a question, in UTF-16 units.
const maxQuestion = 400

// userQuestions takes what the user asks. A question that is the whole message
// is answered by the next answer; one of several may be forgotten.
func (f *folder) userQuestions(meat []sentence) {
	for _, s := range meat {
		if s.Question() && !asksToDo(s) {
			f.make(Item{Kind: Question, Key: "user/" + s.meat, Text: safetext.CutHead(s.meat, maxQuestion), Life: Open, By: "user"})
			f.questions[f.at]++
		}
	}
}

// asksToDo reports whether a question is a polite order.
func asksToDo(s sentence) bool {
	low := strings.ToLower(s.Text)
	for _, p := range []string{"can you", "could you", "would you", "will you", "can we", "could we", "please", "kannst du", "könntest du", "können sie", "bitte",
		"peux-tu", "pouvez-vous", "pourrais-tu", "s'il te plaît", "puedes", "podrías", "por favor", "você pode", "pode ", "можешь", "можете", "пожалуйста",
		"可以帮", "能不能", "请", "もらえますか", "くれますか", "いただけますか", "해 줄래", "해줄래", "해 주실", "해줄 수"} {
		if strings.Contains(low, p) {
			return true
		}
	}
	return false
}

// answered ends the questions of the user that what the assistant said speaks
// of. A final answer ends a question that was asked alone, too.
func (f *folder) answered(w *said, final bool) {
	open := slices.DeleteFunc(f.recent(Question), func(it *Item) bool { return it.By != "user" })
	if len(open) == 0 {
		return
	}
	content := prose.Content(w.words.Own, w.lang)
	newest := open[0].First
	alone := f.questions[newest]
	for _, it := range open {
		asked := f.memo.content(it.Text, "")
		share := asked.Within(content)
		speaksOf := share >= 0.3 && len(asked.Shared(content)) >= min(2, len(asked))
		last := final && it.First == newest && alone == 1 && (f.talk.current == nil || f.talk.current.First != it.First || onlyAsks(f.talk.current, it))
		if speaksOf || last {
			f.end(it, Answered, "answered: "+safetext.CutHead(oneLine(w.words.Own), 120))
		}
	}
}

// onlyAsks reports whether a request is a question and little else.
func onlyAsks(request, question *Item) bool {
	return len(question.Text)*5 >= len(request.Text)*4
}

// assistantQuestions takes what the assistant asks at the end of an answer.
func (f *folder) assistantQuestions(w *said) {
	t := &f.talk
	t.asked = nil
	n := len(w.sentences)
	for i, s := range w.sentences {
		if !s.Question() || i < n-6 {
			continue
		}
		from := i // the sentence before says what it is about
		if i > 0 && w.sentences[i-1].line == s.line && !w.sentences[i-1].Question() && len(w.sentences[i-1].Text)+len(s.Text) < maxQuestion {
			from = i - 1
		}
		to := i + 1
		if to < n && w.sentences[to].line == s.line && !w.sentences[to].Question() && to == n-1 && len(w.sentences[to].Text) < 120 {
			to++ // "I need your decision."
		}
		it := f.make(Item{Kind: Question, Key: "assistant/" + s.Text, Text: safetext.CutHead(join(w.sentences[from:to]), maxQuestion), Life: Open, By: "assistant"})
		if it != nil {
			t.asked = append(t.asked, it)
		}
	}
}

// reply ends what the assistant asked and proposed, by what the user says to
// it.
func (f *folder) reply(w *said) {
	t := &f.talk
	t.putOff, t.reply = false, len(t.asked) > 0 || t.proposal != nil
	if len(w.sentences) == 0 {
		return
	}
	first := w.sentences[0]
	words := safetext.CutHead(oneLine(w.words.Own), 300)
	deferred := slices.ContainsFunc(w.sentences[:min(2, len(w.sentences))], func(s sentence) bool { return s.Has(prose.Defer) && !s.Has(prose.Choose) })
	t.putOff = deferred && (len(t.asked) > 0 || t.proposal != nil)
	rejects, accepts := first.Has(prose.Reject), first.Has(prose.Accept, prose.GoOn)
	content := prose.Content(w.words.Own, w.lang)
	labelled := ""
	if len(t.asked) > 0 {
		labelled = labelledLines(w.words.Own)
	}
	for _, q := range t.asked {
		about := len(prose.Content(q.Text, prose.Detect(q.Text)).Shared(content)) > 0
		switch {
		case deferred && !accepts:
			q.Note = f.opts.Mask("put off by the user: " + words)
			f.touch(q)
		case rejects || accepts || about || labelled != "" || len(words) < 120 && !first.Question():
			f.end(q, Answered, "the user: "+words)
		default:
			f.end(q, Moot, "the user went on to something else")
		}
	}
	if from := optionAt(w.sentences, len(t.asked) > 0); from >= 0 {
		f.make(Item{Kind: Decision, Key: f.entry, Text: upTo(w.sentences[from:], maxChosen), Note: t.ways, Life: Accepted, By: "user"})
		if p := t.proposal; p != nil {
			f.end(p, Moot, "the user chose")
		}
	} else if labelled != "" {
		f.make(Item{Kind: Decision, Key: f.entry, Text: labelled, Note: f.askedLast(), Life: Accepted, By: "user"})
	} else if p := t.proposal; p != nil && p.Living() {
		f.replyTo(p, first, w, deferred, rejects, accepts)
	} else if t.ways != "" {
		f.chosen(w, content)
	} else if len(t.asked) > 0 && !deferred && !first.Question() && len(words) < 80 && (rejects || accepts || first.Has(prose.Choose) || len(strings.Fields(words)) <= 5) {
		f.make(Item{Kind: Decision, Key: f.entry, Text: words, Note: "asked: " + clip(t.asked[len(t.asked)-1].Text, 160), Life: Accepted, By: "user"})
	}
	t.asked, t.proposal = nil, nil
}

// maxChosen is how many sentences of a choice are kept: one may be for each of
// the options.
const maxChosen = 4

// optionAt returns where a reply names an option by its label, or -1: at its
// start, or, where something was asked, at the start of a later line.
func optionAt(sentences []sentence, asked bool) int {
	for i, s := range sentences {
		if starts := i == 0 || asked && s.line != sentences[i-1].line; starts && prose.Option(s.meat) != "" && !s.Question() {
			return i
		}
	}
	return -1
}

// askedLast says what the assistant asked last; "" if that says nothing by itself.
func (f *folder) askedLast() string {
	text := f.talk.asked[len(f.talk.asked)-1].Text
	if len(strings.Fields(text)) < 4 {
		return ""
	}
	return "asked: " + clip(text, 160)
}

// labelledLines are the lines of a reply that begin with the label of an option
// or of a question, as "B) later" and "2. yes" do, each with its label.
func labelledLines(own string) string {
	var out []string
	for line := range strings.Lines(own) {
		if line = strings.TrimSpace(line); label.Get().MatchString(line) {
			out = append(out, line)
		}
	}
	return safetext.CutHead(strings.Join(out, " / "), maxNote)
}

var label = lazy.Expr{Of: `^\(?(?:[A-Ha-h]|[1-9])(?:[).:]|\)?:)\s+\S`}

// replyTo takes the user's answer to a proposal.
func (f *folder) replyTo(p *Item, first sentence, w *said, deferred, rejects, accepts bool) {
	words := upTo(w.sentences, 3)
	switch {
	case rejects && !accepts || first.Has(prose.Forbid) && first.Has(prose.Instead, prose.Reject):
		f.end(p, Rejected, "the user: "+words)
		f.make(Item{Kind: Decision, Key: f.entry, Text: words, Life: Rejected, By: "user"})
	case deferred:
		p.Why = f.opts.Mask("put off by the user: " + words)
		f.touch(p)
	case accepts:
		p.Life, p.Why = Accepted, f.opts.Mask("the user: "+words)
		f.touch(p)
	default:
		f.end(p, Moot, "the user went on to something else")
	}
}

// chosen takes the user's choice between ways that the assistant offered.
func (f *folder) chosen(w *said, content prose.Bag) {
	offered := prose.Content(f.talk.ways, prose.Detect(f.talk.ways))
	if w.sentences[0].Question() || len(content.Shared(offered)) == 0 && !w.sentences[0].Has(prose.Accept, prose.Choose) {
		return
	}
	f.make(Item{Kind: Decision, Key: f.entry, Text: upTo(w.sentences, 3), Note: f.talk.ways, Life: Accepted, By: "user"})
}

// upTo joins the first sentences of a message.
func upTo(sentences []sentence, n int) string {
	return safetext.CutHead(oneLine(join(sentences[:min(n, len(sentences))])), maxNote)
}

func clip(s string, units int) string {
	s = oneLine(s)
	if cut := safetext.CutHead(s, units); cut != s {
		return strings.TrimSpace(cut) + "…"
	}
	return s
}
