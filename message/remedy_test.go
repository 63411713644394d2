package message

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestNext(t *testing.T) {
	overflow := &Fault{Class: ClassOverflow}
	output := &Fault{Class: ClassOverflowOutput, Limit: Limit{Unit: UnitContext, Max: 200_000, Used: 100_000}}
	full := &Fault{Class: ClassOverflowOutput, Limit: Limit{Unit: UnitContext, Max: 200_000, Used: 199_000}}
	small := &Fault{Class: ClassOverflowOutput, Limit: Limit{Unit: UnitContext, Max: 4096, Used: 2000}}
	restore := &Fault{Class: ClassThinking, Remedy: RemedyRestoreThinking}
	all := Tries{RemedyCompact: 1, RemedyReduceOutput: 1, RemedyDropThinking: 1, RemedyFewerItems: 1, RemedyShrinkMedia: 1, RemedyRetry: 1}
	for _, tt := range []struct {
		name       string
		f          *Fault
		may, tried Tries
		want       Remedy
	}{
		{"overflow", overflow, all, nil, RemedyCompact},
		{"overflow again", overflow, all, Tries{RemedyCompact: 1}, RemedyNone},
		{"a caller that cannot compact", overflow, Tries{RemedyRetry: 9}, nil, RemedyNone},
		{"output", output, all, nil, RemedyReduceOutput},
		{"output again", output, all, Tries{RemedyReduceOutput: 1}, RemedyCompact},
		{"no room for output", full, all, nil, RemedyCompact},
		{"a small window has room in half of it", small, all, nil, RemedyReduceOutput},
		{"the output limit", &Fault{Class: ClassOverflowOutput, Limit: Limit{Unit: UnitOutput, Max: 100, Used: 99}}, all, nil, RemedyReduceOutput},
		{"thinking", &Fault{Class: ClassThinking}, all, nil, RemedyDropThinking},
		{"what is asked back is not taken away", restore, all, nil, RemedyNone},
		{"too many items", &Fault{Class: ClassBadRequest, Limit: Limit{Unit: UnitItems, Max: 50, Where: "image"}}, all, nil, RemedyFewerItems},
		{"an image too large", &Fault{Class: ClassBadRequest, Limit: Limit{Unit: UnitPixels, Max: 8000}}, all, nil, RemedyShrinkMedia},
		{"an unknown fault that names its remedy", &Fault{Class: ClassUnknown, Remedy: RemedyRetry}, all, nil, RemedyRetry},
		{"quota", &Fault{Class: ClassQuota}, all, nil, RemedyNone},
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
		may, total := Tries{}, 0
		for _, r := range []Remedy{RemedyCompact, RemedyReduceOutput, RemedyDropMedia, RemedyRetry, RemedyWait, RemedyDropThinking, RemedyFewerItems} {
			may[r] = rapid.IntRange(0, 3).Draw(t, string(r))
			total += may[r]
		}
		tried := Tries{}
		for n := 0; ; n++ {
			f := &Fault{Class: rapid.SampledFrom(classes).Draw(t, "class"), Limit: Limit{Max: rapid.Int64Range(0, 9).Draw(t, "max"), Used: rapid.Int64Range(0, 9).Draw(t, "used")}}
			if first := f.Remedies()[0]; !slices.Contains(f.Remedies(), first) || first == "" {
				t.Fatalf("%s has no remedy", f.Class)
			}
			r := f.Next(may, tried)
			if r == RemedyNone {
				return
			}
			if tried[r]++; tried[r] > may[r] || n >= total {
				t.Fatalf("%s was tried %d times, of %d", r, tried[r], may[r])
			}
		}
	})
}
