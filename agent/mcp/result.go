package mcp

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/coppice-dev/coppice/agent"
	"github.com/coppice-dev/coppice/internal/safetext"
	"github.com/coppice-dev/coppice/message"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Limits on the images of one result: what every vendor accepts.
const (
	maxImages     = 20
	maxImageBytes = 3 << 20
)

// result converts a server's answer for the agent: one text, which the agent
// cuts if it is too long, followed by the images. The text says where each
// image was.
func result(r *sdk.CallToolResult) agent.Result {
	var a answer
	for _, c := range r.Content {
		a.add(c)
	}
	if len(r.Content) == 0 && r.StructuredContent != nil {
		if raw, err := json.Marshal(r.StructuredContent); err == nil { // it was JSON before
			a.say(string(raw))
		}
	}
	out := agent.Result{IsError: r.IsError}
	if len(a.texts) > 0 {
		out.Content = append(out.Content, message.Text{Text: strings.Join(a.texts, "\n")})
	}
	for _, img := range a.images {
		out.Content = append(out.Content, img)
	}
	return out
}

type answer struct {
	texts  []string
	images []message.Image
}

func (a *answer) say(text string) { a.texts = append(a.texts, text) }

func (a *answer) add(c sdk.Content) {
	switch c := c.(type) {
	case *sdk.TextContent:
		a.say(c.Text)
	case *sdk.ImageContent:
		a.image(c.Data, c.MIMEType)
	case *sdk.AudioContent:
		a.say(leftOut(c.MIMEType, len(c.Data)))
	case *sdk.ResourceLink:
		a.say(fmt.Sprintf("[link to %s: %s]", c.Name, c.URI))
	case *sdk.EmbeddedResource:
		a.resource(c.Resource)
	default:
		a.say("[content of an unknown type was left out]")
	}
}

// image takes an image that models can read. Its bytes decide its type,
// because vendors would refuse a wrong type in the log forever.
func (a *answer) image(data []byte, claimed string) {
	kind := http.DetectContentType(data)
	switch kind {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
	default:
		a.say(leftOut(claimed, len(data)))
		return
	}
	if len(a.images) == maxImages || len(data) > maxImageBytes {
		a.say(leftOut(kind, len(data)))
		return
	}
	a.images = append(a.images, message.Image{Data: base64.StdEncoding.EncodeToString(data), MIMEType: kind})
	a.say(fmt.Sprintf("[image %d]", len(a.images)))
}

func (a *answer) resource(r *sdk.ResourceContents) {
	switch {
	case r == nil:
	case r.Blob == nil:
		a.say(fmt.Sprintf("[%s]\n%s", r.URI, r.Text))
	default:
		a.say("[" + r.URI + "]")
		a.image(r.Blob, r.MIMEType)
	}
}

func leftOut(kind string, size int) string {
	return fmt.Sprintf("[%d bytes of type %s were left out]", size, safetext.CutHead(kind, 100))
}
