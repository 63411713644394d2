// Package gemini imports sessions of Gemini CLI: the chat files that it writes
// automatically, and the plain lists of contents that `/chat save` writes in
// the format of Google's API.
package gemini

import (
	"bytes"
	"context"
	"time"

	"github.com/coppice-dev/coppice/convert"
	"github.com/coppice-dev/coppice/convert/internal/carry"
	"github.com/coppice-dev/coppice/convert/internal/jsondoc"
	"github.com/coppice-dev/coppice/convert/internal/scribe"
	"github.com/coppice-dev/coppice/internal/codec"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/wire/gemini"
)

// Importer reads the files of Gemini CLI.
var Importer convert.Importer = importer{}

type importer struct{}

// Name returns "gemini".
func (importer) Name() string { return "gemini" }

// list is the member of a chat file that holds the messages.
const list = "messages"

// provider is the catalogue's name for the provider.
const provider = "google"

// elements describes how a message or content begins, to find the next one
// after damage.
var elements = jsondoc.Elements{List: list, First: []string{"id", "role", "parts", "timestamp", "type"}, Is: isElement}

func isElement(v []byte) bool {
	return isContent(v) || rawjson.Kind(rawjson.Get(v, "type")) == '"' && rawjson.Kind(rawjson.Get(v, "timestamp")) == '"'
}

// Recognizes reports whether a document begins like one of the two formats.
func (importer) Recognizes(_ string, head []byte) bool {
	session := false
	for p, err := range jsondoc.Read(bytes.NewReader(head), list) {
		switch {
		case err != nil:
			return false
		case p.Name == "" && p.Element:
			return isContent(p.Value)
		case p.Name == "sessionId":
			session = rawjson.Kind(p.Value) == '"'
		case p.Name == "projectHash" && session:
			return true
		case p.Element:
			return session && rawjson.Kind(rawjson.Get(p.Value, "type")) == '"'
		}
	}
	return false
}

// Describe reads when the session began. Chat files name the project only by a
// hash, so the folder is unknown. If the part before the messages is lost, the
// time of the first message is used.
func (importer) Describe(ctx context.Context, src convert.Source) (session.Header, error) {
	f, err := src.Open()
	if err != nil {
		return session.Header{}, err
	}
	defer f.Close()
	id := ""
	var start time.Time
	for p, err := range jsondoc.Salvage(f, elements) {
		if err == nil {
			err = ctx.Err()
		}
		switch {
		case err != nil:
			return session.Header{}, carry.NotOurs(err)
		case p.Name == "" && isContent(p.Value):
			return session.Header{}, src.Only("")
		case p.Name == "sessionId":
			id = rawjson.String(p.Value)
		case p.Name == "startTime":
			start = codec.DecodeTime(p.Value)
		}
		lost := id == "" && p.Element && isElement(p.Value)
		if lost && start.IsZero() {
			start = codec.DecodeTime(carry.Get(p.Value, "timestamp"))
		}
		if lost || id != "" && (!start.IsZero() || p.Element) {
			return session.Header{ID: scribe.SessionID(id), Time: start}, src.Only(id)
		}
	}
	if id == "" {
		return session.Header{}, convert.ErrNotOurs
	}
	return session.Header{ID: scribe.SessionID(id)}, src.Only(id)
}

// Import walks the messages.
func (importer) Import(ctx context.Context, src convert.Source, to *convert.Sink) error {
	r := reader{sink: to, to: scribe.New(to)}
	if err := carry.Document(src, to, elements, func(p jsondoc.Part) error { return r.part(ctx, p) }, func() bool { return r.messages > 0 }); err != nil {
		return err
	}
	return r.to.End(ctx)
}

// reader imports messages one by one.
type reader struct {
	sink     *convert.Sink
	to       *scribe.Writer
	state    carry.State
	ids      carry.CallIDs
	messages int
	start    time.Time
	calls    calls // of a list of contents
}

func (r *reader) part(ctx context.Context, p jsondoc.Part) error {
	switch {
	case p.Element && p.Name == "":
		r.messages++
		return r.content(ctx, p.Value)
	case p.Element:
		r.messages++
		return r.message(ctx, p.Value)
	case p.Name == "startTime":
		r.start = codec.DecodeTime(p.Value)
	case p.Name == "summary": // on one line, for lists
		return carry.Name(ctx, r.to, rawjson.String(p.Value), r.start)
	}
	return nil
}

// message takes one message of a chat file.
func (r *reader) message(ctx context.Context, raw []byte) error {
	at := codec.DecodeTime(carry.Get(raw, "timestamp"))
	switch typ := carry.Str(raw, "type"); typ {
	case "user":
		if carry.Get(raw, "displayContent") != nil {
			r.sink.Skip("short form of a prompt")
		}
		return r.to.Add(ctx, r.to.User(r.blocks(carry.Get(raw, "content")), at))
	case "gemini":
		return r.answer(ctx, raw, at)
	default:
		r.sink.Skip("notice of type " + typ) // shown to the user, never sent
		return nil
	}
}

func (r *reader) answer(ctx context.Context, raw []byte, at time.Time) error {
	model := carry.Str(raw, "model")
	if err := r.state.Model(ctx, r.to, provider, model, at); err != nil {
		return err
	}
	m := &message.Message{Role: message.RoleAssistant, API: gemini.Dialect.API(), Provider: provider, Model: model,
		StopReason: message.StopEnd, Usage: usage(carry.Get(raw, "tokens")), Time: at}
	for t := range rawjson.Elements(carry.Get(raw, "thoughts")) {
		m.Content = append(m.Content, thought(t))
	}
	for _, b := range r.blocks(carry.Get(raw, "content")) {
		if t, ok := b.(message.Text); !ok || t.Text != "" {
			m.Content = append(m.Content, b)
		}
	}
	if err := r.to.Begin(ctx, m); err != nil {
		return err
	}
	calls, ids := carry.Get(raw, "toolCalls"), []string{}
	for c := range rawjson.Elements(calls) {
		m.StopReason = message.StopToolUse
		id := r.ids.Unique(carry.Str(c, "id"))
		ids = append(ids, id)
		r.to.Call(id, message.ToolCall{ID: id, Name: carry.Str(c, "name"), Arguments: scribe.Arguments(carry.Get(c, "args")),
			ThoughtSignature: carry.Str(c, "thoughtSignature")})
	}
	for c := range rawjson.Elements(calls) {
		if err := r.result(ctx, c, ids[0]); err != nil {
			return err
		}
		ids = ids[1:]
	}
	return r.to.Close(ctx)
}

// thought reads a headline of the model's reasoning and its text. Chat files
// do not keep the signature, so it cannot be sent back.
func thought(t []byte) message.Thinking {
	subject, text := carry.Str(t, "subject"), carry.Str(t, "description")
	if subject != "" {
		text = "**" + subject + "**\n\n" + text
	}
	return message.Thinking{Thinking: text}
}

// usage reads the usage of one call. Input includes cached tokens; output does
// not include thoughts.
func usage(t []byte) *message.Usage {
	if rawjson.Kind(t) != '{' {
		return nil
	}
	n := func(name string) int64 { return rawjson.Int(carry.Get(t, name)) }
	return &message.Usage{Input: max(n("input")-n("cached"), 0) + n("tool"), CacheRead: n("cached"),
		Output: n("output") + n("thoughts"), Reasoning: n("thoughts"), TotalTokens: n("total")}
}
