package state

import (
	"math"
	"slices"
	"strings"

	"github.com/coppice-dev/coppice/internal/lazy"

	"github.com/coppice-dev/coppice/internal/prose"
	"github.com/coppice-dev/coppice/internal/safetext"
	"github.com/coppice-dev/coppice/message"
)

// talk is what is known of the conversation between user and assistant.
type talk struct {
	current  *Item            // the current request
	open     []*Item          // requests that a newer one came before they were done
	final    bool             // the assistant has given a final answer to it
	body     *Item            // the request that such a text belongs to
	proposal *Item            // what the assistant proposed and nobody has answered
	asked    []*Item          // what the assistant asked and nobody has answered
	ways     string           // what the assistant offered to choose from
	before   string           // what the assistant said before the calls at hand
	putOff   bool             // the message at hand puts off what the assistant asked or proposed
	decided  bool             // the message at hand holds a decision
	spoken   int              // where the user spoke before
	reply    bool             // the message at hand answers what the assistant asked or proposed
	tasks    map[string]*Item // files that the user named as the task
}

// user takes a message of the user.
func (f *folder) user(w *said) {
	if w == nil {
		return
	}
	t := &f.talk
	t.body = nil
	defer func() { t.spoken = f.at }()
	if w.words.Command != "" {
		f.slash(w)
		return
	}
	if strings.TrimSpace(w.words.Own) == "" && w.words.Skill == "" {
		return
	}
	f.reply(w)
	meat := slices.DeleteFunc(slices.Clone(w.sentences), func(s sentence) bool { return !hasWord(s.meat) })
	if len(meat) == 0 && len(w.sentences) > 0 {
		return // nothing but filler
	}
	if goesOn(meat) {
		f.goOn()
		return
	}
	if f.withdraws(meat) {
		return
	}
	f.turnedOver(meat)
	orders := meat
	if f.request(meat, w) {
		orders = meat[1:] // the first sentence takes the request before back
	}
	f.rules(orders, w, "user")
	f.userQuestions(meat)
	f.talk.ways = ""
}

// hasWord reports whether a text has a letter or a digit.
func hasWord(s string) bool { return strings.ContainsFunc(s, wordly) }

// slash takes a command that was typed: its text follows in a message of the
// agent.
func (f *folder) slash(w *said) {
	name, _, _ := strings.Cut(w.words.Command, " ")
	if localCommands.Has(name) {
		return
	}
	f.newRequest(w.words.Command)
	f.talk.body = f.talk.current
	f.rules(w.sentences, w, "user")
}

// localCommands are commands to the agent itself.
var localCommands = lazy.Words{"/clear", "/exit", "/quit", "/model", "/ide", "/cost", "/status", "/help",
	"/login", "/logout", "/config", "/compact", "/resume", "/context", "/mcp", "/permissions", "/memory",
	"/init", "/theme", "/vim", "/doctor", "/usage", "/rewind", "/export", "/hooks", "/agents", "/plugin"}

// custom takes a message that a program put in. It belongs to nobody, unless
// it is the text of a command that the user has just typed, or tells how a
// command in the background ended.
func (f *folder) custom(m *message.Message, w *said) {
	if w == nil {
		return
	}
	text := w.words.Own
	if strings.Contains(text, "<task-notification>") {
		f.notice(text)
		return
	}
	if f.talk.body == nil || prose.Own(text).Own == "" && !strings.HasPrefix(text, "Base directory for this skill:") {
		return
	}
	f.instructions(f.talk.body, text, f.talk.body.Text)
	f.talk.body = nil
}

// maxBody is the length of instructions above which only their beginning
// belongs to the request, in bytes: a skill that can be read again.
const maxBody = 6000

// instructions adds what a command, a skill or a task file says to the request
// that it belongs to.
func (f *folder) instructions(request *Item, text, from string) {
	head := text[:min(len(text), maxBody)]
	w := read(prose.Words{Own: strings.ToValidUTF8(head, "")}, false)
	about := title(text)
	for _, s := range w.sentences {
		if w.lines[s.line].Item || strings.HasPrefix(s.Text, "Base directory for this skill") || strings.HasSuffix(s.Text, ":") {
			continue
		}
		about = strings.TrimSpace(about + " " + s.Text)
		if len(about) > 60 {
			break
		}
	}
	request.Note = f.opts.Mask(safetext.CutHead(about, maxNote))
	if len(text) <= maxBody {
		for i := range w.lines {
			w.lines[i].Rule = w.lines[i].Item
		}
		f.rules(slices.DeleteFunc(w.sentences, func(s sentence) bool { return !w.lines[s.line].Item && !s.Has(prose.Forbid) }), w, "file:"+from)
	}
}

