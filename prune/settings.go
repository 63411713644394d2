package prune

import (
	"errors"

	"github.com/coppice-dev/coppice/internal/valid"
)

// Settings say what may be pruned (docs/settings.md, prune.*). An unset field
// has its default, whatever the others are.
type Settings struct {
	ToolOutput ToolOutput `json:"toolOutput"`
	Superseded *bool      `json:"superseded"` // reads that a later read repeats; nil: yes
	Empty      *bool      `json:"empty"`      // results in which nothing was found; nil: yes
	Media      *bool      `json:"media"`      // old images, close to the byte limit; nil: yes
	// HorizonTurns is the number of model calls within which an edit below the
	// threshold must pay off; nil: 20.
	HorizonTurns *int64 `json:"horizonTurns"`
}

// ToolOutput says when old tool output is pruned. Sizes are in tokens.
type ToolOutput struct {
	Enabled        *bool    `json:"enabled"`        // nil: yes
	ProtectTokens  *int64   `json:"protectTokens"`  // newest results to keep; nil: 40,000
	MinSavings     *int64   `json:"minSavings"`     // smallest total saving; nil: 20,000
	ProtectedTools []string `json:"protectedTools"` // tools whose results are never pruned as old; nil: skill and read
}

// EnsureDefaults sets every unset field to its default.
func (s *Settings) EnsureDefaults() {
	o := &s.ToolOutput
	o.Enabled = ensure(o.Enabled, true)
	o.ProtectTokens = ensure(o.ProtectTokens, 40_000)
	o.MinSavings = ensure(o.MinSavings, 20_000)
	if o.ProtectedTools == nil {
		o.ProtectedTools = []string{"skill", "read"}
	}
	s.Superseded, s.Empty, s.Media = ensure(s.Superseded, true), ensure(s.Empty, true), ensure(s.Media, true)
	s.HorizonTurns = ensure(s.HorizonTurns, 20)
}

func ensure[T any](v *T, def T) *T {
	if v == nil {
		return &def
	}
	return v
}

// Validate returns an error that names the fields with wrong values.
func (s Settings) Validate() error {
	return errors.Join(
		valid.NotNegative("toolOutput.protectTokens", s.ToolOutput.ProtectTokens),
		valid.NotNegative("toolOutput.minSavings", s.ToolOutput.MinSavings),
		valid.NotNegative("horizonTurns", s.HorizonTurns),
	)
}
