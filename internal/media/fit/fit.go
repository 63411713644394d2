// Package fit scales pictures down to the size at which a model sees them, and
// converts them to a type and a length that its host accepts.
package fit

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"image/draw"
	_ "image/gif" // decodes
	"sync"

	_ "golang.org/x/image/webp" // decodes

	"github.com/coppice-dev/coppice/internal/media"
)

// MaxMemory is how much memory decoding a picture may take, in bytes. A header
// may claim any size: a picture that would take more is refused before it is
// decoded.
const MaxMemory = 256 << 20

// Why a picture cannot be fitted.
var (
	ErrTooLarge = errors.New("it is too large")
	ErrUnknown  = errors.New("its size cannot be read")
	ErrBroken   = errors.New("it cannot be decoded")
)

// Fitter fits pictures, one at a time, and remembers the newest results. The
// zero value is ready; it is safe for concurrent use.
type Fitter struct {
	mu    sync.Mutex
	known map[key]result
	order []key // oldest first
	held  int   // bytes of results
}

// cacheSize is how much of results a Fitter remembers, in bytes.
const cacheSize = 64 << 20

// key names a picture and its target.
type key struct {
	picture [sha256.Size]byte
	target  string
}

type result struct {
	picture media.Checked
	err     error
}

// Fit converts a picture to what t asks for. The same picture and target give the
// same bytes on any machine. A picture that may be sent unchanged, and would only
// grow, stays unchanged.
func (f *Fitter) Fit(c media.Checked, t media.Target) (media.Checked, error) {
	if c.Err != nil {
		return media.Checked{}, c.Err
	}
	k := key{sha256.Sum256([]byte(c.Data)), fmt.Sprint(t)}
	f.mu.Lock()
	defer f.mu.Unlock()
	r, ok := f.known[k]
	if !ok {
		r.picture, r.err = fit(c, t)
		f.remember(k, r)
	}
	return r.picture, r.err
}

func (f *Fitter) remember(k key, r result) {
	if f.known == nil {
		f.known = map[key]result{}
	}
	f.known[k] = r
	f.order = append(f.order, k)
	f.held += len(r.picture.Data)
	for f.held > cacheSize && len(f.order) > 1 {
		f.held -= len(f.known[f.order[0]].picture.Data)
		delete(f.known, f.order[0])
		f.order = f.order[1:]
	}
}

func fit(c media.Checked, t media.Target) (media.Checked, error) {
	img, err := decode(c)
	if err != nil {
		return media.Checked{}, err
	}
	file, err := encode(scaled(img, t.Width, t.Height), c.Type, t)
	switch {
	case !t.Must && (err != nil || int64(len(file)) >= c.Bytes):
		return c, nil //nolint:nilerr // it can be sent unchanged
	case err != nil:
		return media.Checked{}, err
	}
	return media.Check(base64.StdEncoding.EncodeToString(file)), nil
}

func decode(c media.Checked) (image.Image, error) {
	switch {
	case c.Memory() == 0:
		return nil, ErrUnknown
	case c.Memory() > MaxMemory:
		return nil, fmt.Errorf("%w: %s", ErrTooLarge, c.Info)
	}
	file, err := base64.StdEncoding.DecodeString(c.Data)
	if err != nil {
		return nil, err
	}
	// The decoder may find another size in the header than we did, so it is
	// checked too.
	config, _, err := image.DecodeConfig(bytes.NewReader(file))
	if err == nil && (config.Width != c.Width || config.Height != c.Height) {
		err = fmt.Errorf("%d×%d pixels, not %d×%d", config.Width, config.Height, c.Width, c.Height)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBroken, err)
	}
	img, _, err := image.Decode(bytes.NewReader(file))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBroken, err)
	}
	if whole := image.Rect(0, 0, c.Width, c.Height); img.Bounds() != whole { // the first frame of an animation may be smaller
		canvas := image.NewRGBA(whole)
		draw.Draw(canvas, img.Bounds(), img, img.Bounds().Min, draw.Src)
		return canvas, nil
	}
	return img, nil
}
