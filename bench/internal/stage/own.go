package stage

import (
	"context"
	"slices"

	"github.com/coppice-dev/coppice/internal/thread"
	"github.com/coppice-dev/coppice/session"
)

// Own is a summary that was written into a path, and the stage of a replay up to
// there, compacted over the same range.
type Own struct {
	*Stage
	Written *session.Compaction
	Path    []*session.Entry // up to the summary
	Kept    int              // the first kept entry in Path; len(Path): nothing was kept
}

// Owns replays a path and calls judge with each summary that counts, where the
// same range can be compacted.
func Owns(ctx context.Context, path []*session.Entry, cwd string, counts func(c *session.Compaction, keepsSome bool) bool, judge func(Own)) error {
	s, err := New(cwd)
	if err != nil {
		return err
	}
	done := 0
	for i, e := range path {
		c := e.Compaction()
		if c == nil {
			continue
		}
		kept := slices.IndexFunc(path[:i], func(e *session.Entry) bool { return e.ID == c.FirstKeptEntryID })
		keepsSome := kept >= 0
		if !keepsSome {
			kept = i
		}
		last := lastMessage(path[:kept])
		if last == nil || !counts(c, keepsSome) {
			continue
		}
		if err := s.Grow(ctx, path[done:i]); err != nil {
			return err
		}
		done = i + 1
		applied, err := s.Compact(ctx, 0, last.ID)
		if err != nil {
			return err
		}
		if applied {
			judge(Own{s, c, path[:i], kept})
		}
	}
	return nil
}

func lastMessage(path []*session.Entry) *session.Entry {
	for _, e := range slices.Backward(path) {
		if thread.IsMessage(e) && e.Type != session.TypeCompaction {
			return e
		}
	}
	return nil
}
