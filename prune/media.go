package prune

import (
	"github.com/coppice-dev/coppice/internal/media"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/tokens"
)

// nearCap is the share of the byte limit from which on images are removed, in
// percent: besides its content a body has names and brackets.
const nearCap = 90

// media turns images into stubs where there are more of them, or more bytes in
// all, than the host takes in a request: the oldest go, also in the current
// turn (docs/media.md). Pinned ones stay, and so do those that the model has not
// seen yet, unless they alone are too many.
func (p *planner) media(caps media.Caps) error {
	images, text, err := p.images()
	if err != nil || len(images) == 0 {
		return err
	}
	parts := make([]media.Part, len(images))
	for i, img := range images {
		parts[i] = media.Part{Bytes: int64(len(img.Data)), Held: img.held || img.unseen}
	}
	bytes := int64(0)
	if caps.Body > 0 {
		bytes = max(1, caps.Body/100*nearCap-text)
	}
	drop, why := map[*picture]bool{}, "the request has too many images or bytes"
	for _, i := range media.Excess(parts, caps.Images, bytes) {
		drop[images[i]] = true
	}
	left := len(images) - len(drop)
	for _, img := range images {
		if caps.Images > 0 && left > caps.Images && !img.held && !drop[img] {
			drop[img] = true
			left--
		}
	}
	return p.leaveOut(images, drop, why)
}

// Unseen leaves out the images that no answer has followed, for a reason. It
// fails if a message cannot be read.
func Unseen(v *timeline.View, est tokens.Estimator, why string) ([]Edit, error) {
	p, err := planFor(v, est)
	if err != nil {
		return nil, err
	}
	images, _, err := p.images()
	if err != nil {
		return nil, err
	}
	drop := map[*picture]bool{}
	for _, img := range images {
		drop[img] = img.unseen && !img.held
	}
	err = p.leaveOut(images, drop, why)
	return p.edits, err
}

// picture is an image in the view.
type picture struct {
	message.Image
	item, block  int
	held, unseen bool
}

// images are those of the view, oldest first, and how many bytes the rest has.
func (p *planner) images() (images []*picture, text int64, err error) {
	turns, first := p.view.Turns()
	answered := false // from the end on: an answer has followed
	held := make([]bool, len(p.view.Items))
	for i := len(p.view.Items) - 1; i >= 0; i-- {
		held[i] = !answered
		answered = answered || p.view.Items[i].Role() == message.RoleAssistant && !p.view.Items[i].Meta().Failed()
	}
	for i, it := range p.view.Items {
		known := it.Meta()
		text += known.ContentBytes
		if len(known.Images) == 0 || it.Role() == message.RoleAssistant {
			continue
		}
		m, err := it.Message()
		if err != nil {
			return nil, 0, err
		}
		fixed := it.Entry == nil || it.Pos < 0 || it.Pinned || p.taken[it.Entry.ID]
		for k, b := range m.Content {
			if img, ok := b.(message.Image); ok {
				images = append(images, &picture{img, i, k, fixed, held[i] || !fixed && turns.Unread(first+it.Pos)})
				text -= int64(len(img.Data))
			}
		}
	}
	return images, max(0, text), nil
}

// leaveOut makes an edit for each message that loses images.
func (p *planner) leaveOut(images []*picture, drop map[*picture]bool, why string) error {
	for from := 0; from < len(images); {
		to, dropped := from, map[int]bool{}
		for ; to < len(images) && images[to].item == images[from].item; to++ {
			if drop[images[to]] {
				dropped[images[to].block] = true
			}
		}
		it := p.view.Items[images[from].item]
		if len(dropped) > 0 {
			m, err := it.Message()
			if err != nil {
				return err
			}
			edited := m.Clone()
			edited.Content = withoutImages(m, it.Entry.ID, dropped, why)
			p.place[it.Entry.ID] = images[from].item
			p.taken[it.Entry.ID] = true
			p.edits = append(p.edits, Edit{Entry: it.Entry, Kind: Media, Before: p.sizer.Message(m), After: p.sizer.Message(edited), Content: edited.Content})
		}
		from = to
	}
	return nil
}

// withoutImages replaces images of a message, by their places, by stubs.
func withoutImages(m *message.Message, id string, drop map[int]bool, why string) (content []message.Block) {
	for i, b := range m.Content {
		if img, ok := b.(message.Image); ok && drop[i] {
			b = message.Text{Text: media.Stub(media.Look(img.Data), why, "en:"+id)}
		}
		content = append(content, b)
	}
	return content
}

// capsOf are the caps of a request to a model: those of its host, and those
// that settings and refusals have named.
func capsOf(m message.Model) media.Caps {
	return media.HostOf(m.Provider, m.ID, m.Window).Within(m.MaxImages, m.MaxImageSize, m.MaxImageSide, m.MaxBytes)
}
