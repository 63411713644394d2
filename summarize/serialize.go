package summarize

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/coppice-dev/coppice/internal/prose"
	"github.com/coppice-dev/coppice/internal/quote"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/internal/safetext"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/timeline"
)

// resultLimit is where tool results and long string arguments are cut, in
// UTF-16 code units.
const resultLimit = 2000

// SerializeOptions are the choices of a serialization. The zero value is the
// usual one.
type SerializeOptions struct {
	// ResultLimit is where tool results and tool-call arguments are cut, in
	// UTF-16 code units. 0: resultLimit.
	ResultLimit int
	// Mask hides secrets. nil: the known shapes, and the values of secret variables of the environment.
	Mask func(string) string
}

// SerializeConversation writes messages as a transcript for a summarizer:
// one block per message as models understand it ([timeline.ToLLM]), blank lines
// between.
//
//	[User]: text
//	[User, command]: /name arguments
//	[Harness]: what a program put into the user's message
//	[Assistant]: text
//	[Assistant tool calls]: read(path="a.go"); bash(command="make")
//	[Tool result]: (bash, error)
//	text
//
// The second line of a result names the tool and says whether it failed; it is
// left out if there is neither to say. Thinking is left out, images are stubs,
// long tool results and arguments are shortened with the number of characters
// left out, secrets are masked, and look-alikes of our markers are escaped. The
// result is valid UTF-8 and no character is torn.
func SerializeConversation(msgs []*message.Message, o SerializeOptions) string {
	s := newSerializer(o)
	var blocks []string
	for _, m := range msgs {
		if text := s.message(m); text != "" {
			blocks = append(blocks, text)
		}
	}
	return strings.Join(blocks, "\n\n")
}

type serializer struct {
	limit int
	mask  func(string) string
	entry string // that holds the message; "": not known
	// list reports whether a call writes a list of work that a later one
	// replaces; nil: none.
	list func(message.ToolCall) bool
}

func newSerializer(o SerializeOptions) serializer {
	s := serializer{limit: o.ResultLimit, mask: maskOr(o.Mask)}
	if s.limit <= 0 {
		s.limit = resultLimit
	}
	return s
}

// message returns the block of one message, or "" if it shows nothing.
func (s serializer) message(m *message.Message) string {
	said := roleOf(m)
	m = timeline.ToLLM(m)
	if m == nil {
		return ""
	}
	switch m.Role {
	case message.RoleUser:
		switch said {
		case message.RoleUser:
			return s.user(m)
		case message.RoleBashExecution: // the user ran it
			return labelledBlock("User", joinParts(s.clean(m.Text("")), s.stubs(m.Content)))
		}
		return labelledBlock("Harness", joinParts(s.clean(m.Text("")), s.stubs(m.Content)))
	case message.RoleAssistant:
		return s.assistant(m)
	case message.RoleToolResult:
		return s.result(m)
	}
	return ""
}

// user tells what the user typed from what programs put into the message:
// surroundings, attached files, the text of a command or a skill. What is too
// long to be told apart is the user's.
func (s serializer) user(m *message.Message) string {
	const most = 48 << 10 // bytes, as far as prose.Own reads
	text := m.Text("")
	if len(text) > most {
		return labelledBlock("User", joinParts(s.clean(text), s.stubs(m.Content)))
	}
	w := prose.Own(text)
	var blocks []string
	add := func(label, text string) {
		if b := labelledBlock(label, text); b != "" {
			blocks = append(blocks, b)
		}
	}
	rest := text
	switch {
	case w.Command != "":
		add("User, command", s.clean(w.Command))
		for _, name := range []string{"command-name", "command-message", "command-args"} {
			rest = withoutElement(rest, name)
		}
	case w.Own != "" && strings.Contains(text, w.Own):
		add("User", s.clean(w.Own))
		rest = strings.Replace(text, w.Own, "", 1)
	case w.Own != "": // its parts are not next to each other
		add("User", s.clean(text))
		rest = ""
	}
	if strings.IndexFunc(rest, unicode.IsLetter) >= 0 {
		label := "Harness"
		if w.Skill != "" {
			label += ", skill " + s.name(w.Skill)
		}
		add(label, quote.Escape(shortenMiddle(s.mask(safetext.Sanitize(strings.TrimSpace(rest))), s.limit)))
	}
	if stubs := s.stubs(m.Content); stubs != "" && len(blocks) > 0 {
		blocks[0] = joinParts(blocks[0], stubs)
	} else {
		add("User", stubs)
	}
	return strings.Join(blocks, "\n\n")
}

// withoutElement takes the first element of that name out of a text.
func withoutElement(text, name string) string {
	before, rest, ok := strings.Cut(text, "<"+name+">")
	_, after, closed := strings.Cut(rest, "</"+name+">")
	if !ok || !closed {
		return text
	}
	return before + after
}

func labelledBlock(label, text string) string {
	if text == "" {
		return ""
	}
	return "[" + label + "]: " + text
}

func (s serializer) assistant(m *message.Message) string {
	var blocks []string
	if text := joinParts(s.clean(m.Text("\n")), s.stubs(m.Content)); text != "" {
		blocks = append(blocks, "[Assistant]: "+text)
	}
	var calls []string
	for _, c := range m.ToolCalls() {
		calls = append(calls, s.call(c))
	}
	if len(calls) > 0 {
		blocks = append(blocks, "[Assistant tool calls]: "+strings.Join(calls, "; "))
	}
	return strings.Join(blocks, "\n\n")
}

