package state

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/coppice-dev/coppice/internal/digest"
	"github.com/coppice-dev/coppice/internal/safetext"
	"github.com/coppice-dev/coppice/internal/secret"
	"github.com/coppice-dev/coppice/internal/turn"
	"github.com/coppice-dev/coppice/ledger"
	"github.com/coppice-dev/coppice/message"
)

// Fold reads messages, oldest first, and returns what is true after the last
// one. It has no effects and depends on nothing but its arguments.
func Fold(sources []ledger.Source, o Options) *State {
	_, end, _ := FoldAt(context.Background(), sources, 0, o) // nothing ends it early
	return end
}

// FoldAt is Fold that also returns what is true before message n, as a
// compaction carries it that covers the messages up to there. It fails only if
// ctx ends, with its cause.
func FoldAt(ctx context.Context, sources []ledger.Source, n int, o Options) (at, end *State, err error) {
	f := newFolder(o)
	f.bind(sources)
	for block := range slices.Chunk(indexed(sources), readBlock) {
		words := readAll(ctx, block, f.opts.Mask)
		for i, src := range block {
			if i%lookAfter == 0 && ctx.Err() != nil {
				return nil, nil, context.Cause(ctx)
			}
			if at == nil && src.index >= n {
				at = f.state()
			}
			f.at, f.entry = src.index, src.EntryID
			f.message(src.Message, words[i])
		}
	}
	end = f.state()
	if at == nil {
		at = end
	}
	return at, end, nil
}

// lookAfter is how many messages, items or lines are worked on before the
// context is looked at: a few milliseconds of work.
const lookAfter = 32

// source is a message and its place.
type source struct {
	ledger.Source
	index int
}

func indexed(sources []ledger.Source) []source {
	out := make([]source, 0, len(sources))
	for i, s := range sources {
		if s.Message != nil {
			out = append(out, source{s, i})
		}
	}
	return out
}

// folder holds what is known while messages are read.
type folder struct {
	memo  memo
	opts  Options
	items []*Item
	held  held
	byKey map[string]*Item // the latest item of a kind and key
	at    int              // of the message at hand
	entry string

	callOf  map[int]callRef // of a result: its call
	pending map[callRef]*call

	paths     paths
	talk      talk
	files     fileTable
	sights    sights
	git       gitState
	jobs      []*job
	refusals  []refusal
	failures  map[*Item]failed
	digests   map[*Item]digest.Change
	details   map[*Item]*Item  // rules that only say what a request wants, and that request
	questions map[int]int      // how many questions the message at a place has
	taskIDs   map[string]*Item // by the id that a tool gave
}

// callRef names a call: a message and the number of the call in it.
type callRef struct{ item, n int }

func newFolder(o Options) *folder {
	if o.Mask == nil {
		o.Mask = secret.Default()
	}
	f := &folder{opts: o, byKey: map[string]*Item{}, callOf: map[int]callRef{}, pending: map[callRef]*call{}, taskIDs: map[string]*Item{},
		failures: map[*Item]failed{}, digests: map[*Item]digest.Change{}, details: map[*Item]*Item{}, questions: map[int]int{}, paths: newPaths(o.Cwd), at: -1}
	f.files = fileTable{known: map[string]*fileState{}}
	f.carry(o.Carried)
	return f
}

// bind finds which result answers which call.
func (f *folder) bind(sources []ledger.Source) {
	c := turn.Read(len(sources), func(i int) turn.Item {
		m := sources[i].Message
		if m == nil {
			return turn.Item{}
		}
		it := turn.Item{Role: m.Role, Failed: m.Failed()}
		switch m.Role {
		case message.RoleAssistant:
			for _, tc := range m.ToolCalls() {
				it.Calls = append(it.Calls, turn.Call{ID: tc.ID, Name: tc.Name})
			}
		case message.RoleToolResult:
			it.Result = m.ToolCallID
		}
		return it
	})
	for i, s := range sources {
		if s.Message == nil || s.Message.Role != message.RoleToolResult {
			continue
		}
		if item, n := c.Call(i); item >= 0 {
			f.callOf[i] = callRef{item, n}
		}
	}
}

