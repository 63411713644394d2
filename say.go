package coppice

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/coppice-dev/coppice/internal/codec"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/internal/safetext"
	"github.com/coppice-dev/coppice/internal/turn"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/timeline"
)

// SetPrompt sets the system prompt and the tools of the next requests. They are
// stored in the log, so they survive compaction and move with the session.
// Unchanged parts are not written again. An empty system removes the text; to
// leave it as it is, pass View's Prompt.Text. Sections that another program has
// set are not changed. Each tool needs a name of its own, and Parameters that are
// a JSON object or nil.
func (s *Session) SetPrompt(ctx context.Context, system string, tools []message.Tool) error {
	_, err := do(ctx, s, func() (none, error) {
		if err := validTools(tools); err != nil {
			return none{}, err
		}
		v, err := s.View(ctx)
		if err != nil {
			return none{}, err
		}
		if m := promptChange(v.Prompt, system, tools); m != nil {
			_, err = s.write(ctx, session.MessageDraft(m))
		}
		return none{}, err
	})
	return err
}

func validTools(tools []message.Tool) error {
	seen := map[string]bool{}
	for i, t := range tools {
		switch {
		case strings.TrimSpace(t.Name) == "":
			return fmt.Errorf("tool %d has no name", i)
		case seen[t.Name]:
			return fmt.Errorf("two tools have the name %q", t.Name)
		case t.Parameters != nil && (!rawjson.Valid(t.Parameters) || rawjson.Kind(t.Parameters) != '{'):
			return fmt.Errorf("tool %q: its parameters are not a JSON object", t.Name)
		case t.Raw != nil && !rawjson.Valid(t.Raw):
			return fmt.Errorf("tool %q: its raw form is not JSON", t.Name)
		}
		seen[t.Name] = true
	}
	return nil
}

// noPrompt is stored as the text that removes the text: an empty one changes
// nothing (docs/format.md).
const noPrompt = " "

// promptChange returns the system message that changes the prompt and tools of a
// path to the wanted ones; nil if nothing has to change.
func promptChange(p timeline.Prompt, system string, tools []message.Tool) *message.Message {
	patch := &message.SystemPatch{}
	for _, t := range tools {
		same := func(o message.Tool) bool { return string(codec.EncodeTool(o)) == string(codec.EncodeTool(t)) }
		if !slices.ContainsFunc(p.Tools, same) {
			patch.ToolsAdded = append(patch.ToolsAdded, t)
		}
	}
	for _, o := range p.Tools {
		if !slices.ContainsFunc(tools, func(t message.Tool) bool { return t.Name == o.Name }) {
			patch.ToolsRemoved = append(patch.ToolsRemoved, o.Name)
		}
	}
	m := &message.Message{Role: message.RoleSystem, System: patch}
	if system = safetext.Sanitize(system); strings.TrimSpace(system) == "" {
		system = ""
	}
	if p.Text != system {
		m.Content = []message.Block{message.Text{Text: cmp.Or(system, noPrompt)}}
	}
	if m.Content == nil && patch.ToolsAdded == nil && patch.ToolsRemoved == nil {
		return nil
	}
	return m
}

// SetThinking sets the thinking level of the next requests: off, minimal, low,
// medium, high, xhigh or max. It is stored in the log; the level that the
// path sets is not written again. Any other level is an error.
func (s *Session) SetThinking(ctx context.Context, level string) error {
	if err := validThinking(level); err != nil {
		return err
	}
	_, err := do(ctx, s, func() (none, error) {
		v, err := s.View(ctx)
		if err == nil {
			err = s.Settle(ctx, v)
		}
		if err == nil && level != v.Thinking() {
			_, err = s.write(ctx, session.ThinkingDraft(level))
		}
		return none{}, err
	})
	return err
}

// MessageError says that a message cannot be said, and by which rule. None of the
// messages passed with it was written.
type MessageError struct {
	Index int    // of the message among those that were passed
	Rule  string // role, content, call, unpaired-result or hidden-call
	Why   string
}

func (e *MessageError) Error() string {
	return fmt.Sprintf("message %d cannot be said: %s (%s)", e.Index, e.Why, e.Rule)
}

