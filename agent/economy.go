package agent

import (
	"time"

	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/prune"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/timeline"
)

// usualLifetime is how long providers keep a prompt that nobody asks for.
const usualLifetime = 5 * time.Minute

// economy is what edits of a view are priced by. Marks that last for longer
// than usual cost twice the input instead of 1.25 (reference: prices of
// Anthropic's cache writes).
func (r *run) economy(v *timeline.View) prune.Economy {
	e := prune.Economy{HorizonCalls: *r.cfg.Prune.HorizonTurns, Warm: warm(v, r.facts(), r.cfg.Now(), r.cfg.CacheLifetime)}
	if r.cfg.CacheLifetime > usualLifetime {
		e.Write, e.Read = 2, 0.1
	}
	return e
}

// warm reports whether a provider's cache holds the view: the model has
// answered behind the latest compaction, and less than lifetime ago.
func warm(v *timeline.View, m message.Model, now time.Time, lifetime time.Duration) bool {
	for i := len(v.Path) - 1; i >= 0; i-- {
		e := v.Path[i]
		if e.Type == session.TypeCompaction {
			return false
		}
		o := e.Outline()
		if o == nil || o.Role != message.RoleAssistant || o.Failed() || o.Provider != m.Provider || o.Model != m.ID {
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
