package agent

import (
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/timeline"
)

// state is what a session remembers of its runs (entries coppice.state,
// spec/session-log.md). It is written together with the next message, never
// alone.
type state struct {
	Failures int   // automatic compactions that failed in a row
	Auto     *bool // switched by the user for this session; nil: as the settings say

	// Undone says that automatic compaction is off because the user took one
	// back that was needed. The next compaction ends that.
	Undone bool
}

// draft is the state as an entry of the log.
func (s state) draft() session.Draft { return session.StateDraft(s.Failures, s.Auto) }

// readState is the latest state on the path of a view. One that an undo left
// (compaction.Compactor.Undo) counts until the next compaction.
func readState(v *timeline.View) state {
	compacted := false
	for i := len(v.Path) - 1; i >= 0; i-- {
		compacted = compacted || v.Path[i].Type == session.TypeCompaction
		if !isCustom(v.Path[i], session.CustomState) {
			continue
		}
		undone := i > 0 && isCustom(v.Path[i-1], session.CustomUncompact)
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
// and not rescued. They are failures too, of a process that ended before it had
// another message to write the count with.
func refusals(path []*session.Entry) (int, error) {
	n := 0
	for i := len(path) - 1; i >= 0; i-- {
		e := path[i]
		o := e.Outline()
		switch {
		case e.Type == session.TypeCompaction, isCustom(e, session.CustomState):
			return n, nil
		case o == nil || o.Role != message.RoleAssistant:
		case !o.Failed():
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

// decodeState reads the data of an entry. What it does not know it leaves out.
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
