// Package calibration corrects estimates of tokens by what a provider
// measured: measured divided by estimated, of the same ranges of a
// conversation, by class of content (docs/context.md). It keeps nothing: what
// it knows is derived from the usage on the path whenever it is asked.
package calibration

import (
	"math"
	"slices"
	"strings"
)

// Counts is an estimate by class of content, in tokens. Between these classes
// tokenizers differ from each other most.
type Counts struct {
	Text    int64 // ASCII
	Scripts int64 // other letters and symbols
	Media   int64
}

// Sum returns the estimate of all classes together.
func (c Counts) Sum() int64 { return c.Text + c.Scripts + c.Media }

// Plus adds the estimate of another range.
func (c Counts) Plus(o Counts) Counts {
	return Counts{c.Text + o.Text, c.Scripts + o.Scripts, c.Media + o.Media}
}

// Minus subtracts the estimate of a part.
func (c Counts) Minus(o Counts) Counts {
	return Counts{c.Text - o.Text, c.Scripts - o.Scripts, c.Media - o.Media}
}

// Sample is a range of a conversation that was estimated and measured.
type Sample struct {
	Measured  int64 // tokens; a difference may be negative
	Estimated Counts
	Call      string // id of the answer whose prompt ended the range; "": it was refused
}

// Earlier is what is known of a model from requests that are no longer on the
// path. The zero value: nothing.
type Earlier struct {
	Ranges  []Sample // oldest first
	Refused int64    // the largest request that the provider counted and refused, in tokens
}

// most of the ranges that are remembered.
const remembered = 40

// Note adds the ranges of a path.
func (e *Earlier) Note(path []Sample) { e.Ranges = e.With(path) }

// With returns the newest ranges, those of the path last. Each is there once.
func (e Earlier) With(path []Sample) []Sample {
	all := slices.DeleteFunc(slices.Clone(e.Ranges), func(s Sample) bool {
		return slices.ContainsFunc(path, func(p Sample) bool { return s.Call != "" && p.Call == s.Call })
	})
	all = append(all, path...)
	return all[max(0, len(all)-remembered):]
}

// Calibration is what samples show about estimates: a factor for each class,
// and a margin for estimates that use them. The zero value leaves estimates as
// they are.
type Calibration struct {
	Samples              int // ranges that it is derived from
	Text, Scripts, Media float64
	Margin               float64 // above 1: by how much an estimate may be too low
	// Refused is how many times its estimate the range had that made a provider
	// refuse a request, the largest of them; 0: none did.
	Refused float64
}

const (
	// enough is how many tokens a range needs: in a smaller one, the fixed cost of
	// each message hides the ratio. Smaller ranges are joined.
	enough = 500
	// share is the part of a range that a class needs for the range to say
	// something about it; text, which the others are compared with, needs the
	// rest.
	share = 0.3
	// trusted is how many samples a spread can be read from.
	trusted = 3

	// unconfirmed is how far above the prior one sample may raise the factor of a
	// class that has different things in it.
	unconfirmed = 2

	least, most  = 1.02, 1.5
	largestRatio = 20 // beyond any tokenizer
)

// Unmeasured is the margin where too little was measured, a factor.
const Unmeasured = 1.15

// Hard returns an estimate with the margin of what was not measured, rounded
// up, to be held against a limit.
func Hard(estimate int64) int64 { return (estimate*115 + 99) / 100 }

// Prior returns the factor on estimates for a model about which nothing was
// measured: the factor of real sessions with its family. 1: nothing is known.
func Prior(model string) float64 {
	if strings.Contains(strings.ToLower(model), "claude") {
		return 1.3 // the median of 13 sessions of 4.5 and 4.6; newer ones had more
	}
	return 1
}

// Of calibrates by the ranges between the calls of one model: what was added
// from one prompt to the next, estimated, and the difference of the two as
// measured. So what a server adds to each request, and reasoning that it does
// not read again, are not in it. Of three and more, one odd sample changes
// little: only medians are used, of fewer the prior has a voice. Where a third
// of the ranges did not grow in the measure, usage is not a size there (what
// was cached is left out, say), and nothing is learned.
func Of(prior float64, ranges []Sample) Calibration {
	unknown := Calibration{Text: prior, Scripts: prior, Media: 1, Margin: Unmeasured}
	unknown.Refused = unknown.refused(ranges)
	all := ranges
	ranges = merged(ranges)
	shrunk, stays := 0, 0
	for _, s := range ranges {
		if s.Measured <= 0 {
			shrunk++
		}
		if s.stays() {
			stays++
		}
	}
	if len(ranges) == 0 || shrunk > 0 && 3*shrunk >= len(ranges) || stays > 1 && 3*stays >= len(ranges) {
		return unknown
	}
	c := Calibration{Samples: len(ranges)}
	isText := func(s Sample) bool { return float64(s.Estimated.Text) >= (1-share)*float64(s.Estimated.Sum()) }
	text := slices.DeleteFunc(slices.Clone(ranges), func(s Sample) bool { return !isText(s) })
	if len(text) == 0 && len(ranges) >= trusted {
		text = ranges
	}
	c.Text = median(ratios(text, Counts.Sum, func(Counts) float64 { return 0 }), prior)
	c.Scripts = confirmed(ratios(ranges, func(e Counts) int64 { return e.Scripts }, func(e Counts) float64 {
		return c.Text*float64(e.Text) + float64(e.Media)
	}), c.Text)
	c.Media = confirmed(ratios(ranges, func(e Counts) int64 { return e.Media }, func(e Counts) float64 {
		return c.Text*float64(e.Text) + c.Scripts*float64(e.Scripts)
	}), 1)
	c.Margin = c.spread(ranges)
	c.Refused = c.refused(all)
	return c
}

