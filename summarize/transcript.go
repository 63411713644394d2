package summarize

import (
	"strings"

	udiff "github.com/aymanbagabas/go-udiff"

	"github.com/coppice-dev/coppice/internal/calls"
	"github.com/coppice-dev/coppice/internal/safetext"
	"github.com/coppice-dev/coppice/message"
)

// transcript serializes rounds with tool output cut at limit.
func transcript(rounds []round, limit int, mask func(string) string) string {
	return newTranscriber(rounds, limit, mask).write(rounds)
}

// transcriber serializes rounds one after the other. It knows what it has
// written: the same output of the same call comes once, a list of work as it is
// at the end.
type transcriber struct {
	serializer
	written  map[string]string // the latest output of a call, by the call
	callOf   map[string]string // the call, by its id
	lastList string            // id of the call that leaves the list of work as it is at the end
}

// newTranscriber prepares for rounds, of which each is written at most once, in
// order.
func newTranscriber(rounds []round, limit int, mask func(string) string) *transcriber {
	t := &transcriber{serializer: newSerializer(SerializeOptions{ResultLimit: limit, Mask: mask}),
		written: map[string]string{}, callOf: map[string]string{}}
	for _, r := range rounds {
		for _, src := range r.sources {
			if roleOf(src.Message) != message.RoleAssistant {
				continue
			}
			for _, c := range src.Message.ToolCalls() {
				if wholeList(c) {
					t.lastList = c.ID
				}
			}
		}
	}
	t.list = func(c message.ToolCall) bool { return wholeList(c) && c.ID != t.lastList }
	return t
}

// wholeList reports whether a call writes the whole list of work.
func wholeList(c message.ToolCall) bool {
	change, ok := calls.TasksOf(calls.Name(c.Name), calls.ArgsOf(c))
	return ok && change.All
}

// write returns the blocks of rounds, with blank lines between.
func (t *transcriber) write(rounds []round) string {
	var blocks []string
	for _, r := range rounds {
		if r.text != "" {
			blocks = append(blocks, r.text)
			continue
		}
		for _, src := range r.sources {
			t.entry = src.EntryID
			if text := t.message(t.unrepeated(src.Message)); text != "" {
				blocks = append(blocks, text)
			}
		}
	}
	return strings.Join(blocks, "\n\n")
}

// leastRepeated is the shortest output that is not written again, in bytes.
const leastRepeated = 400

// unrepeated returns a message without output that was written before: a tool
// result with the same call and the same text says so, one with nearly the
// same text has what changed.
func (t *transcriber) unrepeated(m *message.Message) *message.Message {
	switch roleOf(m) {
	case message.RoleAssistant:
		for _, c := range m.ToolCalls() {
			t.callOf[c.ID] = c.Name + " " + string(c.Arguments)
		}
	case message.RoleToolResult:
		call, text := t.callOf[m.ToolCallID], m.Text("")
		if call == "" || m.IsError || len(text) < leastRepeated {
			return m
		}
		before, again := t.written[call]
		t.written[call] = text
		if !again {
			return m
		}
		if said := t.repeated(before, text); said != "" {
			short := *m
			short.Content = []message.Block{message.Text{Text: said}}
			return &short
		}
	}
	return m
}

// repeated says how a text differs from the one before it, or is "" where that
// is not shorter.
func (t *transcriber) repeated(before, text string) string {
	if before == text {
		return "[the same output as the last time]"
	}
	const most = 64 << 10 // bytes: a diff of more takes long
	if len(before)+len(text) > most {
		return ""
	}
	diff := udiff.Unified("before", "now", before, text)
	_, diff, _ = strings.Cut(diff, "\n") // the names of the files
	_, diff, _ = strings.Cut(diff, "\n")
	if shown := min(safetext.UTF16Len(text), t.limit); safetext.UTF16Len(diff) > shown/2 {
		return ""
	}
	return "[what changed since the last time]\n" + diff
}
