package timeline

import (
	"fmt"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/tokens"
)

// A server may report less than it has read, or cut prompts: a count that stays where
// it was while clearly more text is sent is not the size of the request.
func TestCountsThatStayAreNoSizes(t *testing.T) {
	honest := server{1, 700}.talk(12)
	clipped := func(from int, count func(i int, honest int64) int64) []string {
		lines := append([]string(nil), honest...)
		for i := from; i < 12; i++ {
			var input int64
			_, after, _ := strings.Cut(lines[2*i+1], `"input":`)
			_, _ = fmt.Sscanf(after, "%d", &input)
			lines = odd(lines, 2*i, count(i, input))
		}
		return lines
	}
	for name, tt := range map[string]struct {
		lines    []string
		measured bool
	}{
		"honest":                         {honest, true},
		"clipped at the sixth":           {clipped(5, func(int, int64) int64 { return 2000 }), false},
		"clipped, a little up and down":  {clipped(5, func(i int, _ int64) int64 { return 2000 - int64(i*37)%20 }), false},
		"cut to half":                    {clipped(8, func(int, int64) int64 { return 1500 }), false},
		"half as many, all the time":     {clipped(0, func(_ int, n int64) int64 { return n / 2 }), true},
		"rounded up":                     {clipped(0, func(_ int, n int64) int64 { return (n/1024 + 1) * 1024 }), true},
		"always more than was sent":      {clipped(0, func(int, int64) int64 { return 9000 }), true},
		"clipped once, in the last call": {clipped(11, func(int, int64) int64 { return 2000 }), false},
	} {
		v := must.Get(Project(t.Context(), parse(t, tt.lines...), nil, Policy{Model: message.Model{Provider: "p", ID: "m", Window: 32_000}}))
		v.Prompt = Prompt{Known: true, Text: strings.Repeat("Be good. ", 273)}
		size := must.Get(v.Size(tokens.Default{}, 0))
		if (size.Measured != nil) != tt.measured {
			t.Errorf("%s: measured %v of about %d: %v", name, size.Measured, size.Estimated, size.Problems)
		}
		if !tt.measured && (len(size.Problems) != 1 || size.Problems[0].Kind != "truncated-by-server" || size.Decision() < 4000) {
			t.Errorf("%s: %d tokens, %v", name, size.Decision(), size.Problems)
		}
	}
}