// refused finds the largest range of those that were refused, in its estimates.
func (c Calibration) refused(ranges []Sample) (times float64) {
	for _, s := range ranges {
		if n := c.Estimate(s.Estimated); s.Call == "" && n > 0 {
			times = max(times, float64(s.Measured)/float64(n))
		}
	}
	return times
}

// merged puts neighbours together until each has enough tokens. What is left
// at the end says too little.
func merged(ranges []Sample) []Sample {
	var out []Sample
	var sum Sample
	for _, s := range ranges {
		sum.Measured += s.Measured
		sum.Estimated = sum.Estimated.Plus(s.Estimated)
		if sum.says() {
			out, sum = append(out, sum), Sample{}
		}
	}
	return out
}

// says reports whether a range is large enough to say something: by its estimate,
// or by its measure too where a tokenizer counts several times as much.
func (s Sample) says() bool {
	n := s.Estimated.Sum()
	return n >= enough || n*s.Measured >= enough*enough
}

// stays reports whether the count hardly rose although text was added: then it is no
// size.
func (s Sample) stays() bool {
	return s.Measured <= 0 || largestRatio*s.Measured < s.Estimated.Text+s.Estimated.Scripts
}

// Possible reports whether a tokenizer can have counted the range.
func (s Sample) Possible() bool { return s.Measured <= largestRatio*s.Estimated.Sum() }

// ratios are measured to estimated of a class, in the ranges that have enough
// of it. rest is what the others of a range cost.
func ratios(ranges []Sample, class func(Counts) int64, rest func(Counts) float64) []float64 {
	var out []float64
	for _, s := range ranges {
		if n := float64(class(s.Estimated)); n >= share*float64(s.Estimated.Sum()) {
			out = append(out, min(max(0, (float64(s.Measured)-rest(s.Estimated))/n), largestRatio))
		}
	}
	return out
}

// median of values, and of a prior as long as they are few.
func median(values []float64, prior float64) float64 {
	if len(values) < trusted {
		values = append(values, prior)
	}
	return middle(values)
}

// confirmed is a median that one sample does not raise far: box drawing says
// nothing about Chinese.
func confirmed(values []float64, prior float64) float64 {
	m := median(values, prior)
	if len(values) == 1 {
		m = min(m, unconfirmed*prior)
	}
	return m
}

func middle(values []float64) float64 {
	slices.Sort(values)
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}

// spread is the margin: twice the median of how far calibrated estimates are
// from what was measured.
func (c Calibration) spread(ranges []Sample) float64 {
	var off []float64
	for _, s := range ranges {
		if s.Measured > 0 {
			off = append(off, math.Abs(float64(c.Estimate(s.Estimated))/float64(s.Measured)-1))
		}
	}
	margin := min(max(least, 1+2*middle(off)), most)
	if len(ranges) < trusted {
		margin = max(margin, Unmeasured)
	}
	return margin
}

// Estimate returns a calibrated estimate, in tokens, rounded up.
func (c Calibration) Estimate(e Counts) int64 {
	if c == (Calibration{}) {
		return e.Sum()
	}
	return int64(math.Ceil(c.Text*float64(e.Text) + c.Scripts*float64(e.Scripts) + c.Media*float64(e.Media)))
}

// Hard returns a calibrated estimate with its margin, for limits that must
// hold.
func (c Calibration) Hard(e Counts) int64 {
	return int64(math.Ceil(max(c.Margin, 1) * float64(c.Estimate(e))))
}

// Fixed is what each prompt has that the log does not: system prompt, tools,
// what a server adds. prompts are the first calls of a model, whole, with the
// estimate of what the log held then; three are looked at, so that one odd
// count is seen to be one. What the estimate may be too low by is not taken for
// a part of it.
func (c Calibration) Fixed(prompts []Sample) int64 {
	var rest []float64
	for _, p := range prompts[:min(len(prompts), 3)] {
		rest = append(rest, float64(p.Measured-c.Hard(p.Estimated)))
	}
	if len(rest) == 0 {
		return 0
	}
	slices.Sort(rest)
	return max(0, int64(rest[(len(rest)-1)/2]))
}
