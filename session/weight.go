package session

import (
	"github.com/coppice-dev/coppice/tokens"
	"sync/atomic"

	"github.com/coppice-dev/coppice/internal/media"
)

// weight is what the texts of a message cost in tokens, as tokens.Default
// counts them: those that are ASCII, and the rest. Counting takes longer than
// checking, so a message far from the leaf is counted when it is asked for,
// once. Zero: not counted yet.
type weight struct{ packed uint64 }

// isCounted is a bit of a weight, between those of its two numbers.
const isCounted = 1 << 32

func weightOf(text, scripts int64) weight {
	return weight{uint64(text)<<33 | isCounted | uint64(uint32(scripts))}
}

func (w *weight) load() (text, scripts int64, counted bool) {
	p := atomic.LoadUint64(&w.packed)
	return int64(p >> 33), int64(uint32(p)), p&isCounted != 0
}

func (w *weight) store(o weight) { atomic.StoreUint64(&w.packed, o.packed) }

// Tokens returns what the entry's message costs as tokens.Default counts it, by
// the classes that are calibrated separately. model is the id of the model,
// which decides what an image of a given size costs. It fails if Raw does.
func (e *Entry) Tokens(model string) (tokens.Counts, error) {
	b := e.known()
	text, scripts, counted := b.weight.load()
	if !counted && e.far != nil {
		raw, err := e.Raw()
		if err != nil {
			return tokens.Counts{}, err
		}
		again := briefAgain(raw)
		b.weight.store(again.weight)
		text, scripts, _ = again.weight.load()
	}
	c := tokens.Counts{Text: text, Scripts: scripts}
	if b.images != nil {
		for _, i := range *b.images {
			c.Media += media.Tokens(model, i.Width, i.Height, "")
		}
	}
	return c, nil
}
