package fit

import (
	"image"
	"image/draw"
)

// scaled is img in at most w×h pixels. Each pixel is the mean of the area that it
// covers. All arithmetic is in integers: the scalers of x/image use floating
// point, which processors round differently, and the same log has to give the
// same request everywhere.
func scaled(img image.Image, w, h int) *image.RGBA {
	from := img.Bounds()
	w, h = min(w, from.Dx()), min(h, from.Dy())
	if w == from.Dx() && h == from.Dy() {
		out := image.NewRGBA(image.Rect(0, 0, w, h))
		draw.Draw(out, out.Bounds(), img, from.Min, draw.Src)
		return out
	}
	return shrink(img, w, h)
}

// shrink goes through the picture line by line. A source line is h units high and
// a line of the result as many units as there are source lines, so that both end
// at whole units; columns work the same way.
func shrink(img image.Image, w, h int) *image.RGBA {
	from := img.Bounds()
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	line := image.NewRGBA(image.Rect(0, 0, from.Dx(), 1))
	across := make([]uint64, 4*w) // a line, scaled across: sums of its pixels times their width
	sums := make([]uint64, 4*w)   // of a line of the result: of lines times their height
	area := uint64(from.Dx()) * uint64(from.Dy())
	y, room := 0, from.Dy() // the line of the result and what is left of it
	for i := range from.Dy() {
		draw.Draw(line, line.Bounds(), img, image.Pt(from.Min.X, from.Min.Y+i), draw.Src)
		shrinkLine(across, line.Pix, from.Dx(), w)
		for left := h; left > 0; {
			n := min(left, room)
			for k, v := range across {
				sums[k] += v * uint64(n)
			}
			left -= n
			if room -= n; room > 0 {
				continue
			}
			for k, v := range sums {
				out.Pix[y*out.Stride+k] = uint8((v + area/2) / area)
			}
			clear(sums)
			y, room = y+1, from.Dy()
		}
	}
	return out
}

// shrinkLine adds up a line of n pixels for each of w result pixels, weighted by
// the width that they share.
func shrinkLine(sums []uint64, pix []uint8, n, w int) {
	clear(sums)
	x, room := 0, n
	for i := range n {
		p := pix[4*i : 4*i+4 : 4*i+4]
		for left := w; left > 0; {
			share := min(left, room)
			s := sums[4*x : 4*x+4 : 4*x+4]
			for k := range s {
				s[k] += uint64(p[k]) * uint64(share)
			}
			left -= share
			if room -= share; room == 0 {
				x, room = x+1, n
			}
		}
	}
}
