package media

import "math"

// Target is what a picture has to become before it is sent.
type Target struct {
	Width, Height int   // pixels; not larger than the picture
	Encoded       int64 // characters of base64 at most; 0: any
	Types         []string
	Must          bool // sent unchanged it would be refused
}

// TargetOf is the size at which a model sees a picture, within what its host
// accepts in a request with that many images. needed reports that the picture has
// to be converted.
func TargetOf(model string, host Caps, i Info, images int, detail string) (t Target, needed bool) {
	t = Target{Encoded: host.Encoded, Types: host.types(), Must: !host.Allows(i, images)}
	t.Width, t.Height = Seen(model, i.Width, i.Height, detail)
	if side := host.SideOf(images); side > 0 {
		t.Width, t.Height = within(t.Width, t.Height, side)
	}
	if n := int64(t.Width) * int64(t.Height); host.Pixels > 0 && n > host.Pixels {
		long := float64(max(t.Width, t.Height)) * math.Sqrt(float64(host.Pixels)/float64(n))
		t.Width, t.Height = within(t.Width, t.Height, max(1, int(long)))
	}
	return t, t.Must || t.Width < i.Width || t.Height < i.Height
}
