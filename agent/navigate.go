package agent

import (
	"context"
	"errors"
	"fmt"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/internal/guard"
)

// Navigate continues the conversation at another entry of the session, with a
// summary of the branch that is left if n asks for one (docs/branches.md).
// tell, if not nil, gets its events. The result says how it ended. An error
// means that there was no attempt: the target is unknown, or the agent is
// busy, which is ErrBusy with the reason. Input queued meanwhile waits for Run
// or Resume.
func (a *Agent) Navigate(ctx context.Context, n compaction.Navigation, report func(Event)) (*compaction.Navigated, error) {
	if err := errors.Join(a.made(), guard.Given("the context", ctx)); err != nil {
		return nil, err
	}
	select {
	case <-a.slot:
	default:
		return nil, a.busy()
	}
	defer func() { a.slot <- struct{}{} }()
	r, end := a.run(ctx, func(e Event, _ error) bool {
		if report != nil {
			report(e)
		}
		return true
	})
	defer end()
	r.begins()
	return a.session.Navigate(r.ctx, n)
}

// busy says why the agent cannot navigate now.
func (a *Agent) busy() error {
	switch a.session.Reducing() {
	case "", compaction.Background:
		return fmt.Errorf("cannot move to another entry: %w", ErrBusy)
	case compaction.Branch:
		return fmt.Errorf("cannot move to another entry: %w: a branch is being summarized", ErrBusy)
	}
	return fmt.Errorf("cannot move to another entry: %w: the conversation is being compacted", ErrBusy)
}
