package render

import (
	"cmp"
	"time"

	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/timeline"
)

// UsualLifetime is how long providers keep a prompt that no one asks for.
const UsualLifetime = 5 * time.Minute

// pricing is what edits of a view are priced by. Marks that last for longer
// than usual cost twice the input instead of 1.25 (Anthropic's prices of cache
// writes).
func (in Input) pricing() pricing {
	lifetime := cmp.Or(in.Lifetime, UsualLifetime)
	in.Prune.EnsureDefaults()
	e := pricing{horizon: *in.Prune.HorizonTurns, warm: warm(in.View, in.Model, in.Now, lifetime)}
	if lifetime > UsualLifetime {
		e.write, e.read = 2, 0.1
	}
	return e
}

// warm reports whether a provider's cache holds the view: the model has
// answered after the latest compaction, and less than lifetime ago.
func warm(v *timeline.View, m message.Model, now time.Time, lifetime time.Duration) bool {
	for i := len(v.Path) - 1; i >= 0; i-- {
		e := v.Path[i]
		if e.Type == session.TypeCompaction {
			return false
		}
		if said := e.Meta(); said.Role != message.RoleAssistant || said.Failed() || said.Provider != m.Provider || said.Model != m.ID {
			continue
		}
		at := e.Time
		if m, err := e.Message(); err == nil && !m.Time.IsZero() {
			at = m.Time
		}
		return now.Sub(at) < lifetime
	}
	return false
}
