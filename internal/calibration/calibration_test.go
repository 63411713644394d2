package calibration

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func text(n int64) Counts               { return Counts{Text: n} }
func measured(n int64, e Counts) Sample { return Sample{Measured: n, Estimated: e, Call: "c"} }

func TestOf(t *testing.T) {
	for _, tt := range []struct {
		name                         string
		ranges                       []Sample
		text, scripts, media, margin float64
	}{
		{"exact", []Sample{measured(1000, text(1000)), measured(2000, text(2000)), measured(700, text(700))}, 1, 1, 1, 1.02},
		{"a tokenizer of its own", []Sample{measured(1300, text(1000)), measured(2600, text(2000)), measured(910, text(700))}, 1.3, 1.3, 1, 1.02},
		{"one odd of three", []Sample{measured(1300, text(1000)), measured(9000, text(1000)), measured(1320, text(1000))}, 1.32, 1.32, 1, 1.03},
		{"six times", []Sample{measured(6000, text(1000)), measured(6100, text(1000)), measured(5900, text(1000)), measured(6000, text(1000))}, 6, 6, 1, 1.02},
		{"one sample: half believed", []Sample{measured(2000, text(1000))}, 1.5, 1.5, 1, 1.5},
		{"two that agree", []Sample{measured(1200, text(1000)), measured(1250, text(1000))}, 1.2, 1.2, 1, 1.15},
		{"two that do not", []Sample{measured(1050, text(1000)), measured(6000, text(1000))}, 1.05, 1.05, 1, 1.5},
		{"small ranges together", []Sample{measured(130, text(100)), measured(140, text(100)), measured(60, text(100)), measured(130, text(100)), measured(140, text(100)),
			measured(650, text(500)), measured(600, text(500))}, 1.2, 1.2, 1, 1.02},
		{"few of ours, many of theirs", []Sample{measured(1000, text(160)), measured(1000, text(160)), measured(1250, text(200)), measured(1250, text(200)), measured(1250, text(200)), measured(1250, text(200))}, 6.25, 6.25, 1, 1.02},
		{"images at a price of their own", []Sample{measured(1000, text(1000)), measured(1000, text(1000)), measured(1000, text(1000)),
			measured(1300, Counts{Text: 1000, Media: 1200}), measured(600, Counts{Media: 2400}), measured(350, Counts{Text: 50, Media: 1200})}, 1, 1, 0.25, 1.02},
		{"images for nothing", []Sample{measured(1000, text(1000)), measured(1000, text(1000)), measured(1000, text(1000)),
			measured(1000, Counts{Text: 1000, Media: 1200}), measured(500, Counts{Text: 500, Media: 2400}), measured(100, Counts{Text: 100, Media: 1200})}, 1, 1, 0, 1.02},
		{"a script at a price of its own", []Sample{measured(1000, text(1000)), measured(1000, text(1000)), measured(1000, text(1000)),
			measured(2500, Counts{Text: 500, Scripts: 1000}), measured(2100, Counts{Text: 100, Scripts: 1000}), measured(4000, Counts{Scripts: 2000})}, 1, 2, 1, 1.02},
		{"one odd script", []Sample{measured(1000, text(1000)), measured(1000, text(1000)), measured(1000, text(1000)), measured(5800, Counts{Scripts: 1000})}, 1, 2, 1, 1.02},
		{"a dear script, twice", []Sample{measured(1000, text(1000)), measured(1000, text(1000)), measured(1000, text(1000)), measured(5800, Counts{Scripts: 1000}), measured(6000, Counts{Scripts: 1000})}, 1, 5.8, 1, 1.02},
		{"one range of scripts says nothing about text", []Sample{measured(4638, Counts{Text: 100, Scripts: 900})}, 1, 2, 1, 1.5},
	} {
		c := Of(1, tt.ranges)
		for what, n := range map[string][2]float64{"text": {c.Text, tt.text}, "scripts": {c.Scripts, tt.scripts}, "media": {c.Media, tt.media}, "margin": {c.Margin, tt.margin}} {
			if math.Abs(n[0]-n[1]) > 0.005 {
				t.Errorf("%s: %s %.3f, want %.3f", tt.name, what, n[0], n[1])
			}
		}
	}
}

