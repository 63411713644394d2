package state

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/coppice-dev/coppice/internal/prose"
	"github.com/coppice-dev/coppice/internal/safetext"
)

// maxRule is the length of a rule in characters; longer sentences are parted.
const maxRule = 300

// maxRules bounds the rules of one message; beyond that it is a pasted text of
// rules, of which the beginning has to do.
const maxRules = 60

// rules takes what the user orders and forbids, and ends what that replaces.
func (f *folder) rules(sentences []sentence, w *said, by string) {
	n := 0
	required := requirements(sentences, w.lines)
	for i := 0; i < len(sentences) && n < maxRules; i++ {
		s := sentences[i]
		l := w.lines[s.line]
		l.Rule = l.Rule || required[s.line]
		if by == "user" {
			f.takesBack(s) // what it says besides counts
		}
		if !isRule(s, l) && !f.turnsOver(s, by) || f.talk.putOff && s.Has(prose.Defer) && !s.Has(prose.Forbid) {
			continue
		}
		text := strings.TrimSpace(s.Text)
		if by == "user" && s.meat != s.Text {
			text = s.meat
		}
		if l.Item && l.Rule {
			if text != strings.TrimSpace(l.Text) { // an item of a list of rules is one as it is written
				if !strings.HasPrefix(l.Text, text) {
					continue
				}
				text = strings.TrimSpace(l.Text)
			}
			if forbids(l.Head) && !forbids(text) {
				text = l.Head + " " + text
			}
		}
		f.rule(text, s, by, !l.Rule && wishes(s))
		n++
	}
}

// requirements finds the items of lists that are rules though nothing says so
// before the list: half of the items or more order or forbid something. An item
// by itself would be torn from what it refers to.
func requirements(sentences []sentence, lines []prose.Line) map[int]bool {
	const least = 3 // items
	orders := map[int]bool{}
	for _, s := range sentences {
		if l := lines[s.line]; l.Item && !l.Rule && isRule(s, l) && !s.Has(prose.Ask) {
			orders[s.line] = true
		}
	}
	out := map[int]bool{}
	for from := 0; from < len(lines); {
		to, n := from, 0
		for ; to < len(lines) && lines[to].Item && lines[to].Head == lines[from].Head; to++ {
			if orders[to] {
				n++
			}
		}
		for i := from; i < to && to-from >= least && 2*n >= to-from; i++ {
			out[i] = true
		}
		from = max(to, from+1)
	}
	return out
}

// turnsOver reports whether a sentence puts something in the place of what a
// rule says.
func (f *folder) turnsOver(s sentence, by string) bool {
	if by != "user" || !s.Has(prose.Instead) && !scraps(s.Sentence) || s.Question() {
		return false
	}
	mine := clause{text: s.Text, content: prose.Content(s.Text, s.Lang)}
	return slices.ContainsFunc(f.recent(Rule), func(it *Item) bool {
		_, parts := f.memo.clauses(it.Text)
		return it.First != f.at && slices.ContainsFunc(parts, func(p clause) bool { return sameSubject(p, mine, true) })
	})
}

// isRule reports whether a sentence says how things are to be done, whatever
// is asked for.
func isRule(s sentence, l prose.Line) bool {
	if l.Item && l.Rule {
		return true
	}
	if s.Question() || introduces(s) || utf8.RuneCountInString(s.Text) > 2*maxRule {
		return false
	}
	if s.Has(prose.Order, prose.Permit, prose.Need) && !musing(s) {
		return orderly(s)
	}
	return labelled(s, l) || s.Has(prose.Limit) && s.Has(prose.Instead)
}

// introduces reports whether a sentence only says what comes after it.
func introduces(s sentence) bool {
	return strings.HasSuffix(s.Text, ":") || strings.HasSuffix(s.Text, "：")
}

// generalities are words that make of what is wanted a rule.
var generalities = []string{"all", "every", "each", "any", "everything", "everywhere", "everyone", "alle", "allen", "jede", "jeder", "jedes", "überall", "tous", "toutes", "chaque", "partout",
	"todos", "todas", "cada", "все", "всех", "каждый", "каждая", "каждое", "always", "never", "only", "not", "nur", "nicht", "seulement", "pas", "solo", "no", "só", "não", "не", "только"}