// Say appends messages, all or none, and makes the last one the leaf: messages of
// the user and of the model, results of its calls, commands that the user ran,
// and messages with the role custom, which come from neither. A message that no
// request could show is a *MessageError. A result may come late, and a call may
// have several, but the call must be on the path and not hidden.
func (s *Session) Say(ctx context.Context, msgs ...*message.Message) ([]*session.Entry, error) {
	return do(ctx, s, func() ([]*session.Entry, error) {
		msgs, err := s.sayable(ctx, msgs)
		if err != nil {
			return nil, err
		}
		drafts := make([]session.Draft, len(msgs))
		newInput := false
		for i, m := range msgs {
			newInput = newInput || m.Role == message.RoleUser
			drafts[i] = s.draft(m)
		}
		if len(drafts) == 0 {
			return nil, nil
		}
		entries, err := s.writeMessages(ctx, drafts...)
		if err == nil {
			s.restart(newInput)
		}
		return entries, err
	})
}

// sayable returns messages that can be said, with the blocks that their content
// points to.
func (s *Session) sayable(ctx context.Context, msgs []*message.Message) ([]*message.Message, error) {
	out := make([]*message.Message, len(msgs))
	for i, m := range msgs {
		m, err := codec.Values(m)
		if err != nil {
			return nil, &MessageError{Index: i, Rule: "content", Why: err.Error()}
		}
		if err := s.check(ctx, out[:i], m); err != nil {
			var wrong *MessageError
			if errors.As(err, &wrong) {
				wrong.Index = i
			}
			return nil, err
		}
		out[i] = m
	}
	return out, nil
}

// draft returns the draft that a message is written as.
func (s *Session) draft(m *message.Message) session.Draft {
	m = m.Clone()
	m.Content = storable(m.Content)
	if m.Time.IsZero() {
		m.Time = s.opts.Now()
	}
	if m.Role == message.RoleCustom {
		return session.CustomMessageDraft(m.CustomType, m.Content)
	}
	return session.MessageDraft(m)
}

// storable is content as the log can hold it: valid text, arguments on one
// line.
func storable(content []message.Block) []message.Block {
	out := content[:0:0]
	for _, b := range content {
		switch b := b.(type) {
		case message.Text:
			b.Text = safetext.Sanitize(b.Text)
			out = append(out, b)
		case message.ToolCall:
			b.Arguments = arguments(b.Arguments)
			out = append(out, b)
		default:
			out = append(out, b)
		}
	}
	return out
}

// arguments returns a call's arguments in the form that the log stores. What is
// not JSON becomes a string.
func arguments(raw []byte) []byte {
	switch {
	case strings.TrimSpace(string(raw)) == "":
		return []byte("{}")
	case !rawjson.Valid(raw):
		return rawjson.Quote(string(raw))
	}
	return rawjson.JS(raw)
}

// check finds what is wrong with a message that follows others.
func (s *Session) check(ctx context.Context, before []*message.Message, m *message.Message) error {
	wrong := func(rule, format string, args ...any) error {
		return &MessageError{Rule: rule, Why: fmt.Sprintf(format, args...)}
	}
	if m == nil {
		return wrong("role", "it is nil")
	}
	switch m.Role {
	case message.RoleUser, message.RoleCustom:
		if !shows(m) {
			return wrong("content", "it has no content to show")
		}
		if why := foreignBlock(m.Content); why != "" {
			return wrong("content", "%s", why)
		}
	case message.RoleAssistant:
		if !shows(m) && !m.Failed() {
			return wrong("content", "it has no content to show")
		}
		seen := map[string]bool{}
		for _, c := range m.ToolCalls() {
			if c.ID == "" || c.Name == "" || seen[c.ID] {
				return wrong("call", "a call needs a name and a unique id")
			}
			seen[c.ID] = true
		}
	case message.RoleToolResult:
		if why := foreignBlock(m.Content); why != "" {
			return wrong("content", "%s", why)
		}
		return s.checkResult(ctx, before, m)
	case message.RoleBashExecution:
		if m.Bash == nil || strings.TrimSpace(m.Bash.Command) == "" {
			return wrong("content", "it has no command")
		}
	case message.RoleSystem:
		return wrong("role", "the prompt is set by SetPrompt")
	default:
		return wrong("role", "a message with the role %q cannot be said", m.Role)
	}
	return nil
}

