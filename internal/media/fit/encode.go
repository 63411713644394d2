package fit

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"slices"

	"github.com/coppice-dev/coppice/internal/media"
)

// qualities are the JPEG qualities that are tried, best first.
var qualities = []int{85, 70, 50}

// smallest is the side in pixels below which a picture is no longer useful.
const smallest = 64

// encode keeps a picture's type if that is PNG or JPEG and accepted, else it uses
// the other of the two. If the result is too long, it tries JPEG, then lower
// qualities, then smaller sizes.
func encode(img *image.RGBA, was string, t media.Target) ([]byte, error) {
	takesPNG, takesJPEG := slices.Contains(t.Types, media.PNG), slices.Contains(t.Types, media.JPEG)
	if takesPNG && (was != media.JPEG || !takesJPEG) {
		var b bytes.Buffer
		if err := png.Encode(&b, img); err != nil {
			return nil, err
		}
		if isShort(b.Len(), t) {
			return b.Bytes(), nil
		}
	}
	for takesJPEG {
		paper := onWhite(img)
		for _, q := range qualities {
			var b bytes.Buffer
			if err := jpeg.Encode(&b, paper, &jpeg.Options{Quality: q}); err != nil {
				return nil, err
			}
			if isShort(b.Len(), t) {
				return b.Bytes(), nil
			}
		}
		size := img.Bounds().Size()
		if min(size.X, size.Y) < smallest {
			break
		}
		img = scaled(img, size.X/2, size.Y/2)
	}
	return nil, ErrTooLarge
}

func isShort(n int, t media.Target) bool {
	return t.Encoded == 0 || media.EncodedLen(int64(n)) <= t.Encoded
}

// onWhite is a picture on a white background, since JPEG has no transparency.
func onWhite(img *image.RGBA) *image.RGBA {
	if img.Opaque() {
		return img
	}
	out := image.NewRGBA(img.Bounds())
	draw.Draw(out, out.Bounds(), image.NewUniform(color.White), image.Point{}, draw.Src)
	draw.Draw(out, out.Bounds(), img, img.Bounds().Min, draw.Over)
	return out
}
