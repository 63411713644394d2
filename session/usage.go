package session

import (
	"github.com/coppice-dev/coppice/internal/codec"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
)

// Usage returns what a provider counted for the call that an entry came from,
// and the model that was called. The usage is nil if nothing was counted. The
// model is the zero value if the entry does not name it. Messages, summaries
// and entries of type usage have one. It fails if Raw does.
func (e *Entry) Usage() (*message.Usage, ModelChange, error) {
	switch {
	case e.Type == TypeUsage:
		by := ModelChange{Provider: rawjson.String(rawjson.Get(e.body.bytes(), "provider")), ModelID: rawjson.String(rawjson.Get(e.body.bytes(), "model"))}
		return codec.DecodeUsage(rawjson.Get(e.body.bytes(), "usage")), by, nil
	case e.Compaction() != nil:
		return e.Compaction().Usage, ModelChange{}, nil
	case e.BranchSummary() != nil:
		return e.BranchSummary().Usage, ModelChange{}, nil
	}
	m, err := e.Message()
	if m == nil || err != nil {
		return nil, ModelChange{}, err
	}
	return m.Usage, ModelChange{Provider: m.Provider, ModelID: m.Model}, nil
}
