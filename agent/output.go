package agent

import "strings"

// Limits of a tool result at its source (docs/pruning.md).
const (
	maxResultBytes = 50 << 10
	maxResultLines = 2000
)

// resultBytes returns how long each of n results of one batch may be: at most
// the single limit, and together at most half of the threshold, so that the
// newest results never fill the window by themselves. threshold is in tokens;
// 0: unknown.
func resultBytes(n int, threshold int64) int {
	if threshold <= 0 || n <= 0 {
		return maxResultBytes
	}
	const bytesPerToken = 4
	return min(maxResultBytes, max(1024, int(threshold)*bytesPerToken/2/n))
}

// tooLong reports whether a text has to be cut.
func tooLong(text string, maxBytes int) bool {
	return len(text) > maxBytes || strings.Count(text, "\n") >= maxResultLines
}
