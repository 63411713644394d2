package prune

import (
	"errors"
	"slices"

	"github.com/coppice-dev/coppice/internal/valid"
)

// Settings say what may be pruned (docs/settings.md, prune.*). A field that is
// not set has its default, whatever the others say.
type Settings struct {
	ToolOutput ToolOutput `json:"toolOutput"`
	Superseded *bool      `json:"superseded"` // reads that a later read repeats; nil: yes
	Empty      *bool      `json:"empty"`      // results in which nothing was found; nil: yes
	Media      *bool      `json:"media"`      // old images, when the byte cap nears; nil: yes
	// HorizonTurns is within how many model calls an edit below the threshold
	// has to pay; nil: 20.
	HorizonTurns *int64 `json:"horizonTurns"`
}

// ToolOutput says when old tool output is pruned. Sizes are in tokens.
type ToolOutput struct {
	Enabled        *bool    `json:"enabled"`        // nil: yes
	ProtectTokens  *int64   `json:"protectTokens"`  // newest results that stay; nil: 40,000
	MinSavings     *int64   `json:"minSavings"`     // less than this in all is not worth it; nil: 20,000
	ProtectedTools []string `json:"protectedTools"` // tools whose results are never old; nil: skill and read
}

// EnsureDefaults gives every field that is not set its default.
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

// Validate names the fields that are wrong.
func (s Settings) Validate() error {
	return errors.Join(
		valid.NotNegative("toolOutput.protectTokens", s.ToolOutput.ProtectTokens),
		valid.NotNegative("toolOutput.minSavings", s.ToolOutput.MinSavings),
		valid.NotNegative("horizonTurns", s.HorizonTurns),
	)
}

// Only are settings that prune these kinds and nothing else.
func Only(kinds ...Kind) Settings {
	has := func(k Kind) *bool { return new(slices.Contains(kinds, k)) }
	return Settings{ToolOutput: ToolOutput{Enabled: has(OldOutput)}, Superseded: has(Superseded), Empty: has(Empty), Media: has(Media)}
}
