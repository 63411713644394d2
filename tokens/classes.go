package tokens

import (
	"github.com/coppice-dev/coppice/internal/calibration"
	"github.com/coppice-dev/coppice/internal/media"
	"github.com/coppice-dev/coppice/internal/weigh"
	"github.com/coppice-dev/coppice/message"
)

// Default is the estimator that is used if no other is given. It counts by
// classes of characters: pairs and runs of ASCII, scripts.
// It is between 0.7 and 1.5 times the count for every kind of text that
// bench/tokens knows. Images cost by their size in pixels (docs/media.md). The
// zero value is for an unknown model; see For.
type Default struct {
	model      string
	vocabulary weigh.Vocabulary
}

// What is calibrated by measurements (docs/context.md, Sizes).
type (
	// Counts is an estimate by the classes that are calibrated separately.
	Counts = calibration.Counts
	// Sample is a range of a conversation that was estimated and measured.
	Sample = calibration.Sample
	// Earlier is what is known of a model from requests that are no longer on
	// the path. The zero value: nothing.
	Earlier = calibration.Earlier
	// Calibration is what samples show about estimates. The zero value leaves
	// estimates as they are.
	Calibration = calibration.Calibration
)

// For returns the estimator for a model, by its name.
func For(m message.Model) Default {
	return Default{model: m.ID, vocabulary: weigh.VocabularyOf(m.ID)}
}

// counter returns a counter that counts a text in pieces as c does.
func (c Default) counter() weigh.Counter { return weigh.Counter{Vocabulary: c.vocabulary} }

// Text counts a text by itself, rounded up.
func (c Default) Text(s string) int64 {
	n := c.counter()
	n.AddString(s)
	return n.Total()
}

// Message counts one message, rounded up once.
func (c Default) Message(m *message.Message) int64 { return c.ByClass(m).Sum() }

// ByClass counts one message by the classes that are calibrated separately.
func (c Default) ByClass(m *message.Message) Counts {
	n, images := c.counter(), int64(0)
	parts(m, func(s string) { n.AddString(s); n.End() }, func(img message.Image) { images += c.image(img) })
	return calibration.Counts{Text: n.Total() - n.Scripts(), Scripts: n.Scripts(), Media: images}
}

// image counts an image that is sent without a level of detail.
func (c Default) image(img message.Image) int64 {
	i := media.Look(img.Data)
	return media.Tokens(c.model, i.Width, i.Height, "")
}
