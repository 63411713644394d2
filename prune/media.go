package prune

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"

	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/timeline"
)

// nearCap is the share of the byte limit from which on images are removed.
const nearCap = 0.8

// media turns old images into stubs, oldest first, until the request is well
// below the limit. Images after the last user message stay, and so do images
// that the model has not seen yet.
func (p *planner) media(maxBytes int64) error {
	limit := int64(nearCap * float64(maxBytes))
	var total int64
	lastUser := -1
	turns, first := p.view.Turns()
	for i, it := range p.view.Items {
		m, err := it.Message()
		if err != nil {
			return err
		}
		total += timeline.ContentBytes(m)
		if m.Role == message.RoleUser {
			lastUser = i
		}
	}
	for i, it := range p.view.Items {
		if total <= limit {
			return nil
		}
		if it.Entry == nil || it.Pos < 0 || it.Pinned || i >= lastUser || turns.Unread(first+it.Pos) || p.taken[it.Entry.ID] {
			continue
		}
		m, err := it.Message()
		if err != nil {
			return err
		}
		if m.Images() == 0 {
			continue
		}
		content, freed := withoutImages(m, it.Entry.ID)
		edited := m.Clone()
		edited.Content = content
		p.place[it.Entry.ID] = i
		p.taken[it.Entry.ID] = true
		p.edits = append(p.edits, Edit{Entry: it.Entry, Kind: Media, Before: p.est.Message(m), After: p.est.Message(edited), Content: content})
		total -= freed
	}
	return nil
}

// withoutImages replaces the images of a message by stubs with their type,
// size, hash and path.
func withoutImages(m *message.Message, id string) (content []message.Block, freed int64) {
	for _, b := range m.Content {
		img, ok := b.(message.Image)
		if !ok {
			content = append(content, b)
			continue
		}
		data, err := base64.StdEncoding.DecodeString(img.Data)
		if err != nil {
			data = []byte(img.Data) // not base64: the text itself identifies it too
		}
		sum := sha256.Sum256(data)
		stub := fmt.Sprintf("[image left out: %s, %d bytes, sha256 %s; read en:%s]", img.MIMEType, len(data), hex.EncodeToString(sum[:6]), id)
		content = append(content, message.Text{Text: stub})
		freed += int64(len(img.Data) - len(stub))
	}
	return content, freed
}
