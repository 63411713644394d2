package compaction_test

import (
	"math"
	"testing"

	"github.com/coppice-dev/coppice/compaction"
)

func TestSettingsOutOfBounds(t *testing.T) {
	huge, most := int64(1<<40+1), int64(1<<40)
	for name, s := range map[string]compaction.Settings{
		"thresholdPercent must be a number":              {ThresholdPercent: math.NaN()},
		"minGain must be a number":                       {MinGain: new(math.NaN())},
		"reserveTokens must be at most 1099511627776":    {ReserveTokens: &huge},
		"keepRecentTokens must be at most 1099511627776": {KeepRecentTokens: &huge},
	} {
		if err := s.Validate(); err == nil || err.Error() != name {
			t.Errorf("%v, want %s", err, name)
		}
	}
	if err := (compaction.Settings{ReserveTokens: &most, KeepRecentTokens: &most}).Validate(); err != nil {
		t.Error(err)
	}
}