// wishes reports whether a sentence only says what one request wants: it holds
// until that is done.
func wishes(s sentence) bool {
	if !s.Has(prose.Need) || s.Has(prose.Order, prose.Permit, prose.Limit) {
		return false
	}
	switch s.Lang {
	case "ja":
		return !strings.Contains(s.Text, "すべて") && !strings.Contains(s.Text, "全て") && !strings.Contains(s.Text, "各")
	case "zh":
		return !strings.Contains(s.Text, "所有") && !strings.Contains(s.Text, "每") && !strings.Contains(s.Text, "都")
	case "ko":
		return !strings.Contains(s.Text, "모든") && !strings.Contains(s.Text, "각")
	}
	return !slices.ContainsFunc(strings.FieldsFunc(strings.ToLower(s.Text), func(r rune) bool { return !isLetter(r) }), func(w string) bool { return contains(generalities, w) })
}

// orderly tells an order that holds from a request to do something once, in
// the languages in which both sound alike.
func orderly(s sentence) bool {
	switch s.Lang {
	case "ja", "zh", "ko":
		return s.Has(prose.Forbid) || !s.Has(prose.Ask) || s.Has(prose.Limit)
	}
	return true
}

// musings are statements of the user's own mind, which a "don't" only denies.
var musings = []string{"i don't understand", "in mind", "i don't know", "i don't think", "i don't see", "i don't remember", "i don't get", "don't mind", "don't believe",
	"i do not understand", "i do not know", "i do not think", "i only see", "i only get", "i only got", "i only found", "not sure", "i can't see", "ich weiß nicht",
	"ich glaube nicht", "je ne sais pas", "je ne crois pas", "no sé", "no creo", "não sei", "não acho", "не знаю", "не думаю", "не понимаю", "我不知道", "我不确定", "わからない", "わかりません", "모르겠"}

// musing reports whether all that sounds like an order is such a statement.
func musing(s sentence) bool {
	low := strings.ReplaceAll(strings.ToLower(s.Text), "’", "'")
	i := slices.IndexFunc(musings, func(m string) bool { return strings.Contains(low, m) })
	if i < 0 {
		return false
	}
	at := strings.Index(low, musings[i])
	return !slices.ContainsFunc(s.Hits, func(h prose.Hit) bool {
		return h.Class == prose.Order && (h.Start < at || h.Start > at+len(musings[i]))
	})
}

// labelled reports whether a sentence is a setting: a short label, a colon and
// a value: "Indentation: four spaces."
func labelled(s sentence, l prose.Line) bool {
	head, parts := prose.Clauses(s.Text, s.Lang)
	return (l.Item || !strings.HasPrefix(l.Text, s.Text)) && head != "" && len(strings.Fields(head)) <= 3 && len(s.Text) < 120 && len(strings.Fields(strings.Join(parts, " "))) >= 2 &&
		!strings.Contains(s.Text, "://") && !s.Has(prose.Ask) && !strings.ContainsAny(head, "0123456789/\\.`[]<>")
}

// forbids reports whether a text forbids.
func forbids(text string) bool { return prose.Read(text, prose.Detect(text)).Has(prose.Forbid) }

func (it *Item) forbids() bool { return forbids(it.Text) }

// rule adds a rule. What it replaces is told; what it repeats is renewed.
// One that is a wish ends with the request at hand.
func (f *folder) rule(text string, s sentence, by string, wish bool) {
	for _, part := range bounded(text) {
		content := prose.Content(part, s.Lang)
		if it := f.sameRule(part); it != nil {
			f.touch(it)
			continue
		}
		if by == "user" {
			f.overrules(part, content, s)
		}
		life := InForce
		if s.Has(prose.Limit) {
			life = Limited
		}
		it := f.make(Item{Kind: Rule, Key: part, Text: part, Life: life, By: by})
		if it != nil && by == "user" && wish {
			f.details[it] = f.talk.current
		}
	}
}

// sameRule finds a living rule that says the same.
func (f *folder) sameRule(text string) *Item {
	masked := f.opts.Mask(text)
	for _, it := range f.recent(Rule) {
		if it.Text == masked {
			return it
		}
	}
	if it := f.latest(Rule, text); it != nil && it.Living() && it.Text == masked {
		return it
	}
	return nil
}

// bounded parts what is too long for one rule.
func bounded(text string) []string {
	if utf8.RuneCountInString(text) <= maxRule {
		return []string{text}
	}
	_, parts := prose.Clauses(text, prose.Detect(text))
	var out []string
	for _, p := range parts {
		if n := len(out); n > 0 && utf8.RuneCountInString(out[n-1])+utf8.RuneCountInString(p) < maxRule {
			out[n-1] += ", " + p
		} else {
			out = append(out, safetext.CutHead(p, maxRule))
		}
	}
	return out
}