// title is the first heading of a text.
func title(text string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); prose.Heading(line) {
			return strings.TrimSpace(strings.TrimLeft(line, "#")) + ":"
		}
		if len(line) > 0 && !strings.HasPrefix(line, "---") && !strings.HasPrefix(line, "Base directory") {
			return ""
		}
	}
	return ""
}

const maxNote = 400 // UTF-16 units

// goesOn reports whether a message only asks to go on.
func goesOn(meat []sentence) bool {
	const short = 60 // bytes
	for _, s := range meat {
		if s.Question() || len(s.meat) > short || !s.Has(prose.GoOn, prose.Accept) || s.Has(prose.Instead, prose.Scrap, prose.Forbid) ||
			len(s.Rest(prose.GoOn, prose.Accept, prose.Filler)) > 0 {
			return false
		}
	}
	return true
}

// goOn takes the last request up again where it was answered.
func (f *folder) goOn() {
	t := &f.talk
	if t.current != nil && t.current.Life == Done {
		f.reopen(t.current, Current)
	}
	t.final = false
}

// request takes what the user asks for. It reports whether that replaces the
// request before.
func (f *folder) request(meat []sentence, w *said) bool {
	t := &f.talk
	text := requestText(meat, w)
	if w.words.Skill != "" {
		text = strings.TrimSpace("/skill:" + w.words.Skill + " " + text)
	}
	if text == "" {
		return false
	}
	old, interrupted := t.current, !t.final
	if old == nil || old.Life == Done {
		f.newRequest(text)
		f.taskFiles(meat, w)
		return false
	}
	replaces := interrupted && replacesRequest(meat)
	f.newRequest(text)
	f.taskFiles(meat, w)
	switch {
	case replaces:
		f.end(old, Replaced, "the user asked for something else: "+safetext.CutHead(oneLine(text), 160))
		f.mootRules(old)
	default:
		t.open = append(t.open, old)
	}
	return replaces
}

// requestDone ends the current request where nothing of it is left open, and
// with it those that it came between.
func (f *folder) requestDone(why string) {
	t := &f.talk
	t.final = true
	if t.current == nil || t.current.Life != Current || f.unfinished(t.current) {
		return
	}
	f.end(t.current, Done, why)
	f.endDetails(t.current)
	t.open = slices.DeleteFunc(t.open, func(it *Item) bool {
		if it.Life == Current && !f.unfinished(it) {
			f.end(it, Done, why)
			f.endDetails(it)
		}
		return it.Life != Current
	})
}

// endDetails ends the rules that only said what a request wants.
func (f *folder) endDetails(request *Item) {
	for it, of := range f.details {
		if of != request {
			continue
		}
		if it.Living() {
			f.end(it, Done, "done with its request")
		}
		delete(f.details, it)
	}
}

// unfinished reports whether something that came with a request is open:
// listed work, a check that fails, a command that runs, an answer of the user.
func (f *folder) unfinished(request *Item) bool {
	next := f.after(request)
	since := func(it *Item) bool { return !it.Reported && it.First >= request.First && it.First < next }
	if slices.ContainsFunc(f.living(Task), since) || slices.ContainsFunc(f.jobs, func(j *job) bool { return j.run != nil && j.run.Life == Running && since(j.run) }) {
		return true
	}
	if slices.ContainsFunc(f.living(Failure), func(it *Item) bool { return since(it) && contains(checkers, f.failures[it].key.prog) }) {
		return true
	}
	return request == f.talk.current && (len(f.talk.asked) > 0 || f.talk.proposal != nil)
}

// after is the place of the request that came after another one.
func (f *folder) after(request *Item) int {
	next := math.MaxInt
	for _, it := range slices.Backward(f.items) {
		if it == request {
			break
		}
		if it.Kind == Request {
			next = it.First
		}
	}
	return next
}

