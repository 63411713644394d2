package compaction

import (
	"slices"

	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/summarize"
)

// share hands the session's own request to the summarizer. It is marked where
// the request before it ended, which is as far as the provider has it in its
// cache, and goes with the options that change what a cache holds: a request
// without the mark, or with another thinking level, is paid for in full.
func (a *attempt) share(in *summarize.Input) {
	last := a.view.Request(true)
	for i, m := range slices.Backward(last.Messages) {
		if m.Role == message.RoleAssistant && i > 0 {
			last.CachePoints = []int{i - 1}
			break
		}
	}
	in.SharedPrefix, in.SharedModel = &last, a.view.Model.Provider+"/"+a.view.Model.ModelID
	in.SharedOptions = message.CallOptions{Thinking: a.view.ThinkingLevel, SessionID: a.Session.ID()}
	if counted := a.view.Size(a.estimator(), 0).Measured; counted != nil {
		in.SharedTokens = *counted
	}
}
