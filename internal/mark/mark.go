// Package mark makes the entries with which Coppice itself marks a log: they
// are custom entries, which other programs carry along (docs/format.md).
package mark

import (
	"github.com/coppice-dev/coppice/internal/jsonw"
	"github.com/coppice-dev/coppice/internal/kinds"
	"github.com/coppice-dev/coppice/session"
)

// Leaf is a draft of a coppice.leaf: it makes its parent the place where the
// conversation continues, also after a restart.
func Leaf() session.Draft { return session.CustomDraft(kinds.CustomLeaf, nil) }

// Pin is a draft of a pin on target. group is the whole tool group of the
// target, in path order.
func Pin(target string, group []*session.Entry) session.Draft {
	var refs jsonw.Array
	for _, e := range group {
		o := new(jsonw.Object).Str("id", e.ID)
		if e.At >= 0 {
			o.Int("at", e.At)
		}
		refs.Add(o.Bytes())
	}
	return session.CustomDraft(kinds.CustomPin, pin(target, true).Raw("group", refs.Bytes()).Bytes())
}

// Unpin is a draft that removes the pin on target.
func Unpin(target string) session.Draft {
	return session.CustomDraft(kinds.CustomPin, pin(target, false).Bytes())
}

func pin(target string, pinned bool) *jsonw.Object {
	return new(jsonw.Object).Str("targetId", target).Bool("pinned", pinned)
}

// Uncompact is a draft that undoes a compaction.
func Uncompact(compaction string) session.Draft {
	return session.CustomDraft(kinds.CustomUncompact, new(jsonw.Object).Str("compactionId", compaction).Bytes())
}

// State is a draft of a coppice.state: how many automatic compactions failed in
// a row, and whether the user switched them on or off; nil: as the settings
// say.
func State(failures int, auto *bool) session.Draft {
	data := new(jsonw.Object).Int("failures", int64(failures))
	if auto != nil {
		data.Bool("autocompact", *auto)
	}
	return session.CustomDraft(kinds.CustomState, data.Bytes())
}
