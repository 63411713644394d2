package claudecode

import (
	"github.com/coppice-dev/coppice/session"
)

// tree follows parentUuid far enough to find rewinds.
//
// Parents give the order in which lines were written, and parallel calls fork that
// chain, so a fork is not always a branch. But everything in a turn descends from the
// prompt that began it. A prompt that does not descend from the previous
// prompt was typed after a rewind.
type tree struct {
	links map[string]link // by uuid
	turns int             // prompts and compactions so far
	turn  int             // the one that the conversation is in; 0: before the first
	here  *place
}

// link is what is known about a line.
type link struct {
	turn  int // the turn it descends from
	place *place
}

// place is where the conversation was at a line. The entry that the line
// belongs to may not be written yet.
type place struct{ entry *session.Entry } // nil: before the first entry

func newTree() tree {
	return tree{links: map[string]link{}, here: &place{}}
}

func (t *tree) known(uuid string) bool {
	_, ok := t.links[uuid]
	return ok
}

// add adds a line to the tree. A line whose parent is unknown, because the
// parent was lost or belongs to a subagent, belongs to the turn of the line
// before.
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

// settle says which entry is the last one made from the lines so far.
func (t *tree) settle(e *session.Entry) {
	t.here.entry = e
	t.here = &place{}
}

// rebind links a line to what is written from now on.
func (t *tree) rebind(uuid string) {
	if l, ok := t.links[uuid]; ok {
		l.place = t.here
		t.links[uuid] = l
	}
}

// rewound reports whether a prompt was typed after a rewind, and where the
// rewind went.
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

// join adds a line to the current turn.
func (t *tree) join(uuid string) {
	if l, ok := t.links[uuid]; ok {
		l.turn = t.turn
		t.links[uuid] = l
	}
}
