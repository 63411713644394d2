package calibration

import "testing"

func TestBelievable(t *testing.T) {
	for _, tt := range []struct {
		name                             string
		window, used, answered, estimate int64
		want                             bool
	}{
		{"a size and a window", 128_000, 130_000, 0, 120_000, true},
		{"only a window", 128_000, 0, 100_000, 150_000, true},
		{"more was answered", 4096, 5120, 30_000, 31_000, false},
		{"as much was answered", 30_000, 0, 30_000, 31_000, false},
		{"more was answered, before the server got a smaller window", 4096, 10_000, 30_000, 9000, true},
		{"a tenth of the request", 15_000, 0, 0, 150_000, true},
		{"less than a tenth", 14_999, 0, 0, 150_000, false},
		{"less than a tenth of the request, which it counts", 4096, 150_000, 0, 150_000, true},
		{"twice the estimate", 4096, 20_000, 8000, 10_000, true},
		{"more than that", 4096, 20_002, 8000, 10_000, false},
		{"no estimate", 4096, 0, 0, 0, true},
	} {
		if got := Believable(tt.window, tt.used, tt.answered, tt.estimate); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}