// shows reports whether a message has anything that a request can show.
func shows(m *message.Message) bool {
	return slices.ContainsFunc(m.Content, func(b message.Block) bool {
		t, isText := b.(message.Text)
		return b != nil && (!isText || strings.TrimSpace(t.Text) != "")
	})
}

// foreignBlock says which block does not belong in a user message or a result;
// "": none.
func foreignBlock(content []message.Block) string {
	for i, b := range content {
		switch b := b.(type) {
		case message.ToolCall, message.Thinking:
			return fmt.Sprintf("block %d is a %T: only the model makes those", i, b)
		case message.Image:
			if b.Data == "" {
				return fmt.Sprintf("block %d is an image without data", i)
			}
		}
	}
	return ""
}

func asks(calls []turn.Call, id string) bool {
	return slices.ContainsFunc(calls, func(c turn.Call) bool { return c.ID == id })
}

// keeps reports whether an edit leaves a call in what is shown.
func keeps(ed *session.ContextEdit, id string) bool {
	return !ed.Omit && slices.ContainsFunc(ed.Content, func(b message.Block) bool { c, ok := b.(message.ToolCall); return ok && c.ID == id })
}

// checkShown fails if the view does not show a call that an edit removes: its
// result would not be shown either. A pin takes precedence over the edit.
func (s *Session) checkShown(ctx context.Context, id string) error {
	v, err := s.View(ctx)
	if err != nil || slices.ContainsFunc(v.Items, func(it timeline.Item) bool { return asks(it.Meta().Calls, id) }) {
		return err
	}
	return &MessageError{Rule: "hidden-call", Why: fmt.Sprintf("the answer with the call %q is hidden, so its result would never be shown", id)}
}

// checkResult looks for the call of a result: among the messages said with it,
// else back along the path.
func (s *Session) checkResult(ctx context.Context, before []*message.Message, m *message.Message) error {
	calls := func(b *message.Message) bool {
		return b.Role == message.RoleAssistant && !b.Failed() && slices.ContainsFunc(b.ToolCalls(), func(c message.ToolCall) bool { return c.ID == m.ToolCallID })
	}
	if m.ToolCallID != "" && slices.ContainsFunc(before, calls) {
		return nil
	}
	edits := map[string]*session.ContextEdit{} // the newest of each target
	e, err := s.log.Leaf(ctx)
	for ; e != nil && err == nil && m.ToolCallID != ""; e, err = s.log.Parent(ctx, e) {
		if ed := e.ContextEdit(); ed != nil && edits[ed.TargetID] == nil {
			edits[ed.TargetID] = ed
		}
		if said := e.Meta(); !said.Failed() && asks(said.Calls, m.ToolCallID) {
			if ed := edits[e.ID]; ed != nil && !keeps(ed, m.ToolCallID) {
				return s.checkShown(ctx, m.ToolCallID)
			}
			return nil
		}
	}
	if err != nil {
		return err
	}
	return &MessageError{Rule: "unpaired-result", Why: fmt.Sprintf("no answer on the current path has a call with the id %q", m.ToolCallID)}
}

func (s *Session) write(ctx context.Context, drafts ...session.Draft) ([]*session.Entry, error) {
	entries, err := s.log.Append(ctx, drafts...)
	if err != nil {
		return nil, fmt.Errorf("write the session: %w", err)
	}
	return entries, nil
}

// writeMessages appends messages, and before them the state of automatic
// compaction if that has changed.
func (s *Session) writeMessages(ctx context.Context, drafts ...session.Draft) ([]*session.Entry, error) {
	all, failed := s.withState(drafts)
	entries, err := s.write(ctx, all...)
	if err != nil {
		failed()
		return nil, err
	}
	return entries[len(all)-len(drafts):], nil
}
