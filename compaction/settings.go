package compaction

import (
	"errors"
	"maps"
	"slices"

	"github.com/coppice-dev/coppice/internal/valid"
)

// Settings are the numbers that decide when and how much to reduce
// (docs/settings.md, compaction.*). Sizes are in tokens. A field that is not
// set has its default, whatever the other fields are; EnsureDefaults fills them
// in.
type Settings struct {
	// Enabled switches automatic compaction, which is on by default. Manual
	// compaction always works.
	Enabled *bool `json:"enabled"`
	// Background prepares a summary while work continues; nil: yes.
	Background *bool `json:"background"`
	// ReserveTokens is kept free of the window for the next prompt and its answer;
	// nil: 16,384. If it is more than half of the window, 15 % of the window is
	// reserved instead.
	ReserveTokens *int64 `json:"reserveTokens"`
	// KeepRecentTokens is how much of the recent conversation stays word for word;
	// nil: 20,000. It is less if the window is small.
	KeepRecentTokens *int64 `json:"keepRecentTokens"`
	// ThresholdTokens and ThresholdPercent, from 0 to 100, replace window −
	// reserve as the threshold. Tokens beat percent; 0: not set.
	ThresholdTokens  int64   `json:"thresholdTokens"`
	ThresholdPercent float64 `json:"thresholdPercent" max:"100"`
	// MinGain is the share of the view that a compaction has to save, from 0
	// to 1, unless the context has overflowed; nil: 0.10.
	MinGain *float64 `json:"minGain" max:"1"`
	// ResidueTokens limits the facts that are added word for word under a summary
	// that lost them; nil: 1,000.
	ResidueTokens *int64 `json:"residueTokens"`
	// ConstraintTokens limits the constraints among them, which have a separate
	// budget; nil: 2,000.
	ConstraintTokens *int64 `json:"constraintTokens"`
	// RetryOnContradiction asks a model once more if its summary says what is
	// known to be otherwise; nil: no. What is left is corrected under the summary
	// in any case.
	RetryOnContradiction *bool `json:"retryOnContradiction"`
	// ModelOverrides replace numbers for one model, by "provider/model".
	ModelOverrides map[string]Override `json:"modelOverrides"`
}

// Override replaces numbers of Settings for one model. Nil fields change
// nothing.
type Override struct {
	ReserveTokens    *int64   `json:"reserveTokens"`
	KeepRecentTokens *int64   `json:"keepRecentTokens"`
	ThresholdTokens  *int64   `json:"thresholdTokens"`
	ThresholdPercent *float64 `json:"thresholdPercent" max:"100"`
}

// The defaults.
const (
	defaultReserve     = 16384
	defaultKeep        = 20000
	defaultMinGain     = 0.10
	defaultResidue     = 1000
	defaultConstraints = 2000
)

// maxTokens is more than any window has; sums of a few such counts do not
// overflow.
const maxTokens = 1 << 40

// EnsureDefaults gives every field that is not set its default.
func (s *Settings) EnsureDefaults() {
	s.Enabled, s.Background = ensure(s.Enabled, true), ensure(s.Background, true)
	s.RetryOnContradiction = ensure(s.RetryOnContradiction, false)
	s.ReserveTokens = ensure(s.ReserveTokens, defaultReserve)
	s.KeepRecentTokens = ensure(s.KeepRecentTokens, defaultKeep)
	s.MinGain = ensure(s.MinGain, defaultMinGain)
	s.ResidueTokens = ensure(s.ResidueTokens, defaultResidue)
	s.ConstraintTokens = ensure(s.ConstraintTokens, defaultConstraints)
}

func ensure[T any](v *T, def T) *T {
	if v == nil {
		return &def
	}
	return v
}

