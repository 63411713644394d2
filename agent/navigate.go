package agent

import (
	"context"
	"fmt"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/compaction"
)

// Navigate makes another entry of the session the place where the conversation
// goes on, with a summary of what is left where n asks for one
// (docs/branches.md). tell gets its events; nil: no one does. How it ended is
// in the result. An error means that there was no attempt: the target is not
// known, or the agent is busy, which is ErrBusy with the reason. Input that was
// queued meanwhile waits for Run or Resume.
func (a *Agent) Navigate(ctx context.Context, n compaction.Navigation, tell func(Event)) (*compaction.Navigated, error) {
	select {
	case <-a.slot:
	default:
		return nil, a.busy()
	}
	defer func() { a.slot <- struct{}{} }()
	r, end := a.run(ctx, func(e Event, _ error) bool {
		if tell != nil {
			tell(e)
		}
		return true
	})
	defer end()
	r.begins()
	return a.session.Navigate(r.ctx, n)
}

// busy says why the agent cannot navigate now.
func (a *Agent) busy() error {
	trigger, phase := a.session.Reducing()
	switch {
	case phase == coppice.Idle || trigger == compaction.Background:
		return fmt.Errorf("cannot go elsewhere: %w", ErrBusy)
	case trigger == compaction.Branch:
		return fmt.Errorf("cannot go elsewhere: %w: a branch is being summarized", ErrBusy)
	}
	return fmt.Errorf("cannot go elsewhere: %w: the conversation is being compacted", ErrBusy)
}
