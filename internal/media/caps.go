package media

import (
	"slices"
	"strings"
)

// Caps are the limits of a host on media in one request. 0 or nil: not known.
type Caps struct {
	Images   int      // in a request, including history and tool results
	Encoded  int64    // one image, in characters of base64
	Body     int64    // the request, in bytes
	Side     int      // one side of an image, in pixels
	Many     int      // number of images above which ManySide applies
	ManySide int      // one side of an image then, in pixels
	Pixels   int64    // of one image
	Types    []string // of images; nil: PNG, JPEG, GIF and WebP
}

// Host is what is known about a host. Limits from its documents or its
// refusals are enforced before a request is sent; limits from memory only may
// cause a warning (docs/media.md).
type Host struct {
	Caps
	Doubtful Caps
	Tools    int  // in a request; 0: not known
	Strict   bool // an image has to be of the type that it claims
	listed   bool
}

// Known reports whether anything is known about a host.
func (h Host) Known() bool { return h.listed }

const mega = 1 << 20

var (
	usual     = []string{PNG, JPEG, GIF, WebP}
	claudeAPI = Caps{Images: 100, Encoded: 10 * mega, Body: 32 * mega, Side: 8000, Many: 20, ManySide: 2000}
)

// hosts are named by the provider's key in the settings and the catalogue.
var hosts = map[string]Host{
	"anthropic":  {Caps: claudeAPI, Strict: true},
	"bedrock":    {Strict: true, Caps: Caps{Images: 20, Encoded: 5 * mega, Side: 8000, Many: 20, ManySide: 2000}, Doubtful: Caps{Body: 20 * mega}},
	"openai":     {Tools: 128, Caps: Caps{Images: 1500, Body: 512 * mega}},
	"azure":      {Tools: 128, Caps: Caps{Images: 50}, Doubtful: Caps{Encoded: 20 * mega * 4 / 3}},
	"gemini":     {Tools: 512, Caps: Caps{Images: 3600, Types: []string{PNG, JPEG, WebP, HEIC, HEIF}}, Doubtful: Caps{Body: 20 * mega}},
	"vertexai":   {Tools: 512, Caps: Caps{Images: 3000, Encoded: 7 * mega * 4 / 3, Types: []string{PNG, JPEG, WebP, HEIC, HEIF}}},
	"copilot":    {Tools: 128, Caps: Caps{Images: 10, Encoded: 3 * mega * 4 / 3}},
	"groq":       {Caps: Caps{Body: 4 * mega, Pixels: 33_177_600}, Doubtful: Caps{Images: 5}},
	"xai":        {Caps: Caps{Encoded: 20 * mega * 4 / 3, Types: []string{PNG, JPEG}}},
	"mistral":    {Caps: Caps{Images: 8, Encoded: 10 * mega * 4 / 3, Side: 10_000}},
	"alibaba":    {Caps: Caps{Encoded: 10 * mega}},
	"moonshot":   {Doubtful: Caps{Body: 100 * mega}},
	"kimi":       {Doubtful: Caps{Body: 100 * mega}},
	"zhipu":      {Doubtful: Caps{Encoded: 5 * mega * 4 / 3, Side: 6000}},
	"openrouter": {}, // the limits are those of the host that it picks
}

// HostOf returns what is known about a provider, for a model with a window of
// that many tokens. Regional names count as their cloud: bedrock-europe is
// bedrock.
func HostOf(provider, model string, window int64) Host {
	h, ok := hosts[provider]
	for cut := provider; !ok && cut != ""; {
		i := strings.LastIndexByte(cut, '-')
		if i < 0 {
			break
		}
		cut = cut[:i]
		h, ok = hosts[cut]
	}
	if provider == "anthropic" && window > 200_000 {
		h.Images = 600
	}
	if provider == "vertexai" && strings.Contains(model, "claude") { // "Google Cloud" in Anthropic's table
		h = Host{Caps: claudeAPI, Doubtful: Caps{Body: 30 * mega}, Strict: true}
		h.Encoded, h.Body = 5*mega, 0
	}
	h.listed = ok
	return h
}

// Within returns the caps, lowered to those given; 0: not known.
func (c Caps) Within(images, encoded, side, body int64) Caps {
	lower := func(known, n int64) int64 {
		if n > 0 && (known == 0 || n < known) {
			return n
		}
		return known
	}
	c.Images, c.Side = int(lower(int64(c.Images), images)), int(lower(int64(c.Side), side))
	c.Encoded, c.Body = lower(c.Encoded, encoded), lower(c.Body, body)
	if c.Side > 0 {
		c.ManySide = min(c.ManySide, c.Side)
	}
	return c
}

// types are the accepted image types.
func (c Caps) types() []string {
	if c.Types == nil {
		return usual
	}
	return c.Types
}

// Allows reports whether an image may be sent unchanged in a request with that
// many images.
func (c Caps) Allows(i Info, images int) bool {
	side := c.SideOf(images)
	return slices.Contains(c.types(), i.Type) &&
		(side == 0 || max(i.Width, i.Height) <= side) &&
		(c.Pixels == 0 || int64(i.Width)*int64(i.Height) <= c.Pixels) &&
		(c.Encoded == 0 || EncodedLen(i.Bytes) <= c.Encoded)
}

// SideOf returns how long a side may be in a request with that many images, in
// pixels; 0: any length.
func (c Caps) SideOf(images int) int {
	if c.Many > 0 && images > c.Many && c.ManySide > 0 {
		return c.ManySide
	}
	return c.Side
}

// EncodedLen returns the length of n bytes as base64.
func EncodedLen(bytes int64) int64 { return (bytes + 2) / 3 * 4 }

// Part is an image in a request.
type Part struct {
	Bytes int64 // what it takes in the body
	Held  bool  // it has to stay
}

// Excess chooses the images to leave out so that at most the given number of
// images and bytes remain; 0: any. parts are in the order of the request, oldest
// first. If a cap is exceeded, the oldest go, down to four fifths of the cap at
// once: one at a time would change the cached prefix with each request. Held ones
// always stay. The result is a list of ascending indexes.
func Excess(parts []Part, images int, bytes int64) []int {
	var total int64
	for _, p := range parts {
		total += p.Bytes
	}
	left := len(parts)
	over := func(mostImages int, mostBytes int64) bool {
		return images > 0 && left > mostImages || bytes > 0 && total > mostBytes
	}
	if !over(images, bytes) {
		return nil
	}
	var out []int
	for i := 0; i < len(parts) && over(max(images*4/5, 1), bytes/5*4); i++ {
		if !parts[i].Held {
			out = append(out, i)
			left--
			total -= parts[i].Bytes
		}
	}
	return out
}
