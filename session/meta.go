package session

import (
	"strings"

	"github.com/coppice-dev/coppice/internal/codec"
	"github.com/coppice-dev/coppice/internal/media"
	"github.com/coppice-dev/coppice/internal/turn"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/tokens"
)

// Meta is what is known about a message without its text: enough to tell
// whether and where it is in a view. The zero Meta is that of an entry without
// a message.
type Meta struct {
	Role            message.Role
	Provider, Model string // assistant
	StopReason      message.StopReason
	Calls           []Call // assistant: its tool calls, in order
	Result          string // toolResult: the id of the call that it names

	Shows    bool // there is more in the content than reasoning and blank text
	Reasons  bool // there is reasoning in it, or a signature that refers to some
	Excluded bool // a command that the user kept from the model
	Counted  bool // it says what the provider counted (message.Usage)

	Images       []Pixels // in order
	ContentBytes int64    // of the content as message.EncodeContent writes it
}

// Call names a tool call: its id and its tool.
type Call = turn.Call

// Pixels is the size of an image. The zero value: it is not known.
type Pixels struct{ Width, Height int }

// Failed reports whether an assistant message ended in an error or an abort.
func (m Meta) Failed() bool {
	return m.Role == message.RoleAssistant && (m.StopReason == message.StopError || m.StopReason == message.StopAborted)
}

// FinalAnswer reports whether the message ends a turn (message.FinalAnswer).
func (m Meta) FinalAnswer() bool {
	return m.Role == message.RoleAssistant && m.StopReason == message.StopEnd && len(m.Calls) == 0 && m.Shows
}

// MetaOf returns the Meta of a message.
func MetaOf(m *message.Message) Meta {
	if m == nil {
		return Meta{}
	}
	b := briefOf(m)
	return b.meta()
}

// Meta returns the Meta of the entry's message. It reads nothing from the log.
func (e *Entry) Meta() Meta { return e.known().meta() }

// HasMessage reports whether the entry has a message.
func (e *Entry) HasMessage() bool { return e.known().by != nil }

// Role returns the role of the entry's message, or "".
func (e *Entry) Role() message.Role {
	if b := e.known(); b.by != nil {
		return b.by.role
	}
	return ""
}

func (e *Entry) known() *brief {
	if e.brief.by == nil && e.mayHaveMessage() {
		return e.body.known(e)
	}
	return &e.brief
}

// brief is Meta in a compact form, because there is one for each entry of a
// long path.
type brief struct {
	by     *shared // nil: not a message
	result string
	calls  []Call
	images *[]Pixels // nil: there are none
	weight weight    // of the texts
	bytes  int64     // of content
	length uint32    // of the entry's JSON
	traits traits
}

func imagesOf(m *message.Message) *[]Pixels {
	var images []Pixels
	for _, c := range m.Content {
		if i, ok := c.(message.Image); ok {
			images = append(images, pixels(i.Data))
		}
	}
	return &images
}

func pixels(data string) Pixels {
	i := media.Look(data)
	return Pixels{i.Width, i.Height}
}

// shared is the part of a brief that many messages of a log share.
type shared struct {
	role            message.Role
	provider, model string
	stop            message.StopReason
}

type traits uint8

const (
	shows traits = 1 << iota
	reasons
	excluded
	counted
)

func (b *brief) meta() Meta {
	if b.by == nil {
		return Meta{}
	}
	m := Meta{Role: b.by.role, Provider: b.by.provider, Model: b.by.model, StopReason: b.by.stop, Result: b.result,
		Shows: b.traits&shows != 0, Reasons: b.traits&reasons != 0, Excluded: b.traits&excluded != 0, Counted: b.traits&counted != 0,
		ContentBytes: b.bytes}
	if m.Role == message.RoleAssistant { // no one else can call a tool
		m.Calls, m.Shows = b.calls, m.Shows || len(b.calls) > 0
	}
	if b.images != nil {
		m.Images = *b.images
	}
	return m
}

// briefOf returns the brief of a decoded message.
func briefOf(m *message.Message) brief {
	b := brief{by: &shared{role: m.Role, provider: m.Provider, model: m.Model, stop: m.StopReason}, result: m.ToolCallID,
		bytes: int64(codec.EncodedLen(m.Content))}
	size := tokens.Default{}.ByClass(m)
	b.weight = weightOf(size.Text, size.Scripts)
	if size.Media > 0 {
		b.images = imagesOf(m)
	}
	b.trait(counted, m.Usage != nil)
	if m.Bash != nil && m.Bash.ExcludeFromContext {
		b.traits |= excluded
	}
	for _, c := range m.Content {
		switch c := c.(type) {
		case message.Text:
			b.trait(shows, strings.TrimSpace(c.Text) != "")
			b.trait(reasons, c.Signature != "")
		case message.Thinking:
			b.traits |= reasons
		case message.ToolCall:
			b.trait(reasons, c.ThoughtSignature != "")
			b.calls = append(b.calls, Call{ID: c.ID, Name: c.Name})
		default:
			b.traits |= shows
		}
	}
	return b
}

func (b *brief) trait(t traits, has bool) {
	if has {
		b.traits |= t
	}
}
