package provider

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/coppice-dev/coppice/internal/calibration"
	"github.com/coppice-dev/coppice/internal/kinds"
	"github.com/coppice-dev/coppice/internal/safetext"
	"github.com/coppice-dev/coppice/message"
)

// Lesson is a limit of a model that its server has named or shown, with the
// evidence for it.
type Lesson struct {
	Unit   message.Unit `json:"unit"`
	Where  string       `json:"where,omitempty"` // the field or kind of item; "": the whole request
	Number int64        `json:"number"`
	Text   string       `json:"text"`  // what the server said
	When   time.Time    `json:"when"`  // the last time
	Times  int          `json:"times"` // how often it said so
	// Asked says that the server named it when it was asked, not in a refusal.
	Asked bool `json:"asked,omitempty"`
	// Told is the larger window of the settings that the user was warned of, in
	// tokens; 0: none.
	Told int64 `json:"told,omitempty"`
}

// Limits are what servers have said and shown about their models: what refusals
// named (Learn), what a server answered when asked, and prompts longer than a
// known limit that it accepted. All learned windows and caps are kept
// here. Nothing is learned from a number whose unit is unknown, nor from a rate.
// The zero value knows nothing; it is safe for concurrent use.
type Limits struct {
	// TrustSettings keeps a window from the settings whatever a server says
	// (setting windows.trustSettings).
	TrustSettings bool
	Now           func() time.Time // nil: time.Now

	mu        sync.RWMutex
	lessons   map[string][]Lesson // by keyOf
	forgotten map[string]bool     // since the file was read
	answered  map[string]int64    // the largest prompt that was answered in this process, by keyOf
	last      map[string]*message.Fault
	path      string // "": it is kept nowhere
}

// minLearned is the smallest window, in tokens, that a server is believed to
// name; maxEvidence how much of its text is kept, in UTF-16 units.
const (
	minLearned  = 1000
	maxEvidence = 300
)

// Learn stores the limit that a refusal named. It reports whether it was new. The
// same refusal may be learned by the client and by the session: it counts once.
func (l *Limits) Learn(m message.Model, f *message.Fault) bool {
	if l == nil || f == nil || !teaches(f) {
		return false
	}
	where := f.Limit.Where
	if f.Limit.Unit == kinds.UnitCharacters {
		where = fieldOf(where)
	}
	return l.heard(keyOf(m), f) && l.keep(keyOf(m), Lesson{Unit: f.Limit.Unit, Where: where, Number: f.Limit.Max, Text: safetext.CutHead(f.Message, maxEvidence)})
}

// heard notes a refusal. It reports false if that was the last one.
func (l *Limits) heard(key string, f *message.Fault) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.last[key] == f {
		return false
	}
	if l.last == nil {
		l.last = map[string]*message.Fault{}
	}
	l.last[key] = f
	return true
}

// doubt makes the unit of a limit unknown if it cannot be that of the window.
func (l *Limits) doubt(m message.Model, f *message.Fault, estimate func() int64) {
	if f.Limit.Unit != kinds.UnitContext || f.Limit.Max <= 0 {
		return
	}
	l.mu.RLock()
	answered := l.answered[keyOf(m)]
	l.mu.RUnlock()
	if !calibration.Believable(f.Limit.Max, f.Limit.Used, answered, estimate()) {
		f.Limit.Unit = kinds.UnitUnknown
	}
}

// keyOf names a model at a server. Names of models have no spaces.
func keyOf(m message.Model) string {
	if m.Server == "" {
		return m.Key()
	}
	return m.Key() + atServer + m.Server
}

const atServer = " at "

// nameOf is the "provider/id" of a key.
func nameOf(key string) string {
	name, _, _ := strings.Cut(key, atServer)
	return name
}

// teaches reports whether a fault names a limit that will also apply to the next
// request (docs/limits.md).
func teaches(f *message.Fault) bool {
	switch f.Limit.Unit {
	case kinds.UnitContext:
		said := f.Class == message.ClassOverflow || f.Class == message.ClassOverflowOutput && f.Limit.Used > 0
		return said && f.Limit.Max >= minLearned && f.Status != http.StatusTooManyRequests
	case kinds.UnitOutput:
		return f.Limit.Max > 0 && f.Class == message.ClassOverflowOutput // not what an account can pay for
	case kinds.UnitBytes, kinds.UnitCharacters, kinds.UnitItems, kinds.UnitPixels:
		return f.Limit.Max > 0
	}
	return false
}

// accepted records that a server has answered a prompt of that many tokens. A
// smaller learned window is dropped, and an assumed one is corrected. m is the
// model as known from other sources.
func (l *Limits) accepted(m message.Model, prompt int64) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.answered == nil {
		l.answered = map[string]int64{}
	}
	l.answered[keyOf(m)] = max(l.answered[keyOf(m)], prompt)
	list := slices.Clone(l.lessons[keyOf(m)])
	shown := Lesson{Unit: kinds.UnitContext, Number: prompt, Text: "it answered a prompt of " + strconv.FormatInt(prompt, 10) + " tokens", When: l.now(), Times: 1}
	i := slices.IndexFunc(list, shown.about)
	above := prompt > m.Window
	switch {
	case i >= 0 && list[i].Number >= prompt:
		return
	case i >= 0 && !above:
		list = slices.Delete(list, i, i+1)
		l.forget(keyOf(m))
	case i >= 0:
		list[i] = shown
	case above && assumed(m):
		list = append(list, shown)
	default:
		return
	}
	l.put(keyOf(m), list)
}

