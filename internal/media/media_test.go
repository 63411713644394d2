package media

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

	_ "golang.org/x/image/webp"
)

// picture is a file of a type with an image of w×h pixels in it.
func picture(t testing.TB, mime string, w, h int) []byte {
	t.Helper()
	img := image.NewPaletted(image.Rect(0, 0, w, h), color.Palette{color.Black, color.White})
	var b bytes.Buffer
	var err error
	switch mime {
	case PNG:
		err = png.Encode(&b, img)
	case JPEG:
		err = jpeg.Encode(&b, img, nil)
	case GIF:
		err = gif.Encode(&b, img, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Images of one pixel that WebP's own tools wrote: lossy, lossless, and with
// an extended header of 300×200.
var webps = map[string]string{
	"VP8 ": "RIFF\x22\x00\x00\x00WEBPVP8 \x16\x00\x00\x00\x30\x01\x00\x9d\x01\x2a\x01\x00\x01\x00\x0e\xc0\xfe\x25\xa4\x00\x03\x70\x00\x00\x00\x00",
	"VP8L": "RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00",
	"VP8X": "RIFF\x1a\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x00\x00\x00\x00\x2b\x01\x00\xc7\x00\x00",
}

func TestLook(t *testing.T) {
	// A JPEG whose size comes after a thumbnail and a colour profile.
	long := picture(t, JPEG, 37, 21)
	segment := append([]byte{0xff, 0xe1, 0xff, 0xff}, make([]byte, 65533)...)
	long = append(append(append([]byte{}, long[:2]...), bytes.Repeat(segment, 12)...), append([]byte{0xff, 0xff}, long[2:]...)...)
	for name, tt := range map[string]struct {
		data string
		mime string
		w, h int
	}{
		"png":            {string(picture(t, PNG, 300, 7)), PNG, 300, 7},
		"jpeg":           {string(picture(t, JPEG, 641, 480)), JPEG, 641, 480},
		"jpeg, long":     {string(long), JPEG, 37, 21},
		"gif":            {string(picture(t, GIF, 12, 3)), GIF, 12, 3},
		"webp":           {webps["VP8 "], WebP, 1, 1},
		"webp, lossless": {webps["VP8L"], WebP, 1, 1},
		"webp, extended": {webps["VP8X"], WebP, 300, 200},
		"pdf":            {"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", PDF, 0, 0},
		"heic":           {"\x00\x00\x00\x18ftypheic\x00\x00\x00\x00", HEIC, 0, 0},
		"png, cut":       {"\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR\x00\x00", PNG, 0, 0},
		"png, size 0":    {"\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR\x00\x00\x00\x00\x00\x00\x00\x09\x08\x02\x00\x00\x00", PNG, 0, 0},
		"riff, no webp":  {"RIFF\x24\x00\x00\x00WAVEfmt ", "", 0, 0},
		"text":           {"hello", "", 0, 0},
		"nothing":        {"", "", 0, 0},
	} {
		got := Look(base64.StdEncoding.EncodeToString([]byte(tt.data)))
		if got.Type != tt.mime || got.Width != tt.w || got.Height != tt.h || got.Bytes != int64(len(tt.data)) {
			t.Errorf("%s: %+v, want %s, %d×%d, %d bytes", name, got, tt.mime, tt.w, tt.h, len(tt.data))
		}
	}
}

func TestInfoString(t *testing.T) {
	for want, i := range map[string]Info{
		"PNG, 1280×720 pixels, 34 kB": {Type: PNG, Width: 1280, Height: 720, Bytes: 34_211},
		"PDF, 2.5 MB":                 {Type: PDF, Bytes: 2_480_000},
		"file, 12 bytes":              {Bytes: 12},
	} {
		if got := i.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got, want := Stub(Info{Type: GIF, Bytes: 900}, "too many images", "en:ab12"), "[image left out: GIF, 900 bytes; too many images; read en:ab12]"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestCheck(t *testing.T) {
	file := picture(t, JPEG, 16, 16)
	for len(file)%3 != 1 { // so that padding is needed
		file = append(file, 0)
	}
	clean := base64.StdEncoding.EncodeToString(file)
	url := base64.RawURLEncoding.EncodeToString(file)
	var lines strings.Builder
	for rest := clean; rest != ""; rest = rest[min(76, len(rest)):] {
		lines.WriteString(rest[:min(76, len(rest))] + "\r\n")
	}
	for name, data := range map[string]string{
		"clean": clean, "lines": lines.String(), "no padding": strings.TrimRight(clean, "="), "too much padding": clean + "==\n",
		"data URL": "data:image/png;base64," + clean, "alphabet of URLs": url, "blanks": "  " + clean[:8] + "\t" + clean[8:],
	} {
		c := Check(data)
		if c.Err != nil || c.Data != clean || c.Type != JPEG || c.Width != 16 || c.Bytes != int64(len(file)) {
			t.Errorf("%s: %v, %+v", name, c.Err, c.Info)
		}
		if got := Look(data); got != c.Info {
			t.Errorf("%s: %+v at a look, %+v when it is checked", name, got, c.Info)
		}
	}
	for name, tt := range map[string]struct {
		data string
		want error
	}{
		"empty": {"", ErrEmpty}, "blank": {" \n", ErrEmpty}, "only a prefix": {"data:image/png;base64,", ErrEmpty}, "no comma": {"data:image/png", ErrNotBase64},
		"garbage": {"<html>no</html>", ErrNotBase64}, "cut": {"AAAAA", ErrNotBase64}, "padding inside": {"AA==AAAA", ErrNotBase64},
		"text": {"aGVsbG8=", ErrType},
	} {
		if c := Check(tt.data); !errors.Is(c.Err, tt.want) {
			t.Errorf("%s: %v, want %v", name, c.Err, tt.want)
		}
	}
}

func TestCheckCopiesNothing(t *testing.T) {
	data := base64.StdEncoding.EncodeToString(picture(t, PNG, 500, 500))
	if c := Check(data); unsafe.StringData(c.Data) != unsafe.StringData(data) {
		t.Error("clean data was copied")
	}
}

// FuzzInspect compares the size from a header with what the decoders of the
// standard library and x/image read.
func FuzzInspect(f *testing.F) {
	for _, mime := range []string{PNG, JPEG, GIF} {
		f.Add(picture(f, mime, 5, 3))
	}
	for _, w := range webps {
		f.Add([]byte(w))
	}
	f.Add([]byte("%PDF-1.7"))
	f.Fuzz(func(t *testing.T, file []byte) {
		info := Inspect(int64(len(file)), func(off int64, p []byte) bool {
			return off >= 0 && off <= int64(len(file)) && copy(p, file[off:]) == len(p)
		})
		if info.Width < 0 || info.Height < 0 || (info.Width == 0) != (info.Height == 0) || info.Memory() < 0 {
			t.Fatalf("%+v", info)
		}
		for _, model := range []string{"claude-opus-4-5", "claude-opus-5", "gpt-4o", "gpt-6-astra", "gpt-5.4", "gemini-2.5-pro", "gemini-3-pro", "pixtral-12b"} {
			n := Tokens(model, info.Width, info.Height, "")
			w, h := Seen(model, info.Width, info.Height, "")
			if n < 1 || w > info.Width || h > info.Height || (w == 0) != (info.Width == 0) || (h == 0) != (info.Height == 0) {
				t.Fatalf("%s: %+v costs %d tokens and is seen as %d×%d", model, info, n, w, h)
			}
		}
		if looked := Look(base64.StdEncoding.EncodeToString(file)); looked != info {
			t.Fatalf("%+v in base64, %+v as bytes", looked, info)
		}
		config, format, err := image.DecodeConfig(bytes.NewReader(file))
		if err != nil || config.Width == 0 || config.Height == 0 {
			return
		}
		if format == "jpeg" && info.Width == 0 {
			return // the decoder skips garbage between the parts of a JPEG
		}
		if info.Type != "image/"+format || info.Width != config.Width || info.Height != config.Height {
			t.Fatalf("%+v, but the decoder reads %s of %d×%d", info, format, config.Width, config.Height)
		}
	})
}

// FuzzCheck checks that accepted data is clean base64 of the same bytes.
func FuzzCheck(f *testing.F) {
	for _, s := range []string{"aGVsbG8=", "data:image/png;base64,iVBORw0KGgo", "a-_=", " AAAA\n", "====", "AA==AA=="} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, data string) {
		c := Check(data)
		if errors.Is(c.Err, ErrEmpty) || errors.Is(c.Err, ErrNotBase64) {
			return
		}
		file, err := base64.StdEncoding.DecodeString(c.Data)
		if err != nil || c.Bytes != int64(len(file)) {
			t.Fatalf("%q became %q: %v, %d bytes", data, c.Data, err, c.Bytes)
		}
		if again := Check(c.Data); again.Data != c.Data || again.Info != c.Info {
			t.Fatalf("%q is not clean: %q", c.Data, again.Data)
		}
	})
}

func BenchmarkLook(b *testing.B) {
	data := base64.StdEncoding.EncodeToString(append(picture(b, JPEG, 640, 480), make([]byte, 1<<20)...))
	for b.Loop() {
		Look(data)
	}
}
