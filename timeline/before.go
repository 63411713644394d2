package timeline

import (
	"context"
	"slices"

	"github.com/coppice-dev/coppice/session"
)

// recall reads the newest calls before a compaction, so that their usage calibrates
// the estimates of the view as it did before: another process has not seen them. It
// reads a bounded part of the log, and nothing if nothing is covered.
func (v *View) recall(ctx context.Context, src Source) error {
	if v.Compaction == nil || v.AtRoot || v.rootRead || len(v.Path) == 0 || len(v.policy.Earlier.Ranges) > 0 {
		return nil
	}
	read := v.read()
	back := newest{view: v}
	for _, e := range slices.Backward(read) {
		back.add(e)
	}
	for e := read[0]; !back.enough(); {
		var err error
		if e, err = src.Parent(ctx, e); err != nil {
			return err
		}
		if v.rootRead = e == nil; v.rootRead {
			return nil
		}
		back.add(e)
		v.beyond = append(v.beyond, e)
	}
	return nil
}

// The most that is read of what a compaction covers, to calibrate estimates.
const (
	recalledBytes   = 256 << 10 // of content
	recalledEntries = 400
)

// newest counts what was read from the leaf back.
type newest struct {
	view    *View
	entries int
	bytes   int64
	calls   int
}

func (n *newest) add(e *session.Entry) {
	m := e.Meta()
	n.entries++
	if n.view.byModel(m) && m.Counted {
		n.calls++
	}
	n.bytes += m.ContentBytes
}

func (n *newest) enough() bool {
	return n.calls >= calibrated || n.bytes >= recalledBytes || n.entries >= recalledEntries
}
