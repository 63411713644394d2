package claudecode

import (
	"github.com/coppice-dev/coppice/session"
)

// tree follows parentUuid far enough to find rewinds.
//
// Parents say in what order lines were written, and parallel calls fork that
// chain, so a fork is not a branch. But whatever happens in a turn descends from
// the prompt that began it. A prompt that does not descend from the prompt
// before it was typed after a rewind.
type tree struct {
	links map[string]link // by uuid
	turns int             // prompts and compactions so far
	turn  int             // the one that the conversation is in; 0: before the first
	here  *place
}

// link is what is known of a line.
type link struct {
	turn  int // the turn it descends from
	place *place
}

// place is where the conversation was at a line. What the line belongs to
// may not be written yet.
type place struct{ entry *session.Entry } // nil: before the first entry

func newTree() tree {
	return tree{links: map[string]link{}, here: &place{}}
}

func (t *tree) known(uuid string) bool {
	_, ok := t.links[uuid]
	return ok
}

// add takes a line into the tree. One whose parent is not known, because it
// was lost or belongs to a subagent, goes on in the turn of the line before.
func (t *tree) add(f *fields) {
	if f.uuid == "" {
		return
	}
	turn := t.turn
	if up, ok := t.links[f.parent]; ok {
		turn = up.turn
	}
	t.links[f.uuid] = link{turn: turn, place: t.here}
}

// settle says which entry is the last one that came of the lines so far.
func (t *tree) settle(e *session.Entry) {
	t.here.entry = e
	t.here = &place{}
}

// rebind ties a line to what is written from now on.
func (t *tree) rebind(uuid string) {
	if l, ok := t.links[uuid]; ok {
		l.place = t.here
		t.links[uuid] = l
	}
}

// rewound reports whether a prompt was typed after a rewind, and where it goes.
func (t *tree) rewound(f *fields) (to *session.Entry, ok bool) {
	if f.parent == "" {
		return nil, f.hasParent && t.turn > 0
	}
	up, known := t.links[f.parent]
	if !known || up.turn == t.turn {
		return nil, false
	}
	return up.place.entry, true
}

// begin starts a turn with a line.
func (t *tree) begin(uuid string) {
	t.turns++
	t.turn = t.turns
	t.join(uuid)
}

// join puts a line into the turn that the conversation is in.
func (t *tree) join(uuid string) {
	if l, ok := t.links[uuid]; ok {
		l.turn = t.turn
		t.links[uuid] = l
	}
}