func TestNothingIsLearned(t *testing.T) {
	for name, ranges := range map[string][]Sample{
		"no samples":           nil,
		"too small":            {measured(400, text(300))},
		"cached is left out":   {measured(40, text(1000)), measured(-3000, text(1000)), measured(900, text(1000)), measured(-12, text(1000))},
		"nothing was measured": {measured(0, text(1000)), measured(0, text(1000))},
	} {
		c := Of(1, ranges)
		if c != (Calibration{Text: 1, Scripts: 1, Media: 1, Margin: Unmeasured}) {
			t.Errorf("%s: %+v", name, c)
		}
		if e := (Counts{100, 20, 3}); c.Estimate(e) != 123 || c.Hard(e) != 142 {
			t.Errorf("%s: %d tokens, at most %d, want 123 and 142", name, c.Estimate(e), c.Hard(e))
		}
	}
}

// What made a provider refuse a request is remembered by how far it was from its
// estimate, which counts what was learned since.
func TestRefused(t *testing.T) {
	refused := func(n int64, e Counts) Sample { return Sample{Measured: n, Estimated: e} }
	exact := []Sample{measured(1000, text(1000)), measured(2000, text(2000)), measured(700, text(700))}
	for _, tt := range []struct {
		name   string
		ranges []Sample
		want   float64
	}{
		{"none", exact, 0},
		{"one", append(slices.Clone(exact), refused(5000, text(1000))), 5},
		{"the largest", append(slices.Clone(exact), refused(3000, text(1000)), refused(5000, text(1000)), refused(2000, text(1000))), 5000 / 1500.},
		{"as it was estimated", append(slices.Clone(exact), refused(1000, text(1000))), 1},
		{"too small to calibrate by", []Sample{refused(600, text(200))}, 3},
		{"where usage says nothing", []Sample{measured(-3000, text(1000)), measured(0, text(1000)), refused(4000, text(1000))}, 4},
		{"of nothing", []Sample{refused(900, Counts{})}, 0},
	} {
		if got := Of(1, tt.ranges).Refused; math.Abs(got-tt.want) > 0.01 {
			t.Errorf("%s: %.2f, want %.2f", tt.name, got, tt.want)
		}
	}
}

func TestPrior(t *testing.T) {
	for model, want := range map[string]int64{"us.anthropic.claude-opus-4-5-20251101-v1:0": 1330, "gpt-5.6-sol": 1030, "": 1030} {
		if got := Of(Prior(model), nil).Estimate(Counts{Text: 900, Scripts: 100, Media: 30}); got != want {
			t.Errorf("%q: %d tokens, want %d", model, got, want)
		}
	}
	one := Of(1.3, []Sample{measured(1500, text(1000))})
	if math.Abs(one.Text-1.4) > 1e-9 {
		t.Errorf("%.3f after one sample, want the middle of it and the prior", one.Text)
	}
	if e := (Counts{1, 2, 3}); (Calibration{}).Estimate(e) != 6 || (Calibration{}).Hard(e) != 6 {
		t.Error("the zero value changes estimates")
	}
}

func TestFixed(t *testing.T) {
	c := Of(1, []Sample{measured(1500, text(1000)), measured(1500, text(1000)), measured(1500, text(1000))})
	for _, tt := range []struct {
		name    string
		prompts []Sample
		want    int64
	}{
		{"none", nil, 0},
		{"one", []Sample{measured(8150, text(100))}, 7997},
		{"one odd of three", []Sample{measured(90_000, text(100)), measured(9500, text(1000)), measured(11_010, text(2000))}, 7970},
		{"the rest is not looked at", []Sample{measured(8150, text(100)), measured(8300, text(200)), measured(8450, text(300)), measured(1, text(300)), measured(1, text(300))}, 7994},
		{"less than estimated", []Sample{measured(10, text(100))}, 0},
	} {
		if got := c.Fixed(tt.prompts); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
}

// honest draws the ranges of a server with factors of its own, each count off
// by up to a tenth.
func honest(t *rapid.T, text, media float64) []Sample {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Sample {
		e := Counts{Text: rapid.Int64Range(enough, 20_000).Draw(t, "text")}
		if rapid.Bool().Draw(t, "an image") {
			e = Counts{Text: e.Text / 10, Media: e.Text + enough}
		}
		noise := rapid.Float64Range(0.9, 1.1).Draw(t, "noise")
		return measured(int64(noise*(text*float64(e.Text)+media*float64(e.Media))), e)
	}), 3, 30).Draw(t, "ranges")
}

func TestFactorsAreFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		factor, price := rapid.Float64Range(0.2, 6).Draw(t, "factor"), rapid.Float64Range(0.3, 3).Draw(t, "price")
		ranges := honest(t, factor, price)
		c := Of(1, ranges)
		texts, images := 0, 0
		for _, s := range ranges {
			if s.Estimated.Media > 0 {
				images++
			} else {
				texts++
			}
		}
		if texts >= trusted && (c.Text < 0.89*factor || c.Text > 1.11*factor) {
			t.Fatalf("text %.3f, is %.3f", c.Text, factor)
		}
		// A tenth of an image's text costs at most as much as six tenths of the image.
		if texts >= trusted && images >= trusted && math.Abs(c.Media-price) > 0.11*(price+factor) {
			t.Fatalf("media %.3f, is %.3f", c.Media, price)
		}
	})
}

// With one odd answer among them, estimates stay where honest ones are.
func TestOneOddAnswer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		factor := rapid.Float64Range(0.3, 5).Draw(t, "factor")
		var ranges []Sample
		for range rapid.IntRange(3, 12).Draw(t, "ranges") {
			n := rapid.Int64Range(enough, 20_000).Draw(t, "size")
			ranges = append(ranges, measured(int64(rapid.Float64Range(0.95, 1.05).Draw(t, "noise")*factor*float64(n)), text(n)))
		}
		odd := rapid.IntRange(0, len(ranges)-1).Draw(t, "odd")
		ranges[odd].Measured = rapid.Int64Range(1, 1_000_000).Draw(t, "odd count")
		if c := Of(1, ranges); c.Text < 0.94*factor || c.Text > 1.06*factor {
			t.Fatalf("text %.3f, is %.3f, with an odd answer at %d of %v", c.Text, factor, odd, ranges)
		}
	})
}

func TestWhateverWasMeasured(t *testing.T) {
	counts := rapid.Custom(func(t *rapid.T) Counts {
		n := rapid.Int64Range(0, 100_000)
		return Counts{n.Draw(t, "text"), n.Draw(t, "scripts"), n.Draw(t, "media")}
	})
	rapid.Check(t, func(t *rapid.T) {
		ranges := rapid.SliceOf(rapid.Custom(func(t *rapid.T) Sample {
			return measured(rapid.Int64Range(-1_000_000, 1_000_000).Draw(t, "measured"), counts.Draw(t, "estimated"))
		})).Draw(t, "ranges")
		before := slices.Clone(ranges)
		c := Of(1, ranges)
		if !slices.Equal(before, ranges) {
			t.Fatal("the samples were changed")
		}
		e, more := counts.Draw(t, "estimate"), counts.Draw(t, "more")
		n, hard := c.Estimate(e), c.Hard(e)
		if n < 0 || hard < n || float64(hard) > most*float64(n)+1 || n > largestRatio*e.Sum()+1 {
			t.Fatalf("%+v makes %d and at most %d of %+v", c, n, hard, e)
		}
		if c.Estimate(e.Plus(more)) < n {
			t.Fatalf("%+v: more counts less", c)
		}
		if c.Fixed(ranges) < 0 {
			t.Fatalf("%+v: a fixed part of %d", c, c.Fixed(ranges))
		}
	})
}

func TestHardRoundsUp(t *testing.T) {
	for in, want := range map[int64]int64{0: 0, 1: 2, 100: 115, 20000: 23000} {
		if got := Hard(in); got != want {
			t.Errorf("Hard(%d) = %d, want %d", in, got, want)
		}
	}
}

func TestEarlierRangesCount(t *testing.T) {
	of := func(call string, n int64) Sample { return Sample{Measured: n, Estimated: text(1000), Call: call} }
	var e Earlier
	e.Note([]Sample{of("a", 1), of("b", 2)})
	e.Note([]Sample{of("", 3)}) // refused
	e.Note([]Sample{of("", 4)})
	for _, tt := range []struct {
		name string
		path []Sample
		want []int64
	}{
		{"none on the path", nil, []int64{1, 2, 3, 4}},
		{"some are on the path", []Sample{of("b", 2), of("c", 5)}, []int64{1, 3, 4, 2, 5}},
		{"all are on the path", []Sample{of("a", 1), of("b", 2)}, []int64{3, 4, 1, 2}},
	} {
		var got []int64
		for _, s := range e.With(tt.path) {
			got = append(got, s.Measured)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
	for range 2 * remembered {
		e.Note([]Sample{of("", 6)})
	}
	if n := len(e.With([]Sample{of("d", 7)})); n != remembered {
		t.Errorf("%d ranges are remembered, want %d", n, remembered)
	}
}

func TestPossibleCounts(t *testing.T) {
	for n, want := range map[int64]bool{-500: true, 2000: true, 20_000: true, 20_001: false, 205_030: false} {
		if got := measured(n, text(1000)).Possible(); got != want {
			t.Errorf("%d tokens of 1000: %v", n, got)
		}
	}
}