func (s serializer) result(m *message.Message) string {
	text := s.mask(safetext.Sanitize(m.Text("")))
	text = shortenMiddle(text, s.limit)
	if strings.TrimSpace(text) == "" {
		text = ""
	}
	text = joinParts(quote.Escape(text), s.stubs(m.Content))
	var about []string
	if name := s.name(m.ToolName); name != "" {
		about = append(about, name)
	}
	if m.IsError {
		about = append(about, "error")
	}
	switch {
	case text == "" && !m.IsError:
		return ""
	case len(about) == 0:
		return "[Tool result]: " + text
	}
	return "[Tool result]: " + joinParts("("+strings.Join(about, ", ")+")", text)
}

// clean prepares every text for the transcript. Masking comes first: a secret
// that was cut or escaped no longer looks like one.
func (s serializer) clean(text string) string {
	if strings.TrimSpace(text) == "" {
		return ""
	}
	return quote.Escape(s.mask(safetext.Sanitize(text)))
}

// name shows a tool name, which is text from outside too. What is cut off a
// word can make a tag of it, so it is escaped once more.
func (s serializer) name(name string) string {
	return quote.Escape(safetext.CutHead(strings.Join(strings.Fields(s.clean(name)), " "), 80))
}

// call shows a tool call as name(key=JSON, key=JSON), arguments in their order.
func (s serializer) call(c message.ToolCall) string {
	if s.list != nil && s.list(c) {
		return s.name(c.Name) + "([a later list replaces this one])"
	}
	var args []string
	if rawjson.Kind(c.Arguments) == '{' {
		for k, v := range rawjson.Members(c.Arguments) {
			args = append(args, k+"="+s.argument(v))
		}
	} else if len(c.Arguments) > 0 {
		args = append(args, s.argument(c.Arguments))
	}
	// Once more over the whole: a name like password makes its value a secret.
	return s.name(c.Name) + "(" + s.clean(strings.Join(args, ", ")) + ")"
}

// argument is one value as JSON. Strings are shortened inside their quotes,
// which keeps the contents of file writes short and the JSON readable.
func (s serializer) argument(v []byte) string {
	if rawjson.Kind(v) == '"' {
		text := s.mask(rawjson.String(v))
		if cut := safetext.CutHead(text, s.limit); cut != text {
			return string(rawjson.Quote(cut)) + leftOut(text, cut)
		}
		return string(rawjson.Quote(text))
	}
	return shorten(string(s.masked(nil, v, maxDepth)), s.limit)
}

// maxDepth bounds how deep arguments are walked; what is deeper is masked as
// raw text. Walking each level again would be slow on hostile nesting.
const maxDepth = 16

// masked appends v with every string in it masked as text, not as JSON: a
// secret that holds an escape looks different when quoted.
func (s serializer) masked(out, v []byte, depth int) []byte {
	kind := rawjson.Kind(v)
	switch {
	case kind == '"':
		return append(out, rawjson.Quote(s.mask(rawjson.String(v)))...)
	case kind == '{' && depth > 0:
		sep := byte('{')
		for k, e := range rawjson.Members(v) {
			out = append(append(append(out, sep), rawjson.Quote(k)...), ':')
			out = s.masked(out, e, depth-1)
			sep = ','
		}
		if sep == '{' {
			out = append(out, '{')
		}
		return append(out, '}')
	case kind == '[' && depth > 0:
		sep := byte('[')
		for e := range rawjson.Elements(v) {
			out = s.masked(append(out, sep), e, depth-1)
			sep = ','
		}
		if sep == '[' {
			out = append(out, '[')
		}
		return append(out, ']')
	}
	return append(out, s.mask(safetext.Sanitize(string(v)))...)
}

// stubs replaces the content that is not text.
func (s serializer) stubs(content []message.Block) string {
	var out []string
	for _, b := range content {
		switch b := b.(type) {
		case message.Image:
			at := ""
			if s.entry != "" {
				at = ", at en:" + s.entry
			}
			out = append(out, fmt.Sprintf("[image: %s, %s%s]", s.mime(b.MIMEType), size(len(b.Data)), at))
		case message.Opaque:
			out = append(out, fmt.Sprintf("[content of type %q, left out]", s.name(b.Type)))
		}
	}
	return strings.Join(out, "\n")
}

func (s serializer) mime(t string) string {
	if t = s.name(t); t != "" {
		return t
	}
	return "unknown type"
}

// size returns, in words, how large the content of so many base64 characters
// is.
func size(base64 int) string {
	n := base64 / 4 * 3
	if n < 1024 {
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%d KB", (n+512)/1024)
}

// shorten keeps the head of a text and says how much is missing.
func shorten(text string, limit int) string {
	head := safetext.CutHead(text, limit)
	if head == text {
		return text
	}
	return head + "\n\n" + leftOut(text, head)
}

// shortenMiddle keeps head and tail: what went wrong usually is at the end.
func shortenMiddle(text string, limit int) string {
	if safetext.CutHead(text, limit) == text {
		return text
	}
	head := safetext.CutHead(text, limit/2)
	tail := safetext.CutTail(text[len(head):], limit-limit/2)
	return head + "\n\n" + leftOut(text, head+tail) + "\n\n" + tail
}

func leftOut(text, kept string) string {
	return fmt.Sprintf("[... %d more characters left out]", safetext.UTF16Len(text)-safetext.UTF16Len(kept))
}

// joinParts joins two parts by a line end, without empty ones.
func joinParts(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n" + b
}
