package coppice

import "testing"

func TestReadings(t *testing.T) {
	const own, ollama = 0, 4096 // a server that does not say its window, and one that does
	tests := []struct {
		name    string
		served  int64
		counts  [][3]int64 // the verdict is about the last
		suspect bool
		window  int64
	}{
		{"an honest server", own, [][3]int64{{1000, 1100, 0}, {2000, 2200, 1100}, {3000, 3300, 2200}}, false, 0},
		{"half of the estimate", own, [][3]int64{{1000, 500, 0}, {2000, 1000, 0}}, false, 0},
		{"a fifth of the estimate", own, [][3]int64{{12_434, 2600, 0}}, false, 0},
		{"less than a sixth", own, [][3]int64{{12_434, 2000, 0}}, true, 0},
		{"no usage", own, [][3]int64{{1000, 0, 0}, {9000, 0, 0}}, false, 0},
		{"a plateau, cached tokens counted", own, [][3]int64{{7000, 7000, 6000}, {9000, 8192, 7000}, {9600, 8192, 8000}, {10_200, 8190, 8000}}, true, 8190},
		{"a plateau of two requests", own, [][3]int64{{7000, 7000, 6000}, {9000, 8192, 7000}, {10_000, 8192, 8000}}, false, 0},
		{"a plateau without growth", own, [][3]int64{{9000, 8192, 10}, {9100, 8192, 10}, {9200, 8192, 10}}, false, 0},
		{"a plateau of new tokens alone", own, [][3]int64{{1000, 500, 0}, {1500, 500, 0}, {2000, 501, 0}}, true, 0},
		{"a plateau below an earlier count", own, [][3]int64{{20_000, 20_000, 9}, {9000, 8192, 9}, {9600, 8192, 9}, {10_200, 8192, 9}}, true, 0},
		{"a reduction between", own, [][3]int64{{9000, 8192, 9}, {9600, 8192, 9}, {5000, 4500, 9}, {5100, 4600, 9}}, false, 0},
		{"a count that reaches the estimate", own, [][3]int64{{6000, 7800, 0}, {7000, 8100, 0}, {8000, 8190, 0}}, false, 0},
		{"a count above the estimate", own, [][3]int64{{15_000, 17_290, 9}, {16_000, 17_329, 9}, {17_047, 17_329, 9}}, false, 0},
		{"a count beyond belief", own, [][3]int64{{712, 1e12, 0}, {1271, 1e12, 0}, {1827, 1e12, 0}}, false, 0},
		{"a count that grows less than its request", own, [][3]int64{{9000, 7800, 0}, {10_000, 8150, 0}, {11_000, 8100, 0}}, true, 0},
		{"a count that grows little each time", own, [][3]int64{{9000, 8100, 9}, {10_000, 8110, 9}, {11_000, 8120, 9}}, false, 0},
		{"a sixth, all the time", own, [][3]int64{{6000, 1010, 0}, {7000, 1180, 0}, {8000, 1350, 0}}, false, 0},
		{"a count that falls", own, [][3]int64{{7000, 7000, 0}, {9000, 4098, 0}}, false, 0},
		{"a count that falls and stays there", own, [][3]int64{{7000, 7000, 0}, {9000, 4098, 0}, {10_000, 4098, 0}}, true, 0},
		{"rounded up to 16,384", own, [][3]int64{{492, 16_384, 0}, {9000, 16_384, 0}, {15_000, 16_384, 0}, {16_501, 16_384, 0}}, false, 0},
		{"rounded up to 16,384, cached", own, [][3]int64{{492, 16_384, 9}, {12_000, 16_384, 9}, {15_000, 16_384, 9}, {17_000, 16_384, 9}}, false, 0},
		{"rounded to 1,024", own, [][3]int64{{9000, 8192, 9}, {10_000, 9216, 9}, {10_300, 9216, 9}, {10_240, 9216, 9}, {11_000, 10_240, 9}}, false, 0},
		{"rounded, and cut", own, [][3]int64{{3000, 3072, 9}, {5000, 5120, 9}, {9000, 8192, 9}, {10_000, 8192, 9}, {11_500, 8192, 9}}, true, 8192},
		{"cut from the first on", own, [][3]int64{{5000, 4096, 9}, {5600, 4096, 9}, {6200, 4096, 9}}, true, 4096},
		{"a gateway adds 2,000 now and then", own, [][3]int64{{3000, 4600, 0}, {3600, 2900, 0}, {4206, 3412, 0}}, false, 0},
		{"too small to tell", own, [][3]int64{{300, 40, 0}}, false, 0},
		{"Ollama's half", ollama, [][3]int64{{5000, 2050, 0}}, true, 4096},
		{"Ollama's half, with a first token", ollama, [][3]int64{{5000, 2051, 0}}, true, 4096},
		{"Ollama's half, of 65,536", 65_536, [][3]int64{{70_000, 32_770, 0}}, true, 65_536},
		{"the window itself", ollama, [][3]int64{{5000, 4096, 0}}, true, 4096},
		{"half of a window that the server did not name", own, [][3]int64{{250_000, 100_002, 0}}, false, 0},
		{"the half, of a request that fits", ollama, [][3]int64{{2100, 2050, 0}}, false, 0},
	}
	for _, tt := range tests {
		var c promptCounts
		var got verdict
		for _, n := range tt.counts {
			got = c.note(tt.served, measured{Estimate: n[0], Text: n[0], Prompt: n[1], Cached: n[2]})
		}
		if (got.Suspect != "") != tt.suspect || got.Window != tt.window {
			t.Errorf("%s: %+v, want suspicion %v, window %d", tt.name, got, tt.suspect, tt.window)
		}
	}
}

// What images cost is only assumed. A server may count them as nothing.
func TestImagesAreNoGrowth(t *testing.T) {
	for name, counts := range map[string][]int64{"at nothing": {11_600, 11_600, 11_600}, "at a few": {11_653, 11_708, 11_763}} {
		var c promptCounts
		for i, n := range counts {
			if got := c.note(0, measured{Estimate: 12_000 + 1000*int64(i), Text: 10_000 + 20*int64(i), Prompt: n, Cached: 9000}); got != (verdict{}) {
				t.Errorf("%s, request %d: %+v", name, i+1, got)
			}
		}
	}
}

// After a compaction a request may be smaller than before, whatever its estimate.
func TestReadingsOfAChangedView(t *testing.T) {
	var c promptCounts
	for _, n := range []measured{{Estimate: 3000, Text: 2500, Prompt: 2665}, {Estimate: 4000, Text: 3500, Prompt: 2665}, {Estimate: 5467, Text: 4000, Prompt: 2183, Anew: true}} {
		if got := c.note(0, n); got != (verdict{}) {
			t.Errorf("%+v: %+v", n, got)
		}
	}
}