func (f *folder) message(m *message.Message, w *said) {
	switch m.Role {
	case message.RoleUser:
		f.user(w)
	case message.RoleAssistant:
		if !m.Failed() {
			f.assistant(m, w)
		}
	case message.RoleToolResult:
		f.result(m)
	case message.RoleBashExecution:
		f.bash(m.Bash)
	case message.RoleCustom:
		f.custom(m, w)
	case message.RoleBranchSummary:
		f.branch(m.Summary)
	}
}

// make adds an item, masked; it returns nil where it says nothing.
func (f *folder) make(it Item) *Item {
	clean := func(s string) string { return f.opts.Mask(safetext.Sanitize(s)) }
	it.Text, it.Note, it.Key, it.Before = clean(it.Text), clean(it.Note), clean(it.Key), clean(it.Before)
	if it.Text == "" {
		return nil
	}
	it.First, it.Last = f.at, f.at
	if f.entry != "" {
		it.Made = []string{f.entry}
	}
	p := &it
	f.keep(p)
	return p
}

// keep adds an item to what is known.
func (f *folder) keep(it *Item) {
	f.items = append(f.items, it)
	f.held.add(it)
	f.byKey[string(it.Kind)+"\x00"+it.Key] = it
}

// latest returns the newest item of a kind and key, or nil.
func (f *folder) latest(k Kind, key string) *Item {
	return f.byKey[string(k)+"\x00"+f.opts.Mask(key)]
}

// touch notes that the message at hand changed an item.
func (f *folder) touch(it *Item) {
	it.Last = f.at
	it.Reported = false
	it.Changed = withEntry(it.Changed, f.entry)
}

// end ends an item.
func (f *folder) end(it *Item, life Life, why string) {
	it.Life, it.Why, it.Last = life, f.opts.Mask(safetext.Sanitize(why)), f.at
	it.Ended = withEntry(nil, f.entry)
}

// replace ends an item that another text has replaced.
func (f *folder) replace(it *Item, by string) {
	it.Successor = f.opts.Mask(safetext.Sanitize(by))
	f.end(it, Replaced, "replaced by: "+by)
}

// reopen gives an ended item back its life.
func (f *folder) reopen(it *Item, life Life) {
	it.Life, it.Why, it.Ending, it.Successor, it.Ended = life, "", "", "", nil
	f.held.revive(it)
	f.touch(it)
}

// maxEntries bounds the entries of one list of an item: the first and the
// latest ones.
const maxEntries = 8

func withEntry(ids []string, id string) []string {
	if id == "" || slices.Contains(ids, id) {
		return ids
	}
	if len(ids) >= maxEntries {
		ids = slices.Delete(slices.Clone(ids), maxEntries/2, maxEntries/2+1)
	}
	return append(ids, id)
}

// state is what is true now: the items that say something, by kind and age.
func (f *folder) state() *State {
	items := slices.DeleteFunc(slices.Clone(f.items), func(it *Item) bool { return it.Text == "" || it.cameAndWent() })
	slices.SortStableFunc(items, func(a, b *Item) int {
		return cmp.Compare(slices.Index(Kinds, a.Kind), slices.Index(Kinds, b.Kind))
	})
	s := &State{Items: make([]Item, len(items)), paths: f.paths, looks: f.stillSo()}
	for i, it := range items {
		s.Items[i] = *it
	}
	s.reasonsOnce()
	s.overtaken()
	return s
}

// reasonsOnce lets the reason of several changes of a file stand once: at the
// last of them.
func (s *State) reasonsOnce() {
	seen := map[string]bool{}
	for i := len(s.Items) - 1; i >= 0; i-- {
		it := &s.Items[i]
		if it.Kind != Change || it.Note == "" {
			continue
		}
		key, _, _ := strings.Cut(it.Key, "\x00")
		if seen[key+"\x00"+it.Note] {
			it.Note = ""
		}
		seen[key+"\x00"+it.Note] = true
	}
}
