package compaction

import (
	"slices"

	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/tokens"
)

// span is the part of the path that a plan may reduce: from the first kept
// entry of the compaction in force, or the root, to the leaf.
type span struct {
	path   []*session.Entry
	listed []timeline.Item // what a summarizer would get of each entry; without an entry: nothing
	sizer  *timeline.Sizer
	sizes  []int64 // estimates of listed, as far as somebody asked; -1: not yet
	valid  []bool  // a cut may stand here
	starts []bool  // a turn starts here
}

// measure prepares a view's path for cutting.
func measure(v *timeline.View, est tokens.Estimator) (span, error) {
	listed, err := v.Listed()
	if err != nil {
		return span{}, err
	}
	n := len(v.Path)
	s := span{path: v.Path, listed: listed, sizer: &timeline.Sizer{Estimator: est}, sizes: make([]int64, n), valid: make([]bool, n), starts: make([]bool, n)}
	stored := make([]*message.Outline, n)
	for i, e := range v.Path {
		if timeline.Bears(e) {
			stored[i] = e.Outline()
		}
		if !s.has(i) {
			continue
		}
		role := s.listed[i].Outline().Role
		s.sizes[i] = -1
		s.valid[i] = role != message.RoleToolResult && known(role)
		s.starts[i] = startsTurn(role)
	}
	groups, _ := timeline.GroupOutlines(stored)
	for _, g := range groups {
		for i := g.Assistant + 1; i <= g.Last(); i++ {
			s.valid[i] = false
		}
	}
	return s, nil
}

// has reports whether a summarizer would get something of an entry.
func (s span) has(i int) bool { return s.listed[i].Entry != nil }

// size is the estimate of what a summarizer would get of an entry. Where one
// could not be read, the sizer has the error.
func (s span) size(i int) int64 {
	if s.sizes[i] < 0 {
		s.sizes[i] = s.sizer.Of(s.listed[i])
	}
	return s.sizes[i]
}

func known(r message.Role) bool {
	switch r {
	case message.RoleUser, message.RoleAssistant, message.RoleBashExecution, message.RoleCustom,
		message.RoleBranchSummary, message.RoleCompactionSummary:
		return true
	}
	return false
}

func startsTurn(r message.Role) bool {
	switch r {
	case message.RoleUser, message.RoleBashExecution, message.RoleCustom, message.RoleBranchSummary, message.RoleCompactionSummary:
		return true
	}
	return false
}

// cut is where the kept side begins.
type cut struct {
	at        int // index in the span's path; len(path): nothing is kept
	point     int // the valid point it was made at; metadata before it is kept too
	turnStart int // start of the split turn; -1: the turn is not split
}

// find walks back from the newest entry until budget is reached and cuts at
// the first valid point at or behind that entry; if there is none, at the
// last valid one (spec/compaction.md, Plan 4). It reports false where there is
// nothing in front of the cut.
func (s span) find(budget int64) (cut, bool) {
	var sum int64
	for i := len(s.path) - 1; i >= 0; i-- {
		if s.size(i) == 0 {
			continue
		}
		if sum += s.size(i); sum < budget {
			continue
		}
		at := s.nextValid(i)
		if at < 0 {
			at = s.lastValid(len(s.path))
		}
		if at <= 0 {
			return cut{}, false
		}
		return s.dress(at), true
	}
	return cut{}, false
}

// cutBehind cuts so that to is the last entry in front of the cut, or, where
// that would tear a unit, the last one before its unit.
func (s span) cutBehind(to int) (cut, bool) {
	at := to + 1
	for at < len(s.path) && !s.has(at) && !s.inside(at) {
		at++
	}
	if at < len(s.path) && !s.valid[at] {
		at = s.lastValid(at)
	}
	if at <= 0 {
		return cut{}, false
	}
	if at == len(s.path) {
		return cut{at: at, point: at, turnStart: -1}, true
	}
	return s.dress(at), true
}

// inside reports whether an entry that is not listed stands in a tool group.
func (s span) inside(i int) bool {
	next := slices.IndexFunc(s.listed[i:], func(it timeline.Item) bool { return it.Entry != nil })
	return next >= 0 && s.listed[i+next].Outline().Role == message.RoleToolResult
}

func (s span) nextValid(i int) int {
	for ; i < len(s.path); i++ {
		if s.valid[i] {
			return i
		}
	}
	return -1
}

func (s span) lastValid(before int) int {
	for i := before - 1; i >= 0; i-- {
		if s.valid[i] {
			return i
		}
	}
	return -1
}

// dress finds the split turn and pulls directly preceding metadata into the
// kept side. The split is decided first: metadata in front of the cut never
// turns a whole turn into a split one.
func (s span) dress(at int) cut {
	c := cut{at: at, point: at, turnStart: -1}
	if !s.starts[at] {
		for i := at - 1; i >= 0; i-- {
			if s.starts[i] {
				c.turnStart = i
				break
			}
		}
	}
	for c.at > 0 && !s.has(c.at-1) && s.path[c.at-1].Type != session.TypeCompaction {
		c.at--
	}
	for s.path[c.at].Type == session.TypeLabel {
		c.at++ // a first kept entry is never a label
	}
	return c
}

func (s span) sum(from, to int) int64 {
	var n int64
	for i := from; i < to; i++ {
		n += s.size(i)
	}
	return n
}
