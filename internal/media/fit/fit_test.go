package fit

import (
	"bytes"
	"encoding/base64"
	"errors"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"github.com/coppice-dev/coppice/internal/media"
)

var usual = []string{media.PNG, media.JPEG, media.GIF, media.WebP}

// picture is a checked file with a picture of w×h pixels of different colours.
func picture(t testing.TB, mime string, w, h int) media.Checked {
	t.Helper()
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.Set(x, y, color.NRGBA{uint8(x * 7), uint8(y * 5), uint8(x * y), 255})
		}
	}
	var b bytes.Buffer
	var err error
	switch mime {
	case media.PNG:
		err = png.Encode(&b, img)
	case media.JPEG:
		err = jpeg.Encode(&b, img, nil)
	case media.GIF:
		err = gif.Encode(&b, img, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return media.Check(base64.StdEncoding.EncodeToString(b.Bytes()))
}

func TestFit(t *testing.T) {
	claude := media.HostOf("anthropic", "claude-opus-4-5", 200_000).Caps
	xai := media.HostOf("xai", "grok-4", 256_000).Caps
	narrow := claude // so that it must be fitted
	narrow.Side = 1568
	small := claude
	small.Encoded = 20_000
	onlyPNG := media.Caps{Types: []string{media.PNG}}
	for _, tt := range []struct {
		name    string
		picture media.Checked
		model   string
		caps    media.Caps
		images  int
		mime    string
		w, h    int
	}{
		{"to what the model sees", picture(t, media.PNG, 1800, 900), "claude-opus-4-5", narrow, 1, media.PNG, 1568, 784},
		{"a JPEG stays one", picture(t, media.JPEG, 1800, 900), "claude-opus-4-5", claude, 1, media.JPEG, 1568, 784},
		{"among many", picture(t, media.PNG, 2600, 300), "claude-opus-5", claude, 21, media.PNG, 2000, 230},
		{"a GIF where none is taken", picture(t, media.GIF, 40, 30), "grok-4", xai, 1, media.PNG, 40, 30},
		{"a JPEG where none is taken", picture(t, media.JPEG, 40, 30), "grok-4", onlyPNG, 1, media.PNG, 40, 30},
		{"too long as PNG", picture(t, media.PNG, 500, 500), "claude-opus-4-5", small, 1, media.JPEG, 250, 250},
	} {
		target, needed := media.TargetOf(tt.model, tt.caps, tt.picture.Info, tt.images, "")
		if !needed {
			t.Errorf("%s: nothing to do", tt.name)
			continue
		}
		var f Fitter
		got, err := f.Fit(tt.picture, target)
		if err != nil || got.Type != tt.mime || got.Width != tt.w || got.Height != tt.h {
			t.Errorf("%s: %v, %s, want %s of %d×%d", tt.name, err, got.Info, tt.mime, tt.w, tt.h)
			continue
		}
		if _, again := media.TargetOf(tt.model, tt.caps, got.Info, tt.images, ""); again {
			t.Errorf("%s: it does not fit afterwards: %s", tt.name, got.Info)
		}
		if again, err := f.Fit(tt.picture, target); err != nil || unsafe.StringData(again.Data) != unsafe.StringData(got.Data) {
			t.Errorf("%s: done twice (%v)", tt.name, err)
		}
	}
}

func TestFitLeavesAlone(t *testing.T) {
	fine := picture(t, media.PNG, 300, 200)
	if _, needed := media.TargetOf("claude-opus-4-5", media.HostOf("anthropic", "claude-opus-4-5", 0).Caps, fine.Info, 1, ""); needed {
		t.Error("a small picture has to be fitted")
	}
	// A drawing with few colours grows when it is scaled: sending it unchanged
	// costs less.
	stripes := image.NewPaletted(image.Rect(0, 0, 1600, 400), color.Palette{color.Black, color.White})
	for i := range stripes.Pix {
		stripes.Pix[i] = uint8(i/3) & 1
	}
	var b bytes.Buffer
	if err := png.Encode(&b, stripes); err != nil {
		t.Fatal(err)
	}
	c := media.Check(base64.StdEncoding.EncodeToString(b.Bytes()))
	target, needed := media.TargetOf("claude-opus-4-5", media.Caps{}, c.Info, 1, "")
	var f Fitter
	if got, err := f.Fit(c, target); err != nil || !needed || got.Data != c.Data {
		t.Errorf("%v, needed %v, became %s", err, needed, got.Info)
	}
}

func TestFitRefuses(t *testing.T) {
	header := func(w, h string) string {
		return "\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR" + w + h + "\x08\x06\x00\x00\x00\x00\x00\x00\x00"
	}
	cut := picture(t, media.JPEG, 64, 64)
	cut = media.Check(cut.Data[:len(cut.Data)/8*4])
	for name, tt := range map[string]struct {
		picture media.Checked
		want    error
	}{
		"bomb":        {media.Check(base64.StdEncoding.EncodeToString([]byte(header("\x00\x01\x00\x00", "\x00\x01\x00\x00")))), ErrTooLarge},
		"no size":     {media.Check(base64.StdEncoding.EncodeToString([]byte(header("\x00\x00\x00\x00", "\x00\x00\x00\x09")))), ErrUnknown},
		"no picture":  {media.Check(base64.StdEncoding.EncodeToString([]byte(header("\x00\x00\x00\x09", "\x00\x00\x00\x09")))), ErrBroken},
		"cut":         {cut, ErrBroken},
		"HEIC":        {media.Check(base64.StdEncoding.EncodeToString([]byte("\x00\x00\x00\x18ftypheic\x00\x00\x00\x00"))), ErrUnknown},
		"not base64":  {media.Check("<html>"), media.ErrNotBase64},
		"never short": {picture(t, media.PNG, 200, 200), ErrTooLarge},
	} {
		var f Fitter
		target := media.Target{Width: 8, Height: 8, Types: usual, Must: true}
		if name == "never short" {
			target.Encoded = 100
		}
		if got, err := f.Fit(tt.picture, target); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, %s, want %v", name, err, got.Info, tt.want)
		}
	}
}

