package check

import (
	"slices"
	"strings"

	"github.com/coppice-dev/coppice/internal/media"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
	"github.com/go-json-experiment/json/jsontext"
)

// The rules about media, in the words of the vendors (docs/media.md).
var (
	manyImages = Rule{"too-many-images", "too many images and documents: 104 + 1 > 100"}
	imageBytes = Rule{"image-bytes", "image.source.base64: image exceeds 5 MB maximum: 17699328 bytes > 5242880 bytes"}
	imageSide  = Rule{"image-pixels", "At least one of the image dimensions exceed max allowed size: 8000 pixels"}
	imageType  = Rule{"image-type", "The image was specified using the image/png media type, but the image appears to be a image/jpeg image"}
	imageData  = Rule{"image-data", "Could not process image"}
)

// picture is an image in a body.
type picture struct {
	where string
	mime  string // as the body has it; "": it does not say
	info  media.Info
	size  int64 // characters of base64
	err   error
}

// Image notes an image and reports it if the model is known not to read images.
// data is base64 or a data URL; any other URL is not looked at.
func (r *Report) Image(where, mime string, data jsontext.Value) {
	if r.model.ID != "" && !r.model.Images {
		r.Add(Image, where, "the model %s does not read images", r.model.ID)
	}
	r.images++
	if !r.host.Known() {
		return
	}
	text := rawjson.String(data)
	if rest, ok := strings.CutPrefix(text, "data:"); ok {
		mime, text, _ = strings.Cut(rest, ",")
		mime = strings.TrimSuffix(mime, ";base64")
	} else if strings.Contains(text, "://") {
		return
	}
	c := media.Check(text)
	r.pictures = append(r.pictures, picture{where, mime, c.Info, int64(len(text)), c.Err})
}

// media reports what the model's host is known not to take. What is only
// somebody's memory of a limit never stops a request.
func (r *Report) media() {
	r.caps(r.host.Caps, r.model.Server == "")
	r.caps(r.host.Doubtful, false)
	if n := r.model.MaxImages; n > 0 && int64(r.images) > n && (r.host.Images == 0 || n < int64(r.host.Images)) {
		r.Add(manyImages, "", "it has %d images, but the server said that the limit is %d", r.images, n)
	}
	for _, p := range r.pictures {
		switch {
		case p.err != nil:
			r.Add(imageData, p.where, "the image cannot be read: %v", p.err)
		case p.mime != "" && p.mime != p.info.Type && r.host.Strict:
			r.refuse(r.model.Server == "", imageType, p.where, "the type is %s, but the image is %s", p.mime, p.info.Type)
		}
	}
}

// caps reports what is above caps, refused or as a warning.
func (r *Report) caps(c media.Caps, refused bool) {
	if c.Body > 0 && r.size > c.Body {
		r.refuse(refused, TooLarge, "", "it has %d bytes, but the limit of the host is %d", r.size, c.Body)
	}
	if c.Images > 0 && r.images > c.Images {
		r.refuse(refused, manyImages, "", "it has %d images, but the limit of the host is %d", r.images, c.Images)
	}
	side := c.SideOf(r.images)
	for _, p := range r.pictures {
		w, h := p.info.Width, p.info.Height
		switch {
		case c.Encoded > 0 && p.size > c.Encoded:
			r.refuse(refused, imageBytes, p.where, "the image has %d characters of base64, but the limit of the host is %d", p.size, c.Encoded)
		case side > 0 && max(w, h) > side:
			r.refuse(refused, imageSide, p.where, "the image has %d×%d pixels, but the host takes %d a side in a request with %d images", w, h, side, r.images)
		case c.Pixels > 0 && int64(w)*int64(h) > c.Pixels:
			r.refuse(refused, imageSide, p.where, "the image has %d×%d pixels, but the host takes %d in all", w, h, c.Pixels)
		case c.Types != nil && p.info.Type != "" && !slices.Contains(c.Types, p.info.Type):
			r.refuse(refused, imageType, p.where, "the host does not take images of type %s", p.info.Type)
		}
	}
}

// refuse adds a problem that stops a request if refused is set.
func (r *Report) refuse(refused bool, rule Rule, where, format string, args ...any) {
	r.Add(rule, where, format, args...)
	r.problems[len(r.problems)-1].Refused = refused
}

func hostOf(m message.Model) media.Host { return media.HostOf(m.Provider, m.ID, m.Window) }
