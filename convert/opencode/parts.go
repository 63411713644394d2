package opencode

import (
	"context"
	"strings"

	"github.com/coppice-dev/coppice/convert/internal/carry"
	"github.com/coppice-dev/coppice/convert/internal/scribe"
	"github.com/coppice-dev/coppice/internal/codec"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
)

// said is the content of a user message.
type said struct {
	content  []message.Block
	injected bool // the agent added all of it
}

// userParts reads the parts of a user message.
func (r *reader) userParts(parts []byte) said {
	var c said
	own := false // some of it comes from the user
	for p := range rawjson.Elements(parts) {
		switch typ := carry.Str(p, "type"); typ {
		case "text":
			if rawjson.Bool(carry.Get(p, "ignored")) {
				r.sink.Skip("text kept from the model")
				continue
			}
			own = own || !rawjson.Bool(carry.Get(p, "synthetic"))
			c.content = append(c.content, message.Text{Text: carry.Str(p, "text")})
		case "file":
			own = true
			if img, ok := carry.DataURL(carry.Str(p, "url")); ok {
				c.content = append(c.content, img)
			} else {
				r.sink.Skip("file reference") // its text is in a text part
			}
		case "subtask":
			own = true
			c.content = append(c.content, message.Text{Text: carry.Str(p, "prompt")})
		case "compaction":
			r.dropAsked()
			r.compaction = &asked{tail: carry.Str(p, "tail_start_id")}
		default:
			r.sink.Skip(typ)
		}
	}
	c.injected = !own && len(c.content) > 0
	return c
}

// step is one model call. Old versions keep all steps of a turn in one
// message; each becomes a separate answer, because results come between them.
type step struct {
	content []message.Block
	tools   []tool     // of the calls in content
	item    *reasoning // the latest
	usage   *message.Usage
	finish  string
}

// tool is a part that holds a call and its result.
type tool struct {
	id   string // the call's, in the session
	part []byte
}

func (s *step) add(b message.Block) { s.content = append(s.content, b) }

// assistant takes an answer: its steps, and the results of their calls.
func (r *reader) assistant(ctx context.Context, info, parts []byte) error {
	r.dropAsked()
	if err := r.model(ctx, info, info, "modelID"); err != nil {
		return err
	}
	steps := r.steps(parts)
	for i := range steps {
		s := &steps[i]
		m := &message.Message{Role: message.RoleAssistant,
			Provider: carry.Str(info, "providerID"), Model: carry.Str(info, "modelID"), Usage: s.usage}
		m.API = carry.API(m.Provider, m.Model)
		m.StopReason = stop(s.finish, s.content)
		if i == 0 {
			m.Time = created(info) // later steps came after the results
		}
		if i == len(steps)-1 {
			r.ending(m, info, s)
		}
		if m.Usage != nil && !m.Failed() {
			r.context = m.Usage.Total()
		}
		if err := r.to.Begin(ctx, m); err != nil {
			return err
		}
		for _, b := range s.content {
			if c, ok := b.(message.ToolCall); ok {
				r.to.Call(c.ID, c)
			} else {
				m.Content = append(m.Content, b)
			}
		}
		if err := r.results(ctx, s.tools); err != nil {
			return err
		}
	}
	return nil
}

// ending gives the last step of a message the message's own data about its
// end.
func (r *reader) ending(m *message.Message, info []byte, s *step) {
	if m.Usage == nil {
		m.Usage = usage(info)
	}
	finish := carry.Str(info, "finish")
	if finish == "" {
		finish = s.finish
	}
	m.StopReason = stop(finish, s.content)
	failure := carry.Get(info, "error")
	switch {
	case carry.Str(failure, "name") == "MessageAbortedError":
		m.StopReason, m.ErrorMessage = message.StopAborted, carry.Str(failure, "data", "message")
	case rawjson.Kind(failure) == '{':
		m.StopReason, m.ErrorMessage = message.StopError, carry.Str(failure, "data", "message")
		if m.ErrorMessage == "" {
			m.ErrorMessage = carry.Str(failure, "name")
		}
	}
}

// stop translates opencode's stop reason into the session's word. Without one
// the answer never ended.
func stop(finish string, content []message.Block) message.StopReason {
	switch finish {
	case "":
		return message.StopAborted
	case "length":
		return message.StopLength
	case "error":
		return message.StopError
	}
	return carry.Stop(content)
}

// steps reads the parts of an answer.
func (r *reader) steps(parts []byte) []step {
	steps := make([]step, 1)
	for p := range rawjson.Elements(parts) {
		s := &steps[len(steps)-1]
		switch typ := carry.Str(p, "type"); typ {
		case "step-start":
			if len(s.content) > 0 {
				steps = append(steps, step{})
			}
			r.snapshot(p)
		case "step-finish":
			s.usage, s.finish = usage(p), carry.Str(p, "reason")
		case "text":
			s.add(textBlock(p))
		case "reasoning":
			r.thinking(s, p)
		case "tool":
			r.call(s, p)
		case "file":
			if img, ok := carry.DataURL(carry.Str(p, "url")); ok {
				s.add(img)
			} else {
				r.sink.Skip("file reference")
			}
		default:
			r.sink.Skip(typ)
		}
	}
	return steps
}

// snapshot counts the file snapshot that a step begins with; only opencode can
// restore files from it.
func (r *reader) snapshot(p []byte) {
	if carry.Str(p, "snapshot") != "" {
		r.sink.Skip("file snapshot")
	}
}

// call adds a tool part to a step. Calls of the Responses API have the id of
// their item after a bar.
func (r *reader) call(s *step, p []byte) {
	id := r.ids.Unique(carry.Str(p, "callID"))
	if item := carry.Str(p, "metadata", "openai", "itemId"); strings.HasPrefix(item, "fc_") {
		id += "|" + item
	}
	s.add(message.ToolCall{ID: id, Name: carry.Str(p, "tool"), Arguments: scribe.Arguments(carry.Get(p, "state", "input")),
		ThoughtSignature: carry.Str(p, "metadata", "google", "thoughtSignature")})
	s.tools = append(s.tools, tool{id, p})
}

// results writes the results of the calls that have one. A call that was
// pending or running when the file was written does not.
func (r *reader) results(ctx context.Context, tools []tool) error {
	for _, t := range tools {
		state := carry.Get(t.part, "state")
		m := &message.Message{Time: codec.DecodeTime(carry.Get(state, "time", "end"))}
		switch carry.Str(state, "status") {
		case "completed":
			m.Content = r.output(state)
		case "error":
			m.IsError = true
			m.Content = []message.Block{message.Text{Text: carry.Str(state, "error")}}
		default:
			continue
		}
		if err := r.to.Result(ctx, t.id, m); err != nil {
			return err
		}
	}
	return nil
}

// output returns the text of a result with its images. What is kept for the
// user interface repeats it.
func (r *reader) output(state []byte) []message.Block {
	content := []message.Block{message.Text{Text: carry.Str(state, "output")}}
	for a := range rawjson.Elements(carry.Get(state, "attachments")) {
		if img, ok := carry.DataURL(carry.Str(a, "url")); ok {
			content = append(content, img)
		} else {
			r.sink.Skip("attachment of a result")
		}
	}
	return content
}
