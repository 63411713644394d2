package prepare

import (
	"github.com/coppice-dev/coppice/internal/media"
	"github.com/coppice-dev/coppice/internal/media/fit"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/timeline"
)

// pictures makes images of a request what the model's host takes
// (docs/media.md).
type pictures struct {
	model message.Model
	reads bool
	count int // in the request
	host  media.Caps
}

func picturesOf(req timeline.Request, m message.Model) pictures {
	p := pictures{model: m, reads: m.Images || m.ID == "", host: media.HostOf(m.Provider, m.ID, m.Window).Within(0, m.MaxImageSize, m.MaxImageSide, m.MaxBytes)}
	total := int64(0)
	for _, msg := range req.Messages {
		if msg == nil {
			continue
		}
		for _, b := range msg.Content {
			if img, ok := b.(message.Image); ok {
				p.count++
				total += int64(len(img.Data))
			}
		}
	}
	if room := p.host.Body / 5 * 4; room > 0 && total > room { // each gets its share
		p.host = p.host.Within(0, room/int64(p.count), 0, 0)
	}
	return p
}

// fitter remembers what it has fitted: the same images go out with each request.
var fitter fit.Fitter

// block is an image as it is sent: of the type that its bytes have, as clean
// base64, scaled down to what the model sees of it; or a text that says why it
// cannot be sent.
func (p pictures) block(img message.Image) message.Block {
	if !p.reads {
		return message.Text{Text: imageStub}
	}
	c := media.Check(img.Data)
	if c.Err != nil {
		return leftOut(c, c.Err)
	}
	if target, needed := media.TargetOf(p.model.ID, p.host, c.Info, p.count, ""); needed {
		fitted, err := fitter.Fit(c, target)
		switch {
		case err == nil:
			c = fitted
		case target.Must:
			return leftOut(c, err)
		}
	}
	img.Data, img.MIMEType = c.Data, c.Type
	return img
}

func leftOut(c media.Checked, err error) message.Block {
	return message.Text{Text: media.Stub(c.Info, err.Error(), "")}
}
