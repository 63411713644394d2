package compaction

import "testing"

func TestOutputLimits(t *testing.T) {
	tests := []struct {
		name                              string
		reserve, target, modelMax, window int64
		split                             bool
		history, prefix                   int64
	}{
		{"usual", 16384, 183616, 64000, 200000, true, 13107, 8192},
		{"not split", 16384, 183616, 64000, 200000, false, 13107, 0},
		{"small target", 16384, 20000, 64000, 0, true, 5000, 2500},
		{"model's limit", 16384, 183616, 4096, 200000, true, 4096, 4096},
		{"small window", 16384, 183616, 64000, 3000, true, 3000, 3000},
		{"huge reserve", 200000, 1000000, 0, 0, true, 16384, 16384},
		{"nothing known", 0, 0, 0, 0, true, 16384, 16384},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h, p := outputLimits(tt.reserve, tt.target, tt.modelMax, tt.window, tt.split)
			if h != tt.history || p != tt.prefix {
				t.Errorf("got %d, %d, want %d, %d", h, p, tt.history, tt.prefix)
			}
		})
	}
}