// Validate names the fields that are wrong.
func (s Settings) Validate() error {
	errs := []error{
		valid.Between("reserveTokens", s.ReserveTokens, 0, maxTokens),
		valid.Between("keepRecentTokens", s.KeepRecentTokens, 0, maxTokens),
		valid.NotNegative("thresholdTokens", &s.ThresholdTokens),
		valid.Between("thresholdPercent", &s.ThresholdPercent, 0, 100),
		valid.Between("minGain", s.MinGain, 0, 1),
		valid.NotNegative("residueTokens", s.ResidueTokens),
		valid.NotNegative("constraintTokens", s.ConstraintTokens),
	}
	for _, model := range slices.Sorted(maps.Keys(s.ModelOverrides)) {
		errs = append(errs, valid.Below(valid.Member("modelOverrides", model), s.ModelOverrides[model].Validate()))
	}
	return errors.Join(errs...)
}

// Validate names the fields that are wrong.
func (o Override) Validate() error {
	return errors.Join(
		valid.Between("reserveTokens", o.ReserveTokens, 0, maxTokens),
		valid.Between("keepRecentTokens", o.KeepRecentTokens, 0, maxTokens),
		valid.NotNegative("thresholdTokens", o.ThresholdTokens),
		valid.Between("thresholdPercent", o.ThresholdPercent, 0, 100),
	)
}

// For returns the settings for one model, by "provider/model".
func (s Settings) For(model string) Settings {
	o, ok := s.ModelOverrides[model]
	if !ok {
		return s
	}
	if o.ReserveTokens != nil {
		s.ReserveTokens = o.ReserveTokens
	}
	if o.KeepRecentTokens != nil {
		s.KeepRecentTokens = o.KeepRecentTokens
	}
	if o.ThresholdPercent != nil {
		// Otherwise the general token threshold would win over the percentage set for
		// this model.
		s.ThresholdPercent, s.ThresholdTokens = *o.ThresholdPercent, 0
	}
	if o.ThresholdTokens != nil {
		s.ThresholdTokens = *o.ThresholdTokens
	}
	return s
}

// reserve returns the reserve for a window, in tokens; if the window is not
// known, the setting.
func (s Settings) reserve(window int64) int64 {
	reserve := *ensure(s.ReserveTokens, defaultReserve)
	if window > 0 && reserve > window/2 {
		return window * 15 / 100
	}
	return reserve
}

// Threshold returns the context size, in tokens, above which automatic
// compaction starts. It is also the target that a compacted request has to stay
// under.
func (s Settings) Threshold(window int64) int64 {
	switch {
	case window <= 0:
		return 0
	case s.ThresholdTokens > 0:
		return min(s.ThresholdTokens, window-1)
	case s.ThresholdPercent > 0:
		return int64(float64(window) * min(s.ThresholdPercent, 99) / 100)
	}
	return window - s.reserve(window)
}

func (s Settings) keepRecent() int64 { return *ensure(s.KeepRecentTokens, defaultKeep) }
func (s Settings) minGain() float64  { return *ensure(s.MinGain, defaultMinGain) }

// budgets bound what verification may add under a summary, in tokens.
type budgets struct{ residue, constraints int64 }

func (b budgets) sum() int64 { return b.residue + b.constraints }

func (s Settings) budgets() budgets {
	return budgets{residue: *ensure(s.ResidueTokens, defaultResidue), constraints: *ensure(s.ConstraintTokens, defaultConstraints)}
}

// BranchSettings are the settings of branch summaries (docs/settings.md,
// branchSummary.*).
type BranchSettings struct {
	// Enabled makes a summary if a navigation does not say whether to make one.
	Enabled bool `json:"enabled"`
	// ReserveTokens is kept free of the window when a branch is summarized; nil:
	// 16,384. If it is more than half of the window, 15 % of the window is
	// reserved instead.
	ReserveTokens *int64 `json:"reserveTokens"`
}

// EnsureDefaults gives every field that is not set its default.
func (s *BranchSettings) EnsureDefaults() { s.ReserveTokens = ensure(s.ReserveTokens, defaultReserve) }

// Validate names the fields that are wrong.
func (s BranchSettings) Validate() error { return valid.NotNegative("reserveTokens", s.ReserveTokens) }

func (s BranchSettings) reserve() int64 { return *ensure(s.ReserveTokens, defaultReserve) }