// takesBack ends what a sentence takes back: rules, or parts of them, that are
// about what it names.
func (f *folder) takesBack(s sentence) {
	_, clauses := prose.Clauses(s.Text, s.Lang)
	for _, c := range clauses {
		r := prose.Read(c, s.Lang)
		if !scraps(r) && !r.Has(prose.Permit) || r.Question() {
			continue
		}
		f.takeBack(object(r), s)
	}
}

// exception reports whether a sentence allows something for one place or time:
// what the user said holds besides; what a command or a file says is for here
// anyway.
func exception(s sentence) bool { return s.Has(prose.Limit) && s.Has(prose.Permit) }

// scraps reports whether a sentence takes something back. "Never drop a table"
// does not.
func scraps(s prose.Sentence) bool {
	const near = 12 // bytes
	return slices.ContainsFunc(s.Hits, func(h prose.Hit) bool {
		return h.Class == prose.Scrap && !slices.ContainsFunc(s.Hits, func(n prose.Hit) bool {
			if n.Class != prose.Forbid {
				return false
			}
			if n.Start <= h.Start {
				return h.Start-n.End <= near && (n.Start != h.Start || n.End != h.End)
			}
			return !spaced(s.Lang) && n.Start-h.End <= near
		})
	})
}

// object is what a clause is about: its words without those of its phrases.
func object(s prose.Sentence) prose.Bag {
	bare := []byte(s.Text)
	for _, h := range s.Hits {
		if h.Class == prose.Scrap || h.Class == prose.Permit || h.Class == prose.Instead || h.Class == prose.Limit {
			if spaced(s.Lang) && strings.Count(s.Text[h.Start:h.End], " ") > 2 {
				continue // a phrase with a gap: what is in the gap is the object
			}
			for i := h.Start; i < h.End; i++ {
				bare[i] = ' '
			}
		}
	}
	return prose.Content(string(bare), s.Lang)
}

func spaced(l prose.Lang) bool { return l != "ja" && l != "zh" && l != "ko" }

// takeBack ends the parts of living rules that are about an object.
func (f *folder) takeBack(what prose.Bag, s sentence) {
	if len(what) == 0 {
		return
	}
	for _, it := range f.recent(Rule) {
		if it.First == f.at && strings.Contains(s.Text, it.Text) || it.By == "user" && exception(s) {
			continue
		}
		head, parts := f.memo.clauses(it.Text)
		var left []string
		for _, p := range parts {
			if n := len(p.content.Shared(what)); n > 0 && (what.Within(p.content) >= 0.5 || p.content.Within(what) >= 0.5) {
				continue
			}
			left = append(left, p.text)
		}
		if len(left) < len(parts) {
			f.shrink(it, head, left, s)
		}
	}
}

// shrink leaves of a rule only the parts that still hold.
func (f *folder) shrink(it *Item, head string, left []string, s sentence) {
	why := "the user: " + safetext.CutHead(s.Text, 200)
	lang := prose.Detect(it.Text)
	left = slices.DeleteFunc(left, func(p string) bool { // what no longer says anything by itself
		r := prose.Read(p, lang)
		return r.Has(prose.Scrap) || head == "" && !r.Has(prose.Order, prose.Permit, prose.Limit, prose.Need, prose.Forbid) && len(numbers(p)) == 0
	})
	if len(left) == 0 {
		f.end(it, Withdrawn, why)
		return
	}
	it.Before = it.Text
	it.Text = head + strings.Join(left, ", ")
	it.Why = f.opts.Mask(why)
	f.touch(it)
}

// overrules ends the rules that a new one replaces: on the same subject, with
// another value.
func (f *folder) overrules(text string, content prose.Bag, s sentence) {
	if len(content) == 0 || exception(s) {
		return
	}
	turns := s.Has(prose.Instead, prose.Restate) || scraps(s.Sentence)
	start, rest := prose.Clauses(text, s.Lang)
	is := forbids(start)
	orders := !is && s.Has(prose.Order, prose.Permit, prose.Need)
	mine := make([]clause, len(rest))
	for i, m := range rest {
		not := forbids(m)
		mine[i] = clause{m, prose.Content(m, s.Lang), is || not, orders && !not}
	}
	for _, it := range f.recent(Rule) {
		if it.First == f.at || it.Text == text || it.By != "user" {
			continue
		}
		head, parts := f.memo.clauses(it.Text)
		var left []string
		for _, p := range parts {
			if !slices.ContainsFunc(mine, func(m clause) bool { return sameSubject(p, m, turns) }) {
				left = append(left, p.text)
			}
		}
		switch {
		case len(left) == len(parts):
		case len(left) == 0:
			f.replace(it, safetext.CutHead(text, 200))
		default:
			f.shrink(it, head, left, s)
		}
	}
}
