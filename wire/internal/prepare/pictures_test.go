package prepare

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/internal/media"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/timeline"
)

// drawn is a picture of w×h pixels as a PNG or a JPEG, in base64.
func drawn(t *testing.T, w, h int, asJPEG bool) string {
	t.Helper()
	img := image.NewPaletted(image.Rect(0, 0, w, h), color.Palette{color.Black, color.White})
	for i := range img.Pix { // not blank: that would be as short in any size
		img.Pix[i] = uint8(i / 3 * 7 % 5 & 1)
	}
	var b bytes.Buffer
	var err error
	if asJPEG {
		err = jpeg.Encode(&b, img, nil)
	} else {
		err = png.Encode(&b, img)
	}
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

func asking(images ...message.Image) timeline.Request {
	m := &message.Message{Role: message.RoleUser}
	for _, i := range images {
		m.Content = append(m.Content, i)
	}
	return timeline.Request{Messages: []*message.Message{m}}
}

// An image is sent with its real type and no larger than the model sees it; one
// that cannot be sent says why.
func TestPictures(t *testing.T) {
	claude := message.Model{Provider: "anthropic", ID: "claude-opus-4-5", Window: 200_000, Images: true}
	old := message.Model{Provider: "openai", ID: "gpt-4o", Images: true}
	small, photo, large := drawn(t, 64, 64, false), drawn(t, 64, 48, true), drawn(t, 3000, 2000, true)
	for name, tt := range map[string]struct {
		model message.Model
		data  string
		count int    // of the same image
		mime  string // "": it is left out
		w, h  int
		says  string
	}{
		"as it is":               {claude, small, 1, media.PNG, 64, 64, ""},
		"JPEG called PNG":        {claude, photo, 1, media.JPEG, 64, 48, ""},
		"a data URL":             {claude, "data:image/gif;base64," + small, 1, media.PNG, 64, 64, ""},
		"line breaks":            {claude, small[:20] + "\r\n" + small[20:] + "\n", 1, media.PNG, 64, 64, ""},
		"no padding":             {claude, strings.TrimRight(photo, "="), 1, media.JPEG, 64, 48, ""},
		"larger than it is seen": {claude, large, 1, media.JPEG, 1344, 896, ""},
		"the same for GPT-4o":    {old, large, 1, media.JPEG, 1152, 768, ""},
		"above the largest edge": {claude, drawn(t, 9000, 90, false), 1, media.PNG, 1568, 16, ""},
		"among many":             {claude, drawn(t, 2100, 30, true), 21, media.JPEG, 1568, 22, ""},
		"a family not known":     {message.Model{ID: "m", Images: true}, drawn(t, 3000, 2000, false), 1, media.PNG, 3000, 2000, ""},
		"garbage":                {claude, "<html>", 1, "", 0, 0, "not base64"},
		"empty":                  {claude, " ", 1, "", 0, 0, "empty"},
		"of no type":             {claude, "aGVsbG8=", 1, "", 0, 0, "an unknown type"},
		"of a type not taken":    {claude, "SUkqAA==", 1, "", 0, 0, "size cannot be read"},
		"cut":                    {claude, drawn(t, 9000, 90, false)[:200], 1, "", 0, 0, "cannot be decoded"},
		"a model without eyes":   {message.Model{ID: "m"}, small, 1, "", 0, 0, "does not read images"},
	} {
		out := Messages(asking(slices.Repeat([]message.Image{{Data: tt.data, MIMEType: "image/png"}}, tt.count)...), tt.model, Rules{})
		for _, b := range out[0].Content {
			img, ok := b.(message.Image)
			switch info := media.Look(img.Data); {
			case tt.mime == "":
				if text, _ := b.(message.Text); !strings.Contains(text.Text, tt.says) {
					t.Errorf("%s: %+v", name, b)
				}
			case !ok || img.MIMEType != tt.mime || info.Type != tt.mime || info.Width != tt.w || info.Height != tt.h:
				t.Errorf("%s: sent as %s, %s", name, img.MIMEType, info)
			}
		}
	}
}
