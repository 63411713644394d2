// Package carry holds what several importers share: noting the model in force,
// naming a dialect, telling images from other files.
package carry

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/coppice-dev/coppice/convert/internal/scribe"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/wire/anthropic"
	"github.com/coppice-dev/coppice/wire/gemini"
	"github.com/coppice-dev/coppice/wire/openai"
	"github.com/coppice-dev/coppice/wire/responses"
)

// State is what is in force at the current point of an import. The zero value
// is that of an empty session.
type State struct {
	provider, model string
	level           string
}

// Model notes the model of the next message and adds an entry if it differs
// from the one before. An empty id is ignored.
func (s *State) Model(ctx context.Context, to *scribe.Writer, provider, id string, at time.Time) error {
	if id == "" || provider == s.provider && id == s.model {
		return nil
	}
	s.provider, s.model = provider, id
	return add(ctx, to, session.ModelDraft(provider, id), at)
}

// levels are the thinking levels of the session format.
var levels = []string{"off", "minimal", "low", "medium", "high", "xhigh", "max"}

// Level does the same for the thinking level. An unknown word is ignored.
func (s *State) Level(ctx context.Context, to *scribe.Writer, level string, at time.Time) error {
	if level == s.level || !slices.Contains(levels, level) {
		return nil
	}
	s.level = level
	return add(ctx, to, session.ThinkingDraft(level), at)
}

// Name gives the session a name; an empty one is not written.
func Name(ctx context.Context, to *scribe.Writer, name string, at time.Time) error {
	if name = strings.Join(strings.Fields(name), " "); name == "" {
		return nil
	}
	return add(ctx, to, session.NameDraft(name), at)
}

func add(ctx context.Context, to *scribe.Writer, d session.Draft, at time.Time) error {
	d.Time = at
	return to.Add(ctx, d)
}

// API names a provider's dialect as stored messages name it. Most providers
// copy one vendor's.
func API(provider, model string) string {
	switch {
	case strings.Contains(provider, "anthropic"):
		return anthropic.Dialect.API()
	case provider == "openai", provider == "azure", provider == "github-copilot" && strings.HasPrefix(model, "gpt-5"):
		return responses.Dialect.API()
	case strings.HasPrefix(provider, "google"), provider == "gemini":
		return gemini.Dialect.API()
	}
	return openai.Dialect.API()
}

// Image returns a file that a message holds as base64, if it is an image.
func Image(mime, data string) (message.Image, bool) {
	ok := strings.HasPrefix(mime, "image/") && data != ""
	return message.Image{Data: data, MIMEType: mime}, ok
}

// DataURL returns the image in a data: URL. It reports false for any other URL
// or content.
func DataURL(url string) (message.Image, bool) {
	img, ok := scribe.DataURL(url)
	if !ok {
		return message.Image{}, false
	}
	mime, _, _ := strings.Cut(img.MIMEType, ";") // its parameters
	return Image(mime, img.Data)
}

// Stop returns why an answer ended if the agent does not say: it called tools,
// or it had nothing more to say.
func Stop(content []message.Block) message.StopReason {
	for _, b := range content {
		if _, ok := b.(message.ToolCall); ok {
			return message.StopToolUse
		}
	}
	return message.StopEnd
}

// CallIDs makes the ids of calls unique: agents that keep a result with its
// call may give two calls the same id. The zero value is ready to use.
type CallIDs map[string]int

// Unique returns an id that it has not returned before: the given one, unless
// it is empty or taken.
func (c *CallIDs) Unique(id string) string {
	if *c == nil {
		*c = CallIDs{}
	}
	if id == "" {
		id = "call"
	}
	(*c)[id]++
	if n := (*c)[id]; n > 1 {
		return c.Unique(id + "_" + strconv.Itoa(n))
	}
	return id
}
