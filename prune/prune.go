package prune

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/coppice-dev/coppice/internal/estimate"
	"github.com/coppice-dev/coppice/internal/excerpt"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/tokens"
)

// kind says why an entry is pruned.
type kind string

// The kinds.
const (
	oldOutput  kind = "old-output"
	superseded kind = "superseded"
	empty      kind = "empty"
	Media      kind = "media"
)

// switches are the keys of the settings that switch a kind off.
var switches = map[kind]string{oldOutput: "prune.toolOutput.enabled", superseded: "prune.superseded", empty: "prune.empty", Media: "prune.media"}

// Switches are the keys of the settings that would have kept edits from being
// made, each once, in the order of the edits.
func Switches(edits []Edit) []string {
	var out []string
	for _, e := range edits {
		if key := switches[e.Kind]; !slices.Contains(out, key) {
			out = append(out, key)
		}
	}
	return out
}

// Edit is one entry that would show less. The zero value is not usable: call
// Plan.
type Edit struct {
	Entry   *session.Entry
	Kind    kind
	Before  int64 // tokens
	After   int64
	Content []message.Block // what it would show
}

// Draft returns the edit as an entry of the log.
func (e Edit) Draft() session.Draft { return session.EditDraft(e.Entry.ID, e.Content) }

// Plan returns what to prune in a view, in the order of the path, for a request
// to a model. It fails if a message cannot be read.
func Plan(v *timeline.View, s Settings, est tokens.Estimator, m message.Model) ([]Edit, error) {
	s.EnsureDefaults()
	p, err := planFor(v, est)
	if err != nil {
		return nil, err
	}
	p.settings = s
	if err := p.look(); err != nil {
		return nil, err
	}
	if *s.Superseded {
		p.superseded()
	}
	if *s.Empty {
		p.empty()
	}
	if *s.ToolOutput.Enabled {
		p.oldOutput()
	}
	if *s.Media {
		if err := p.media(capsOf(m)); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(p.edits, func(a, b Edit) int { return p.place[a.Entry.ID] - p.place[b.Entry.ID] })
	return p.edits, nil
}

func planFor(v *timeline.View, est tokens.Estimator) (*planner, error) {
	p := &planner{view: v, est: estimate.Checked(est), taken: map[string]bool{}, place: map[string]int{}}
	var err error
	p.sizer, err = v.Sizer(p.est)
	return p, err
}

// Saved returns how many tokens the edits save.
func Saved(edits []Edit) int64 {
	var n int64
	for _, e := range edits {
		n += e.Before - e.After
	}
	return n
}

// planner walks a view once for each kind.
type planner struct {
	view     *timeline.View
	settings Settings
	est      tokens.Estimator
	sizer    *timeline.Sizer // as the view is sized: what edits save

	results []result
	place   map[string]int // entry id -> index in the view
	taken   map[string]bool
	edits   []Edit
}

// result is a tool result that may be pruned, with the call it answers.
type result struct {
	item     timeline.Item
	call     message.ToolCall
	head     message.Message // without content
	size     int64           // by the estimator alone: settings are counted in it
	shown    int64           // as the view is sized
	open     bool            // of the current turn, or not read yet: never pruned
	complete bool            // it has everything that was requested
	recalled bool            // recall brought it back a short while ago
	failure  string          // what tells of its failure; "": it did not fail
}

// look collects the results of the view, oldest first.
func (p *planner) look() error {
	turns, first := p.view.Turns()
	turn := turns.TurnStart(first + len(p.view.Path))
	starts, ended := p.turnStarts(first)
	calls := map[int][]message.ToolCall{} // of each message that has any
	for i, it := range p.view.Items {
		result := it.Entry != nil && it.Pos >= 0 && it.Role() == message.RoleToolResult
		if result {
			p.place[it.Entry.ID] = i
		}
		if len(it.Meta().Calls) == 0 && (!result || it.Pinned) {
			continue
		}
		m, err := it.Message()
		if err != nil {
			return err
		}
		at := first + it.Pos
		if !result {
			calls[at] = m.ToolCalls()
			continue
		}
		head, n := turns.Call(at)
		r, err := p.result(it, m, callOf(m, calls[head], n))
		if err != nil {
			return err
		}
		r.open = turns.Unread(at) || at > turn
		r.recalled = isRecall(m.ToolName) && ended-sort.SearchInts(starts, at) < recallTurns
		p.results = append(p.results, r)
	}
	return nil
}

// recallTurns is how many turns have to pass before what recall brought back is
// old.
const recallTurns = 2

// isRecall reports whether a tool is recall, by whatever name a server of tools
// gives to it.
func isRecall(tool string) bool {
	name := strings.ToLower(tool)
	return name == "recall" || strings.HasSuffix(name, "_recall") || strings.HasSuffix(name, ".recall") || strings.HasSuffix(name, "/recall")
}

// turnStarts are the places at which turns of the user begin, and how many of
// the turns have ended: all but the last, and that one too after its final
// answer.
func (p *planner) turnStarts(first int) (starts []int, ended int) {
	final := false
	for _, it := range p.view.Items {
		if it.Pos < 0 {
			continue
		}
		switch meta := it.Meta(); it.Role() {
		case message.RoleUser, message.RoleBashExecution:
			starts, final = append(starts, first+it.Pos), false
		case message.RoleAssistant:
			final = len(meta.Calls) == 0 && !meta.Failed()
		}
	}
	if ended = len(starts); !final && ended > 0 {
		ended--
	}
	return starts, ended
}

// callOf returns the call with number n that a result answers. An edit may
// have put another call there.
func callOf(m *message.Message, calls []message.ToolCall, n int) message.ToolCall {
	if n < 0 || n >= len(calls) || calls[n].ID != m.ToolCallID {
		return message.ToolCall{}
	}
	return calls[n]
}

// result returns the result that an item shows as m. It does not keep the
// text.
func (p *planner) result(it timeline.Item, m *message.Message, call message.ToolCall) (result, error) {
	raw, err := it.Entry.Raw()
	if err != nil {
		return result{}, err
	}
	r := result{item: it, call: call, head: *m, size: p.est.Message(m), shown: p.sizer.Message(m), complete: complete(m, rawjson.Get(rawjson.Get(raw, "message"), "details"))}
	text := m.Text("\n")
	if code, known := excerpt.ExitCode(text); m.IsError || known && code != 0 {
		r.failure = excerpt.Failure(text, maxFailure)
	}
	r.head.Content = nil
	return r, nil
}

// take notes an edit if it makes its result smaller.
func (p *planner) take(r result, kind kind, text string) {
	content := []message.Block{message.Text{Text: text}}
	if p.taken[r.item.Entry.ID] || p.after(r, content) >= r.size {
		return
	}
	m := r.head
	m.Content = content
	p.taken[r.item.Entry.ID] = true
	p.edits = append(p.edits, Edit{Entry: r.item.Entry, Kind: kind, Before: r.shown, After: p.sizer.Message(&m), Content: content})
}

func (p *planner) after(r result, content []message.Block) int64 {
	m := r.head
	m.Content = content
	return p.est.Message(&m)
}

// oldOutput prunes results older than the protected newest ones. The result
// that crosses the limit is still protected.
func (p *planner) oldOutput() {
	var passed, saved int64
	var old []result
	for _, r := range slices.Backward(p.results) {
		protected := passed < *p.settings.ToolOutput.ProtectTokens || r.open || r.recalled || r.item.Edited || p.taken[r.item.Entry.ID] ||
			slices.Contains(p.settings.ToolOutput.ProtectedTools, r.head.ToolName)
		passed += r.size
		if protected {
			continue
		}
		if gain := r.size - p.after(r, []message.Block{message.Text{Text: truncated(r)}}); gain > 0 {
			saved += gain
			old = append(old, r)
		}
	}
	if saved < *p.settings.ToolOutput.MinSavings {
		return
	}
	for _, r := range old {
		p.take(r, oldOutput, truncated(r))
	}
}

// truncated is the placeholder of a result. Of one that failed it says why.
func truncated(r result) string {
	text := fmt.Sprintf("[Output truncated - %d tokens]\n%s", r.size, readBack(r))
	if r.failure != "" {
		text += "\n[what tells of the failure:]\n" + r.failure
	}
	return text
}

// maxFailure is how many bytes of a failed result stay.
const maxFailure = 1200

// readBack says where to read the original.
func readBack(r result) string { return "read en:" + r.item.Entry.ID + " for all of it" }

// empty prunes results that their tool marks as empty (details.empty).
func (p *planner) empty() {
	for _, r := range p.results {
		if !r.open && r.failure == "" && r.head.Empty {
			p.take(r, empty, "[nothing found; "+readBack(r)+"]")
		}
	}
}