// newRequest makes a request the current one.
func (f *folder) newRequest(text string) {
	const most = 4000 // UTF-16 units
	if it := f.make(Item{Kind: Request, Key: f.entry, Text: safetext.CutHead(text, most), Life: Current, By: "user"}); it != nil {
		f.talk.current = it
	}
	f.talk.final = false
}

// requestText is what the user wrote, from the first words that ask for
// something.
func requestText(meat []sentence, w *said) string {
	own := w.words.Own
	if len(meat) == 0 {
		return strings.TrimSpace(own)
	}
	first := meat[0]
	if len(meat) > 1 && len(first.meat) < 24 && !first.Question() && first.Has(prose.Accept) && !first.Has(prose.Instead, prose.Order) {
		first = meat[1] // "Yes."
	}
	i := strings.Index(own, first.Text)
	if i < 0 {
		return strings.TrimSpace(own)
	}
	rest := own[i:]
	if k := strings.Index(rest, first.meat); k > 0 && k < len(first.Text) {
		rest = rest[k:]
	}
	return strings.TrimSpace(rest)
}

// replacesRequest reports whether a message takes the request at hand back and
// asks for something else.
func replacesRequest(meat []sentence) bool {
	for i, s := range meat {
		if i > 2 {
			break
		}
		if i == 0 && s.Has(prose.Reject) && (s.Has(prose.Instead) || s.Has(prose.Scrap)) || s.Has(prose.Scrap) && s.Has(prose.Instead) {
			return true
		}
	}
	return len(meat) > 1 && meat[0].Has(prose.Reject, prose.Scrap) && slices.ContainsFunc(meat[1:], func(s sentence) bool { return s.Has(prose.Instead) })
}

// turnedOver ends what the assistant has just decided where the user wants
// something else instead, and what it said of that.
func (f *folder) turnedOver(meat []sentence) {
	if f.talk.reply || !replacesRequest(meat) {
		return
	}
	text := join(meat)
	wanted := prose.Content(text, prose.Detect(text))
	why := "the user: " + safetext.CutHead(text, 200)
	words := func(it *Item) prose.Bag { return f.memo.content(it.Text, prose.Detect(it.Text)) }
	for _, it := range f.recent(Decision) {
		if it.By != "assistant" || it.First <= f.talk.spoken || it.Life != Accepted {
			continue
		}
		f.end(it, Rejected, why)
		for _, said := range f.recent(Finding) {
			gone := words(it).Shared(words(said))
			if said.First > f.talk.spoken && slices.ContainsFunc(gone.Sorted(), func(w string) bool { return !wanted[w] }) {
				f.end(said, Replaced, why)
			}
		}
	}
}

// pronouns stand for the request at hand.
var pronouns = []string{"that", "it", "this", "das", "es", "ça", "cela", "eso", "esto", "isso", "isto", "это", "этого", "那个", "这个", "它", "それ", "これ", "그거", "그것", "그건"}

// withdraws ends the request at hand where the user takes it back and asks
// for nothing else.
func (f *folder) withdraws(meat []sentence) bool {
	t := &f.talk
	if t.current == nil || len(meat) == 0 || len(meat) > 2 || !t.current.Living() && t.current.Life != Done {
		return false
	}
	for _, s := range meat {
		if !s.Has(prose.Scrap) || s.Question() || s.Has(prose.Instead, prose.Defer) {
			return false
		}
		rest := s.Rest(prose.Scrap, prose.Filler, prose.Reject)
		for _, p := range pronouns {
			delete(rest, p)
		}
		if len(rest) > 0 {
			return false
		}
	}
	f.end(t.current, Withdrawn, "the user: "+safetext.CutHead(join(meat), 160))
	f.mootRules(t.current)
	f.talk.final = true
	return true
}

// mootRules ends the rules that came with a request that is gone and say how
// that one was to be done. What was forbidden stays forbidden.
func (f *folder) mootRules(request *Item) {
	for _, it := range f.recent(Rule) {
		if it.By == "user" && it.First == request.First && !it.forbids() {
			f.end(it, Withdrawn, "it belonged to a request that was replaced")
		}
	}
}

// oneLine folds white space.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
