package coppice

import "testing"

func TestReadings(t *testing.T) {
	const own, ollama = 0, 4096 // a server that does not say its window, and one that does
	tests := []struct {
		name    string
		served  int64
		counts  []measured // the verdict is about the last
		suspect bool
		window  int64
	}{
		{"an honest server", own, []measured{{1000, 1100, 0}, {2000, 2200, 1100}, {3000, 3300, 2200}}, false, 0},
		{"half of the estimate", own, []measured{{1000, 500, 0}, {2000, 1000, 0}}, false, 0},
		{"a fifth of the estimate", own, []measured{{12_434, 2600, 0}}, false, 0},
		{"less than a sixth", own, []measured{{12_434, 2000, 0}}, true, 0},
		{"no usage", own, []measured{{1000, 0, 0}, {9000, 0, 0}}, false, 0},
		{"a plateau, cached tokens counted", own, []measured{{7000, 7000, 6000}, {9000, 8192, 7000}, {9600, 8192, 8000}, {10_200, 8190, 8000}}, true, 8190},
		{"a plateau of two requests", own, []measured{{7000, 7000, 6000}, {9000, 8192, 7000}, {10_000, 8192, 8000}}, false, 0},
		{"a plateau without growth", own, []measured{{9000, 8192, 10}, {9100, 8192, 10}, {9200, 8192, 10}}, false, 0},
		{"a plateau of new tokens alone", own, []measured{{1000, 500, 0}, {1500, 500, 0}, {2000, 501, 0}}, true, 0},
		{"a plateau below an earlier count", own, []measured{{20_000, 20_000, 9}, {9000, 8192, 9}, {9600, 8192, 9}, {10_200, 8192, 9}}, true, 0},
		{"a reduction between", own, []measured{{9000, 8192, 9}, {9600, 8192, 9}, {5000, 4500, 9}, {5100, 4600, 9}}, false, 0},
		{"a count that grows less than its request", own, []measured{{6000, 7800, 0}, {7000, 8100, 0}, {8000, 8190, 0}}, true, 0},
		{"a sixth, all the time", own, []measured{{6000, 1010, 0}, {7000, 1180, 0}, {8000, 1350, 0}}, false, 0},
		{"a count that falls", own, []measured{{7000, 7000, 0}, {9000, 4098, 0}}, true, 0},
		{"Ollama's half", ollama, []measured{{5000, 2050, 0}}, true, 4096},
		{"Ollama's half, with a first token", ollama, []measured{{5000, 2051, 0}}, true, 4096},
		{"Ollama's half, of 65,536", 65_536, []measured{{70_000, 32_770, 0}}, true, 65_536},
		{"the window itself", ollama, []measured{{5000, 4096, 0}}, true, 4096},
		{"half of a window that the server did not name", own, []measured{{250_000, 100_002, 0}}, false, 0},
		{"the half, of a request that fits", ollama, []measured{{2100, 2050, 0}}, false, 0},
	}
	for _, tt := range tests {
		var c promptCounts
		var got verdict
		for _, n := range tt.counts {
			got = c.note(tt.served, n)
		}
		if (got.Suspect != "") != tt.suspect || got.Window != tt.window {
			t.Errorf("%s: %+v, want suspicion %v, window %d", tt.name, got, tt.suspect, tt.window)
		}
	}
}
