package coppice

import (
	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/internal/kinds"
	"github.com/coppice-dev/coppice/internal/mark"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/timeline"
)

// state is what a session remembers about automatic compaction (entries
// coppice.state, docs/format.md). It is written together with the next message,
// never alone.
type state struct {
	Failures int   // automatic compactions that failed in a row
	Auto     *bool // switched by the user for this session; nil: as the settings say

	// Undone says that automatic compaction is off because the user undid a
	// compaction that was needed. The next compaction ends that.
	Undone bool
}

// maxFailures is how many automatic compactions may fail in a row before the
// user has to act (docs/compaction.md).
const maxFailures = 3

// SetAutoCompaction switches automatic compaction for this session. On also
// ends the pause after three failures.
func (s *Session) SetAutoCompaction(on bool) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state, s.unsaved = state{Auto: &on}, true
}

// automatic reports whether the session may compact by itself. s.mu is held.
func (s *Session) automatic() bool {
	if s.opts.ReadOnly {
		return false
	}
	on := *s.opts.Compaction.Enabled
	if s.state.Auto != nil {
		on = *s.state.Auto
	}
	return on && s.state.Failures < maxFailures
}

// tally updates the count of failures in a row, which is written with the next
// message. needed says that the request cannot go out without more room.
func (s *Session) tally(o *compaction.Outcome, needed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := counts(s.state.Failures, o, needed)
	// A compaction may have covered the entry with the state: write it again.
	again := o.Status == compaction.Applied && s.state.Auto != nil
	s.unsaved = s.unsaved || n != s.state.Failures || again
	s.state.Failures = n
}

// counts returns the number of failures in a row after an automatic attempt.
// One that gained nothing counts too: with the same input it would gain nothing
// again. One that had nothing to do counts only if it was needed, and one that
// was cancelled never counts.
func counts(failures int, o *compaction.Outcome, needed bool) int {
	switch {
	case o.Status == compaction.Applied:
		return 0
	case o.Status == compaction.Failed, o.Reason == compaction.NoGain, needed && o.Status == compaction.Skipped:
		return failures + 1
	}
	return failures
}

// resume updates the state after a compaction by the user: it ends a pause
// after failures, and one after an undo.
func (s *Session) resume(o *compaction.Outcome) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unsaved, s.state.Failures = s.unsaved || s.state.Failures > 0, 0
	if s.state.Undone && o.Status == compaction.Applied {
		s.state.Auto, s.state.Undone = nil, false
	}
}

// loadState reads the state once; what was set in this process wins.
func (s *Session) loadState(v *timeline.View) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.loaded || s.unsaved {
		return nil
	}
	n, err := refusals(v.Path)
	if err != nil {
		return err
	}
	s.state, s.loaded = readState(v), true
	s.state.Failures += n
	return nil
}

// forgetState forces the state to be read again, because the path has changed.
func (s *Session) forgetState() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.loaded = false
}

// withState puts the state in front of drafts if it has changed. The caller calls
// failed if the drafts could not be written.
func (s *Session) withState(drafts []session.Draft) (_ []session.Draft, failed func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.unsaved {
		return drafts, func() {}
	}
	s.unsaved, s.loaded = false, true
	return append([]session.Draft{mark.State(s.state.Failures, s.state.Auto)}, drafts...), func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.unsaved = true
	}
}

// readState returns the latest state on the path of a view. One left by an undo
// (compaction.Compactor.Undo) counts until the next compaction.
func readState(v *timeline.View) state {
	compacted := false
	for i := len(v.Path) - 1; i >= 0; i-- {
		compacted = compacted || v.Path[i].Type == session.TypeCompaction
		if !isCustom(v.Path[i], kinds.CustomState) {
			continue
		}
		undone := i > 0 && isCustom(v.Path[i-1], kinds.CustomUncompact)
		if undone && compacted {
			continue
		}
		s := decodeState(v.Path[i].Custom().Data)
		s.Undone = undone
		return s
	}
	return state{}
}

// refusals counts the requests at the end of a path that were refused for size
// and not rescued. They are failures too: the process ended before it had
// another message to write the count with.
func refusals(path []*session.Entry) (int, error) {
	n := 0
	for i := len(path) - 1; i >= 0; i-- {
		e := path[i]
		said := e.Meta()
		switch {
		case e.Type == session.TypeCompaction, isCustom(e, kinds.CustomState):
			return n, nil
		case said.Role != message.RoleAssistant:
		case !said.Failed():
			return n, nil
		default:
			m, err := e.Message()
			if err != nil {
				return 0, err
			}
			if m.ErrorClass == message.ClassOverflow || m.ErrorClass == message.ClassOverflowOutput {
				n++
			}
		}
	}
	return n, nil
}

func isCustom(e *session.Entry, customType string) bool {
	c := e.Custom()
	return c != nil && c.CustomType == customType && rawjson.Kind(c.Data) == '{'
}

// decodeState reads the data of an entry and ignores what it does not know.
func decodeState(data []byte) state {
	var s state
	for k, raw := range rawjson.Fields(data) {
		switch string(k) {
		case "failures":
			s.Failures = int(max(0, rawjson.Int(raw)))
		case "autocompact":
			on := rawjson.Bool(raw)
			s.Auto = &on
		}
	}
	return s
}
