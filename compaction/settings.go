package compaction

// Settings are the numbers that decide when and how much to reduce
// (spec/hooks-settings.md). The zero value is not useful; start from Defaults.
type Settings struct {
	// Enabled switches automatic compaction. Manual compaction always works.
	Enabled bool
	// ReserveTokens is kept free of the window for the next prompt and its
	// answer. Where it is more than half of the window, 15 % of the window
	// is reserved instead.
	ReserveTokens int64
	// KeepRecentTokens is how much of the recent conversation stays word for
	// word; less where the window is small (effective keep).
	KeepRecentTokens int64
	// ThresholdTokens and ThresholdPercent replace window − reserve as the
	// threshold. Tokens beat percent; 0: not set.
	ThresholdTokens  int64
	ThresholdPercent float64
	// MinGain is the share of the view that a compaction has to save, from 0
	// to 1, unless the context has overflowed.
	MinGain float64
	// ResidueTokens bounds the facts that are added word for word under a
	// summary that lost them.
	ResidueTokens int64
	// ConstraintTokens bounds the constraints among them, which have a
	// budget of their own.
	ConstraintTokens int64
}

// Defaults are the settings of a fresh installation.
func Defaults() Settings {
	return Settings{
		Enabled:          true,
		ReserveTokens:    16384,
		KeepRecentTokens: 20000,
		MinGain:          0.10,
		ResidueTokens:    1000,
		ConstraintTokens: 2000,
	}
}

// Reserve is the reserve in force for a window.
func (s Settings) Reserve(window int64) int64 {
	if s.ReserveTokens > window/2 {
		return window * 15 / 100
	}
	return s.ReserveTokens
}

// Threshold is the context size above which automatic compaction starts
// (strictly above), and the target that a compacted request has to stay under.
func (s Settings) Threshold(window int64) int64 {
	switch {
	case window <= 0:
		return 0
	case s.ThresholdTokens > 0:
		return min(s.ThresholdTokens, window-1)
	case s.ThresholdPercent > 0:
		return int64(float64(window) * min(s.ThresholdPercent, 99) / 100)
	}
	return window - s.Reserve(window)
}
