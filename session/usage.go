package session

import (
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
)

// Usage returns what a provider counted for the call behind an entry, and the
// model that was called; nil: nothing was counted. The model is zero where
// the entry does not name it. Messages, summaries and entries of type usage
// have one.
func (e *Entry) Usage() (*message.Usage, ModelChange) {
	switch {
	case e.Type == TypeUsage:
		by := ModelChange{Provider: rawjson.String(rawjson.Get(e.Raw(), "provider")), ModelID: rawjson.String(rawjson.Get(e.Raw(), "model"))}
		return message.DecodeUsage(rawjson.Get(e.Raw(), "usage")), by
	case e.Compaction() != nil:
		return e.Compaction().Usage, ModelChange{}
	case e.BranchSummary() != nil:
		return e.BranchSummary().Usage, ModelChange{}
	case e.Message() != nil:
		m := e.Message()
		return m.Usage, ModelChange{Provider: m.Provider, ModelID: m.Model}
	}
	return nil, ModelChange{}
}
