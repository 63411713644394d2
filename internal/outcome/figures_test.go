package outcome

import (
	"slices"
	"testing"
)

func TestFigures(t *testing.T) {
	for _, tc := range []struct {
		name, output string
		measures     bool
		want         []Figure
	}{
		{"go test -bench", "goos: linux\nBenchmarkParse-8   \t  500000\t      2451 ns/op\t     320 B/op\t       9 allocs/op\nPASS\nok  \tkiosk/parse\t1.2s", true,
			[]Figure{{"BenchmarkParse", "2451 ns/op 320 B/op 9 allocs/op"}}},
		{"go test -cover", "ok  \tferry/tide\t0.2s\tcoverage: 61.0% of statements\nok  \tferry/pier\t0.1s\tcoverage: 9.5% of statements", false,
			[]Figure{{"coverage of ferry/tide", "61.0%"}, {"coverage of ferry/pier", "9.5%"}}},
		{"measured three times", "BenchmarkA-8 10 300 ns/op\nBenchmarkA-8 10 100 ns/op\nBenchmarkA-8 10 200 ns/op", true, []Figure{{"BenchmarkA", "200 ns/op"}}},
		{"hyperfine", "Benchmark 1: ./ferry --help\n  Time (mean ± σ):     203.1 ms ±  4.0 ms    [User: 150.2 ms]\n  Range (min … max):   198.0 ms … 211.9 ms    10 runs", true,
			[]Figure{{"./ferry --help", "203.1 ms ± 4.0 ms"}}},
		{"criterion", "parse/long              time:   [1.1021 ms 1.2044 ms 1.3090 ms]\n                        change: [-3% -2% -1%]", false, []Figure{{"parse/long", "1.2044 ms"}}},
		{"pytest-cov", "Name      Stmts   Miss  Cover\nTOTAL       120     12    90%", false, []Figure{{"coverage", "90%"}}},
		{"nyc", "All files      |   87.31 |    80.2 |   90 |", false, []Figure{{"coverage", "87.31%"}}},
		{"wrk", "Running 10s test\nRequests/sec:  12034.55\nTransfer/sec:      1.44MB", true, []Figure{{"Requests/sec", "12034.55"}, {"Transfer/sec", "1.44MB"}}},
		{"names and numbers of a command that measures", "board: 184.2 ms per request\nmemory = 12 MB\nport: 8080 is open", true, []Figure{{"board", "184.2 ms"}, {"memory", "12 MB"}}},
		{"the same of one that does not", "board: 184.2 ms per request", false, nil},
		{"no figures", "BenchmarkX is slow\nTOTAL failure\nok then", true, nil},
	} {
		if got := Figures(tc.output, tc.measures); !slices.Equal(got, tc.want) {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}
