// Package timeline says what the model sees: a path of the log projected into
// messages. The projection is a pure function of the path and a policy; it
// never writes.
package timeline

import (
	"context"
	"github.com/coppice-dev/coppice/tokens"

	"github.com/coppice-dev/coppice/internal/turn"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
)

// Source is what a projection reads from: a *session.Session or any session.Log.
type Source interface {
	Leaf(ctx context.Context) (*session.Entry, error)
	Parent(ctx context.Context, e *session.Entry) (*session.Entry, error)
	Find(ctx context.Context, id string, at int64) (*session.Entry, error)
}

// Policy has everything that a view depends on, except the path.
type Policy struct {
	// Model gets the request. The zero value means the model named on the path.
	Model message.Model
	// Target is the size in tokens below which the request has to stay: the
	// threshold of compaction. 0: unknown; then nothing is shortened because of
	// its size.
	Target int64
	// Retarget returns the target to use instead, by a view that has been projected
	// with Target. nil: Target is used.
	Retarget func(v *View) (int64, error)
	// Earlier is what was learned of the model from paths before this one.
	Earlier tokens.Earlier
}

// View is what the model sees, with the entries that it comes from. The zero
// value is not usable: Project makes one.
type View struct {
	Items         []Item           // in the order of the request
	LeftOut       []LeftOut        // entries with a message that are not shown, and why
	Prompt        Prompt           // the folded system prompt and tools
	Compaction    *session.Entry   // the compaction in force, or nil
	Path          []*session.Entry // from the first kept entry (or the root) to the leaf
	AtRoot        bool             // Path begins at the root
	Leaf          *session.Entry   // nil: empty session
	Model         *session.ModelChange
	ThinkingLevel string // "off" where the path sets none
	Problems      []session.Problem

	edits      map[string]*session.ContextEdit // in force, by target; pinned targets left out
	pins       []session.Ref                   // in force, in the order they were set
	pinned     map[string]bool                 // ids of pinned entries, groups included
	turns      *turn.Conversation              // of covered (plus one item that makes them past, if there are any) and Path
	first      int                             // the item of Path[0] in turns
	covered    []*session.Entry                // shown although covered, in path order
	policy     Policy                          // what it was projected with
	beyond     []*session.Entry                // what was read from before Path, backwards
	level      string                          // ThinkingLevel as the path sets it; "": it does not
	levelKnown bool                            // level was found, or there is nothing more to read
	known      *known                          // calibration from its calls
	undone     []span                          // positions in Path of (compaction, undo) pairs
	dead       map[string]bool                 // ids of edits that went with an undone compaction
	rootRead   bool                            // with beyond, everything up to the root was read
}

// Thinking returns the level that the path sets; "": it sets none, and the model
// decides. ThinkingLevel is "off" in both cases, as in other programs.
func (v *View) Thinking() string { return v.level }

// PinRefs returns the pins in force, one per target, each with its tool group.
func (v *View) PinRefs() []session.Ref { return append([]session.Ref(nil), v.pins...) }

// Pinned reports whether an entry is pinned, by itself or with its group.
func (v *View) Pinned(id string) bool { return v.pinned[id] }

// Item is one message of a view. The zero value is not usable: a View has
// them.
type Item struct {
	Entry   *session.Entry // where it comes from; nil for a synthetic one
	Pos     int            // index in View.Path; -1 for the summary, covered and synthetic items
	Group   int            // items of one tool group share a number; others have one of their own
	Pinned  bool
	Request bool // shown because it belongs to the open request
	Open    bool // shown because a call in it, or in the message that it answers, had no result when it was covered
	Edited  bool
	// Loose says that a tool result goes out as a separate text: its call already
	// has a result, or is covered by a compaction.
	Loose bool
	bare  bool      // shown without reasoning
	Kind  Synthetic // "" for a message that is in the log

	shown *shown       // what is shown in place of the message in the log; nil: that message
	edit  *session.Ref // of a covered item: the edit in force on it
}

// shown is a message that a view made.
type shown struct {
	message *message.Message
	meta    session.Meta
}

// Message returns the message as shown: edited, without reasoning that must not
// be sent, in its native role. It is decoded on demand; for an entry far from the
// leaf perhaps more than once. It fails if the entry cannot be read.
func (it Item) Message() (*message.Message, error) {
	m, err := it.own()
	if err == nil && it.bare {
		m = withoutThinking(m)
	}
	return m, err
}

// own returns the message with its reasoning.
func (it Item) own() (*message.Message, error) {
	if it.shown != nil {
		return it.shown.message, nil
	}
	return it.Entry.Message()
}

// Meta returns what is known about the message as shown, reasoning included. It
// costs less than Message.
func (it Item) Meta() session.Meta {
	switch {
	case it.shown != nil:
		return it.shown.meta
	case it.Entry != nil:
		return it.Entry.Meta()
	}
	return session.Meta{}
}

// Role returns the role of the message as shown.
func (it Item) Role() message.Role {
	if it.shown == nil && it.Entry != nil {
		return it.Entry.Role()
	}
	return it.Meta().Role
}

// show makes m the message of an item.
func (it *Item) show(m *message.Message) { it.shown = &shown{message: m, meta: session.MetaOf(m)} }

// Synthetic says why the view made a message itself.
type Synthetic string

// Kinds of synthetic messages.
const (
	SyntheticResult Synthetic = "missing-result" // for a call whose result is missing
	syntheticEnd    Synthetic = "ending"         // so that the request ends with a user message
)

// LeftOut names an entry that is not shown and the rule that left it out.
type LeftOut struct {
	EntryID string
	Rule    Rule
}

// Rule says why an entry with a message is not shown (invariant I1).
type Rule string

// The rules.
const (
	ruleFailedAttempt Rule = "failed-attempt" // failed or aborted assistant, and its results
	RuleOrphanResult  Rule = "orphan-result"  // a result without its call
	ruleExcluded      Rule = "excluded"       // a command that the user kept from the model
	ruleEditNull      Rule = "edit-null"      // omitted by a context edit
	ruleEmpty         Rule = "empty"          // nothing in it that can be sent
	ruleSystem        Rule = "system"         // folded into the prompt
)

// Prompt is the system prompt and the tools in force.
type Prompt struct {
	Known    bool // some system message is on the path
	Text     string
	Sections []message.Section // named parts, in order of first appearance
	Tools    []message.Tool
}

// Request is a view that a dialect can render: only user, assistant and
// toolResult messages, pairs complete, none empty. Neighbours of one role are
// not merged here; dialects do that.
type Request struct {
	System   string
	Tools    []message.Tool
	Messages []*message.Message
	// CachePoints are the indices in Messages after which a cache mark goes,
	// at most three; the system prompt has its own.
	CachePoints []int
}
