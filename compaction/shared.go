package compaction

import (
	"slices"

	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/summarize"
	"github.com/coppice-dev/coppice/timeline"
)

// share gives the summarizer the session's last request, and of what came since
// only the part that is summarized: the provider does not have that yet, and
// what stays in view needs no summary. The request is marked where it ended,
// and is sent with the options that change what a cache holds: a request
// without the mark, or with another thinking level, is paid for in full.
func (a *attempt) share(in *summarize.Input) error {
	last, err := a.view.Request(true)
	if err != nil {
		return err
	}
	sent := 0
	for i, m := range slices.Backward(last.Messages) {
		if m.Role == message.RoleAssistant {
			sent = i
			break
		}
	}
	if sent > 0 {
		last.CachePoints = []int{sent - 1}
	}
	covered, err := a.covered()
	if err != nil {
		return err
	}
	size, err := a.view.Size(a.estimator(), 0)
	if err != nil {
		return err
	}
	end := min(max(sent, covered), len(last.Messages))
	if size.Measured != nil {
		in.SharedTokens = *size.Measured
		for _, m := range last.Messages[end:] {
			in.SharedTokens -= a.estimator().Message(m)
		}
	}
	last.Messages = last.Messages[:end]
	in.SharedPrefix, in.SharedModel = &last, a.view.Model.Provider+"/"+a.view.Model.ModelID
	in.SharedOptions = message.CallOptions{Thinking: a.view.Thinking(), SessionID: a.Session.ID()}
	return nil
}

// covered returns how many messages of the view's request come before the cut.
func (a *attempt) covered() (int, error) {
	n := 0
	for _, it := range a.view.Items {
		if it.Pos >= a.plan.Cut {
			break
		}
		m, err := it.Message()
		if err != nil {
			return 0, err
		}
		if timeline.ToLLM(m) != nil {
			n++
		}
	}
	return n, nil
}
