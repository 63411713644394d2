package media

import "math"

// Unknown is what an image costs when its size or the model's family is not
// known, in tokens.
const Unknown = 1200

// Tokens returns what an image of w×h pixels costs a model, in tokens. detail
// is what the request asks for: "low", "high", "original", "auto" or "" at
// OpenAI, "low", "medium", "high", "ultra_high" or "" at Gemini. The rules and
// their sources: docs/media.md.
func Tokens(model string, w, h int, detail string) int64 {
	f := familyOf(model)
	if w <= 0 || h <= 0 || f == nil {
		return Unknown
	}
	return max(1, f.tokens(w, h, detail))
}

// Seen returns the size at which a model sees an image of w×h pixels: its
// server scales larger images down.
func Seen(model string, w, h int, detail string) (int, int) {
	f := familyOf(model)
	if w <= 0 || h <= 0 || f == nil {
		return w, h
	}
	return f.seen(w, h, detail)
}

// rule is how a family of models counts images.
type rule interface {
	tokens(w, h int, detail string) int64
	seen(w, h int, detail string) (int, int)
}

// squares count one token for each square of 28 pixels, after the image was
// scaled so that both sides, rounded up to squares, are within edge and the
// tokens within most (Anthropic).
type squares struct{ edge, most int }

const squareEdge = 28

func (s squares) fits(w, h int) bool {
	across, down := ceil(w, squareEdge), ceil(h, squareEdge)
	return across*squareEdge <= s.edge && down*squareEdge <= s.edge && across*down <= s.most
}

// seen is the largest image that fits; the shorter side is rounded half to even.
func (s squares) seen(w, h int, _ string) (int, int) {
	if s.fits(w, h) {
		return w, h
	}
	long, short := max(w, h), min(w, h)
	sized := func(edge int) (int, int) {
		other := max(1, int(math.RoundToEven(float64(edge)*float64(short)/float64(long))))
		if w >= h {
			return edge, other
		}
		return other, edge
	}
	low, high := 1, long
	for low < high {
		mid := (low + high + 1) / 2
		if s.fits(sized(mid)) {
			low = mid
		} else {
			high = mid - 1
		}
	}
	return sized(low)
}

func (s squares) tokens(w, h int, detail string) int64 {
	w, h = s.seen(w, h, detail)
	return int64(ceil(w, squareEdge)) * int64(ceil(h, squareEdge))
}

// patches count squares of 32 pixels times a factor, after the image was scaled
// to what a level of detail allows (OpenAI, GPT-5.2 and later, minis).
type patches struct {
	percent             int // the factor
	low, high, original allowed
	auto                *allowed // of a request without a detail; nil: high
}

// allowed is the size to which a level of detail limits an image; 0: no limit.
type allowed struct{ edge, patches int }

const patchEdge = 32

func (p patches) allowed(detail string) allowed {
	switch detail {
	case "low":
		return p.low
	case "original":
		return p.original
	case "", "auto":
		if p.auto != nil {
			return *p.auto
		}
	}
	return p.high
}

func patchesOf(w, h int) int { return ceil(w, patchEdge) * ceil(h, patchEdge) }

// slack makes up for rounding errors where a product should be a whole number.
const slack = 1e-6

func (p patches) seen(w, h int, detail string) (int, int) {
	a := p.allowed(detail)
	w, h = within(w, h, a.edge)
	if a.patches == 0 || patchesOf(w, h) <= a.patches {
		return w, h
	}
	scale := math.Sqrt(float64(patchEdge*patchEdge*a.patches) / (float64(w) * float64(h)))
	across, down := float64(w)*scale/patchEdge, float64(h)*scale/patchEdge
	scale *= min(math.Floor(across)/across, math.Floor(down)/down)
	return max(1, int(float64(w)*scale+slack)), max(1, int(float64(h)*scale+slack))
}

func (p patches) tokens(w, h int, detail string) int64 {
	n := patchesOf(p.seen(w, h, detail))
	if most := p.allowed(detail).patches; most > 0 {
		n = min(n, most)
	}
	return (int64(n)*int64(p.percent) + 99) / 100
}

// tiles count squares of 512 pixels, after the image was scaled into 2,048×2,048
// and its short side to 768 (OpenAI, older models).
type tiles struct{ base, tile int64 }

func (t tiles) seen(w, h int, detail string) (int, int) {
	if detail == "low" {
		return within(w, h, 512)
	}
	scale := min(1, 2048/float64(max(w, h)))
	scale *= min(1, 768/(float64(min(w, h))*scale))
	return max(1, int(float64(w)*scale+slack)), max(1, int(float64(h)*scale+slack))
}

func (t tiles) tokens(w, h int, detail string) int64 {
	if detail == "low" {
		return t.base
	}
	w, h = t.seen(w, h, detail)
	return t.base + t.tile*int64(ceil(w, 512))*int64(ceil(h, 512))
}

// crops count 258 tokens for each square crop, whose edge is two thirds of the
// short side, between 256 and 768 pixels (Gemini 1.5 to 2.5). Nothing is scaled.
type crops struct{}

func (crops) seen(w, h int, _ string) (int, int) { return w, h }

func (crops) tokens(w, h int, _ string) int64 {
	const each = 258
	if w <= 384 && h <= 384 {
		return each
	}
	edge := min(768, max(256, min(w, h)*2/3))
	return each * int64(ceil(w, edge)) * int64(ceil(h, edge))
}

// grid counts the cells of a grid of the image's shape with about as many
// cells as its resolution allows, also for tiny images (Gemini 3 and later).
type grid struct{}

func (grid) seen(w, h int, _ string) (int, int) { return w, h }

func (grid) tokens(w, h int, detail string) int64 {
	cells := 1120.0
	switch detail {
	case "low":
		cells = 280
	case "medium":
		cells = 560
	case "ultra_high":
		cells = 2240
	}
	shape := float64(w) / float64(h)
	across := max(1, math.Floor(math.Sqrt(cells*shape)+slack))
	down := max(1, math.Floor(math.Sqrt(cells/shape)+slack))
	return int64(min(across*down, cells))
}

// area counts one token for a fixed number of pixels, after both sides were
// scaled to edge (Mistral).
type area struct{ edge, pixels int }

func (a area) seen(w, h int, _ string) (int, int) { return within(w, h, a.edge) }

func (a area) tokens(w, h int, detail string) int64 {
	w, h = a.seen(w, h, detail)
	return int64(ceil(w*h, a.pixels))
}

// within scales down so that no side is longer than edge; 0: no limit.
func within(w, h, edge int) (int, int) {
	long := max(w, h)
	if edge == 0 || long <= edge {
		return w, h
	}
	return max(1, w*edge/long), max(1, h*edge/long)
}

func ceil(a, b int) int { return (a + b - 1) / b }
