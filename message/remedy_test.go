package message

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/coppice-dev/coppice/internal/kinds"
)

func TestNext(t *testing.T) {
	overflow := &Fault{Class: ClassOverflow}
	output := &Fault{Class: ClassOverflowOutput, Limit: Limit{Unit: kinds.UnitContext, Max: 200_000, Used: 100_000}}
	full := &Fault{Class: ClassOverflowOutput, Limit: Limit{Unit: kinds.UnitContext, Max: 200_000, Used: 199_000}}
	small := &Fault{Class: ClassOverflowOutput, Limit: Limit{Unit: kinds.UnitContext, Max: 4096, Used: 2000}}
	restore := &Fault{Class: ClassThinking, Remedy: kinds.RemedyRestoreThinking}
	all := map[Remedy]int{kinds.RemedyCompact: 1, kinds.RemedyReduceOutput: 1, kinds.RemedyDropThinking: 1, kinds.RemedyFewerItems: 1, kinds.RemedyShrinkMedia: 1, kinds.RemedyRetry: 1}
	for _, tt := range []struct {
		name       string
		f          *Fault
		may, tried map[Remedy]int
		want       Remedy
	}{
		{"overflow", overflow, all, nil, kinds.RemedyCompact},
		{"overflow again", overflow, all, map[Remedy]int{kinds.RemedyCompact: 1}, kinds.RemedyNone},
		{"a caller that cannot compact", overflow, map[Remedy]int{kinds.RemedyRetry: 9}, nil, kinds.RemedyNone},
		{"output", output, all, nil, kinds.RemedyReduceOutput},
		{"output again", output, all, map[Remedy]int{kinds.RemedyReduceOutput: 1}, kinds.RemedyCompact},
		{"no room for output", full, all, nil, kinds.RemedyCompact},
		{"a small window has room in half of it", small, all, nil, kinds.RemedyReduceOutput},
		{"the output limit", &Fault{Class: ClassOverflowOutput, Limit: Limit{Unit: kinds.UnitOutput, Max: 100, Used: 99}}, all, nil, kinds.RemedyReduceOutput},
		{"thinking", &Fault{Class: ClassThinking}, all, nil, kinds.RemedyDropThinking},
		{"what is asked back is not taken away", restore, all, nil, kinds.RemedyNone},
		{"too many items", &Fault{Class: ClassBadRequest, Limit: Limit{Unit: kinds.UnitItems, Max: 50, Where: "image"}}, all, nil, kinds.RemedyFewerItems},
		{"an image too large", &Fault{Class: ClassBadRequest, Limit: Limit{Unit: kinds.UnitPixels, Max: 8000}}, all, nil, kinds.RemedyShrinkMedia},
		{"an unknown fault that names its remedy", &Fault{Class: ClassUnknown, Remedy: kinds.RemedyRetry}, all, nil, kinds.RemedyRetry},
		{"quota", &Fault{Class: ClassQuota}, all, nil, kinds.RemedyNone},
	} {
		if got := tt.f.Next(tt.may, tt.tried); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// However often a fault comes back, the remedies end.
func TestRemediesEnd(t *testing.T) {
	classes := []Class{ClassOverflow, ClassOverflowOutput, ClassBytes, ClassRateLimit, ClassQuota, ClassAuth, ClassBadRequest, ClassPairing, ClassThinking, ClassTransient, ClassUnknown}
	rapid.Check(t, func(t *rapid.T) {
		may, total := map[Remedy]int{}, 0
		for _, r := range []Remedy{kinds.RemedyCompact, kinds.RemedyReduceOutput, kinds.RemedyDropMedia, kinds.RemedyRetry, kinds.RemedyWait, kinds.RemedyDropThinking, kinds.RemedyFewerItems} {
			may[r] = rapid.IntRange(0, 3).Draw(t, string(r))
			total += may[r]
		}
		tried := map[Remedy]int{}
		for n := 0; ; n++ {
			f := &Fault{Class: rapid.SampledFrom(classes).Draw(t, "class"), Limit: Limit{Max: rapid.Int64Range(0, 9).Draw(t, "max"), Used: rapid.Int64Range(0, 9).Draw(t, "used")}}
			if first := f.Remedies()[0]; !slices.Contains(f.Remedies(), first) || first == "" {
				t.Fatalf("%s has no remedy", f.Class)
			}
			r := f.Next(may, tried)
			if r == kinds.RemedyNone {
				return
			}
			if tried[r]++; tried[r] > may[r] || n >= total {
				t.Fatalf("%s was tried %d times, of %d", r, tried[r], may[r])
			}
		}
	})
}