// assumed reports whether the window of exactly this model is only a guess.
func assumed(m message.Model) bool {
	return m.WindowSource == kinds.WindowCatalogue || m.WindowSource == WindowDefault
}

// keep adds a lesson, or renews the one about the same limit.
func (l *Limits) keep(key string, s Lesson) (news bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s.When, s.Times = l.now(), 1
	list := slices.Clone(l.lessons[key])
	i := slices.IndexFunc(list, s.about)
	if i < 0 {
		l.put(key, append(list, s))
		return true
	}
	if news = list[i].Number != s.Number; !news {
		s.Told = list[i].Told
		if !s.Asked {
			s.Times += list[i].Times
		}
	}
	list[i] = s
	l.put(key, list)
	return news
}

// below returns the window that a server gave for a model when it was asked, if it
// is smaller than that of the settings and the user was not warned of it yet; else
// 0. It is returned once.
func (l *Limits) below(m message.Model, setting int64) int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := slices.Clone(l.lessons[keyOf(m)])
	i := slices.IndexFunc(list, Lesson{Unit: kinds.UnitContext, Asked: true}.about)
	if i < 0 || list[i].Number >= setting || list[i].Told == setting {
		return 0
	}
	list[i].Told = setting
	l.put(keyOf(m), list)
	return list[i].Number
}

// about reports whether another lesson concerns the same limit.
func (s Lesson) about(o Lesson) bool {
	return s.Unit == o.Unit && s.Where == o.Where && s.Asked == o.Asked
}

func (l *Limits) put(key string, list []Lesson) {
	if l.lessons == nil {
		l.lessons = map[string][]Lesson{}
	}
	l.lessons[key] = list
	if len(list) == 0 {
		delete(l.lessons, key)
	}
}

// forget removes what the file says about a model when the limits are saved.
func (l *Limits) forget(key string) {
	if l.forgotten == nil {
		l.forgotten = map[string]bool{}
	}
	l.forgotten[key] = true
}

func (l *Limits) now() time.Time {
	if l.Now != nil {
		return l.Now().UTC()
	}
	return time.Now().UTC()
}

// Of returns what was learned about a model at its server, the window first.
func (l *Limits) Of(m message.Model) []Lesson {
	if l == nil {
		return nil
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	return slices.SortedStableFunc(slices.Values(l.lessons[keyOf(m)]), func(a, b Lesson) int {
		return cmp.Or(cmp.Compare(rankOf(a.Unit), rankOf(b.Unit)), cmp.Compare(a.Where, b.Where))
	})
}

func rankOf(u message.Unit) int {
	if i := slices.Index([]message.Unit{kinds.UnitContext, kinds.UnitOutput, kinds.UnitBytes}, u); i >= 0 {
		return i
	}
	return 3
}

// Models names the models about which something was learned, sorted, as
// "provider/id".
func (l *Limits) Models() []string {
	if l == nil {
		return nil
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	var names []string
	for key := range l.lessons {
		names = append(names, nameOf(key))
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Forget drops what was learned about a model ("provider/id") at every server. It
// reports whether there was anything to drop.
func (l *Limits) Forget(model string) (found bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for key := range l.lessons {
		if nameOf(key) == model {
			delete(l.lessons, key)
			l.forget(key)
			found = true
		}
	}
	return found
}

// InForce returns the model with the limits that apply to it. A refusal's number
// lowers whatever else is known, and replaces the catalogue's and the default
// window (docs/limits.md, Windows).
func (l *Limits) InForce(m message.Model) message.Model {
	lower := func(known *int64, n int64) {
		if *known == 0 || n < *known {
			*known = n
		}
	}
	for _, s := range l.Of(m) {
		switch {
		case s.Asked: // Catalog knows it
		case s.Unit == kinds.UnitContext && l.inForce(m, s.Number):
			m.Window, m.WindowSource = s.Number, kinds.WindowLearned
		case s.Unit == kinds.UnitOutput && s.Where == "":
			lower(&m.MaxOutput, s.Number)
		case s.Unit == kinds.UnitBytes && s.Where == "":
			lower(&m.MaxBytes, s.Number)
		case s.Unit == kinds.UnitItems && s.Where == "image":
			lower(&m.MaxImages, s.Number)
		case s.Unit == kinds.UnitItems && slices.Contains(lists, s.Where):
			lower(&m.MaxMessages, s.Number)
		case s.Unit == kinds.UnitItems && s.Where == "tools":
			lower(&m.MaxTools, s.Number)
		case s.Unit == kinds.UnitPixels && s.Where == "image":
			lower(&m.MaxImageSide, s.Number)
		case s.Unit == kinds.UnitBytes && s.Where == "image":
			lower(&m.MaxImageSize, s.Number)
		}
	}
	if m.Window > 0 && m.MaxOutput >= m.Window {
		m.MaxOutput = 0
	}
	return m
}

// lists are the names of the list of messages in refusals, by dialect.
var lists = []string{"messages", "input", "contents"}

// inForce reports whether a learned window is in force for a model.
func (l *Limits) inForce(m message.Model, learned int64) bool {
	switch {
	case assumed(m), m.WindowSource == kinds.WindowLearned:
		return true
	case m.WindowSource == WindowSetting && l.TrustSettings:
		return false
	}
	return m.Window == 0 || learned < m.Window
}
