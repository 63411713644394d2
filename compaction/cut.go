package compaction

import (
	"github.com/coppice-dev/coppice/internal/turn"
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
	sizes  []int64         // estimates of listed, filled on demand; -1: not yet
	walker *timeline.Sizer // measures what a budget is spent on
	adapt  bool            // what the provider counts is spent too, if that is more
	turns  *turn.Conversation
	first  int // the item of path[0] in turns
	limit  int // the last cut that covers nothing unread; len(path): everything was read
}

// measure prepares a view's path for cutting. A budget is spent by the plain
// estimate, so that cuts agree with those of other programs; with adapt, by the
// calibrated estimate where that says more of the same range.
func measure(v *timeline.View, est tokens.Estimator, adapt bool) (span, error) {
	listed, err := v.Listed()
	if err != nil {
		return span{}, err
	}
	sizer, err := v.Sizer(est)
	if err != nil {
		return span{}, err
	}
	s := span{path: v.Path, listed: listed, sizer: sizer, sizes: make([]int64, len(v.Path)), walker: &timeline.Sizer{Estimator: est}, adapt: adapt}
	if d, ok := est.(tokens.Default); ok && d == (tokens.Default{}) {
		s.walker = &timeline.Sizer{Estimator: tokens.Plain{}}
	}
	s.turns, s.first = v.Turns()
	s.limit = s.turns.Limit() - s.first
	for i := range s.sizes {
		if s.has(i) {
			s.sizes[i] = -1
		}
	}
	return s, nil
}

// valid reports whether a cut may come before an entry.
func (s span) valid(i int) bool { return s.turns.Valid(s.first + i) }

// has reports whether a summarizer would get something of an entry.
func (s span) has(i int) bool { return s.listed[i].Entry != nil }

// size returns the estimate of what a summarizer would get of an entry. If the
// entry could not be read, the sizer has the error.
func (s span) size(i int) int64 {
	if s.sizes[i] < 0 {
		s.sizes[i] = s.sizer.Of(s.listed[i])
	}
	return s.sizes[i]
}

// cut is where the kept side begins.
type cut struct {
	at        int // index in the span's path; len(path): nothing is kept
	point     int // the valid point it was made at; metadata before it is kept too
	turnStart int // start of the split turn; -1: the turn is not split
}

// find walks back from the newest entry until budget is reached and cuts at
// the first valid point at or after that entry, or at the last valid one if
// there is none, and never where something unread would be covered
// (docs/compaction.md). It reports false if there is nothing before the cut.
func (s span) find(budget int64) (cut, bool) {
	var sum, counted int64
	for i := len(s.path) - 1; i >= 0; i-- {
		if s.size(i) == 0 {
			continue
		}
		sum += s.walker.Of(s.listed[i])
		if counted += s.size(i); sum < budget && !(s.adapt && counted >= budget) {
			continue
		}
		at := s.turns.NextCut(s.first + i)
		if at < 0 {
			at = s.first + s.last()
		}
		return s.cutAt(at - s.first)
	}
	return cut{}, false
}

// cutAfter cuts so that to is the last entry before the cut, or an earlier one
// if that would tear a unit or cover something unread.
func (s span) cutAfter(to int) (cut, bool) {
	at := to + 1
	for at < len(s.path) && !s.turns.Shown(s.first+at) {
		at++
	}
	if at < len(s.path) && !s.valid(at) {
		at = s.turns.LastCut(s.first+at) - s.first
	}
	return s.cutAt(at)
}

// cutAt cuts before an entry, or before what is unread if that is earlier.
func (s span) cutAt(at int) (cut, bool) {
	at = min(at, s.limit)
	switch {
	case at <= 0:
		return cut{}, false
	case at == len(s.path):
		return cut{at: at, point: at, turnStart: -1}, true
	}
	return s.withTurn(at), true
}

// again cuts where the compaction in force did, for one that covers nothing more:
// what is kept is shortened further, and a summary that was made for a larger
// window is made again.
func (s span) again() cut {
	for i := range s.path {
		if s.has(i) && s.path[i].Type != session.TypeCompaction {
			return s.withTurn(i)
		}
	}
	return cut{at: len(s.path), point: len(s.path), turnStart: -1}
}

// whyNothing says why there is nothing to cover; cut says that there is a place
// for a cut.
func (s span) whyNothing(in PlanInput, cut bool) string {
	switch {
	case cut:
		return "nothing was said before the cut"
	case s.sum(0, len(s.path)) == 0:
		return "nothing has been said yet"
	case s.limit <= 0:
		return "no answer has followed what is in view, so none of it can be summarized"
	case in.To != "":
		return "nothing up to that entry can be summarized"
	}
	return "all of it is kept, because it is recent"
}

// mayCoverAll reports whether everything may be covered: nothing is unread, and
// the last unit is one that an edit cannot shorten. The open request is still
// shown, shortened if necessary.
func (s span) mayCoverAll() bool {
	return s.limit == len(s.path) && s.last() >= 0 && !editable(s.listed[s.last()].Role())
}

// last returns the last valid cut of the path that covers nothing unread.
func (s span) last() int {
	return min(s.turns.LastCut(s.first+len(s.path))-s.first, s.limit)
}

// withTurn finds the split turn and pulls directly preceding metadata into the
// kept side. The split is decided first: metadata before the cut never
// turns a whole turn into a split one.
func (s span) withTurn(at int) cut {
	c := cut{at: at, point: at, turnStart: -1}
	if !s.turns.Starts(s.first + at) {
		c.turnStart = max(-1, s.turns.TurnStart(s.first+at)-s.first)
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