func TestScaledIsTheMeanOfEachArea(t *testing.T) {
	gray := func(w int, pix ...uint8) *image.Gray {
		return &image.Gray{Pix: pix, Stride: w, Rect: image.Rect(0, 0, w, len(pix)/w)}
	}
	for _, tt := range []struct {
		name string
		img  image.Image
		w, h int
		want []uint8
	}{
		{"halves", gray(4, 0, 10, 20, 40, 10, 20, 20, 40, 1, 1, 2, 2, 1, 1, 2, 2), 2, 2, []uint8{10, 30, 1, 2}},
		{"thirds", gray(3, 0, 90, 180), 2, 1, []uint8{30, 150}}, // two thirds of one pixel and one third of the next
		{"to one", gray(3, 1, 2, 3, 4, 5, 6, 7, 8, 9), 1, 1, []uint8{5}},
		{"rounded", gray(2, 0, 1), 1, 1, []uint8{1}},
		{"never larger", gray(2, 3, 4), 5, 5, []uint8{3, 4}},
		{"from a corner", gray(4, 9, 9, 9, 9, 9, 1, 3, 9).SubImage(image.Rect(1, 1, 3, 2)), 1, 1, []uint8{2}},
	} {
		out := scaled(tt.img, tt.w, tt.h)
		var got []uint8
		for i := 0; i < len(out.Pix); i += 4 {
			got = append(got, out.Pix[i])
			if out.Pix[i+3] != 255 {
				t.Errorf("%s: not opaque", tt.name)
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

func TestJPEGsAreOnWhite(t *testing.T) {
	clear := image.NewNRGBA(image.Rect(0, 0, 8, 8))
	file, err := encode(scaled(clear, 8, 8), media.GIF, media.Target{Types: []string{media.JPEG}})
	if err != nil {
		t.Fatal(err)
	}
	img, err := jpeg.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	if r, _, _, _ := img.At(4, 4).RGBA(); r>>8 < 250 {
		t.Errorf("what was transparent is %d of 255", r>>8)
	}
}

func TestFitterForgets(t *testing.T) {
	var f Fitter
	half := strings.Repeat("A", cacheSize/2)
	for i := range 5 {
		f.remember(key{target: string(rune('a' + i))}, result{picture: media.Checked{Data: half}})
	}
	if len(f.known) != 2 || len(f.order) != 2 || f.held != cacheSize {
		t.Errorf("%d of %d bytes are known, %d in order", len(f.known), f.held, len(f.order))
	}
}

// FuzzFit checks that any input gives a result that meets its target.
func FuzzFit(f *testing.F) {
	for _, mime := range []string{media.PNG, media.JPEG, media.GIF} {
		c := picture(f, mime, 9, 5)
		file, err := base64.StdEncoding.DecodeString(c.Data)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(file, 4, 4, 1000)
	}
	f.Fuzz(func(t *testing.T, file []byte, w, h, encoded int) {
		c := media.Check(base64.StdEncoding.EncodeToString(file))
		if c.Memory() > 1<<22 {
			return // slow, and refused by another rule
		}
		target := media.Target{Width: max(1, w), Height: max(1, h), Encoded: int64(max(encoded, 0)), Types: usual, Must: true}
		var fitter Fitter
		got, err := fitter.Fit(c, target)
		if err != nil {
			return
		}
		again := media.Check(got.Data)
		if again.Err != nil || again.Info != got.Info || got.Width > target.Width || got.Height > target.Height || target.Encoded > 0 && int64(len(got.Data)) > target.Encoded {
			t.Fatalf("%s became %s (%v), asked for %+v", c.Info, got.Info, again.Err, target)
		}
		if _, err := decode(got); err != nil {
			t.Fatalf("%s: %v", got.Info, err)
		}
	})
}

func BenchmarkFit(b *testing.B) {
	c := picture(b, media.JPEG, 4032, 3024)
	for b.Loop() {
		if _, err := fit(c, media.Target{Width: 1456, Height: 1092, Types: usual}); err != nil {
			b.Fatal(err)
		}
	}
}
