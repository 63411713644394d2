package main

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"time"

	"github.com/coppice-dev/coppice/internal/codec"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
)

// writer writes sessions of the same shape as the generator for Node: a cycle of
// a request, a call with a large result, a call with a small one and a final
// answer, 1.6 KB an entry.
type writer struct {
	out    *bufio.Writer
	rng    *rand.Rand
	time   time.Time
	parent string
	recent []string
	total  int
	place  int // in the cycle
	call   message.ToolCall
}

// writeSession writes a session of n entries.
func writeSession(kind string, n int, path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w := &writer{out: bufio.NewWriter(f), rng: rand.New(rand.NewPCG(1, 2)), time: time.UnixMilli(1767225600000).UTC()}
	header := session.Header{ID: "019b7000-0000-7000-8000-000000000001", Cwd: "/srv/proj"}.Complete(w.time)
	w.line(header.Raw)
	for w.total < n {
		switch {
		case kind == kindCompacted && w.total > 0 && w.total%400 == 0:
			d := session.CompactionDraft(&session.Compaction{Summary: w.text(4000), FirstKeptEntryID: w.recent[10], TokensBefore: 180_000})
			w.entry(string(d.Type), string(d.Body))
			w.place = 0
		case kind == kindBranched && w.total > 0 && w.total%50 == 0:
			parent, place := w.parent, w.place
			for range min(10, n-w.total) {
				w.step()
			}
			w.parent, w.place = parent, place
			w.step()
		default:
			w.step()
		}
	}
	if err := w.out.Flush(); err != nil {
		return err
	}
	return f.Close()
}

func (w *writer) step() {
	defer func() { w.place++ }()
	switch w.place % 6 {
	case 0:
		w.message(&message.Message{Role: message.RoleUser, Content: text(w.text(400))})
	case 1:
		w.nextCall("read")
		w.assistant(message.StopToolUse, message.Thinking{Thinking: w.text(250), Signature: "c2ln"}, message.Text{Text: w.text(200)}, w.call)
	case 2:
		w.message(&message.Message{Role: message.RoleToolResult, ToolCallID: w.call.ID, ToolName: w.call.Name, Content: text(w.text(4096))})
	case 3:
		w.nextCall("write")
		w.assistant(message.StopToolUse, message.Text{Text: w.text(350)}, w.call)
	case 4:
		w.message(&message.Message{Role: message.RoleToolResult, ToolCallID: w.call.ID, ToolName: w.call.Name, Content: text(w.text(600))})
	case 5:
		w.assistant(message.StopEnd, message.Text{Text: w.text(900)})
	}
}

func text(s string) []message.Block { return []message.Block{message.Text{Text: s}} }

func (w *writer) nextCall(name string) {
	args := fmt.Sprintf(`{"path":"src/core/module%d.ts"}`, w.rng.IntN(80))
	w.call = message.ToolCall{ID: fmt.Sprintf("toolu_%020d", w.total), Name: name, Arguments: []byte(args)}
}

func (w *writer) assistant(stop message.StopReason, content ...message.Block) {
	w.message(&message.Message{Role: message.RoleAssistant, Content: content, API: "anthropic-messages", Provider: "anthropic",
		Model: "claude-opus-4-5", StopReason: stop, Usage: &message.Usage{Input: 12, Output: 220, CacheRead: 100_000, CacheWrite: 268, TotalTokens: 100_500}})
}

func (w *writer) message(m *message.Message) {
	m.Time = w.time
	d := session.MessageDraft(m)
	w.entry(string(d.Type), string(d.Body))
}

func (w *writer) entry(typ, body string) {
	id := fmt.Sprintf("%08x", 0x10000000+w.total)
	parent := "null"
	if w.parent != "" {
		parent = `"` + w.parent + `"`
	}
	w.line(fmt.Appendf(nil, `{"type":%q,"id":%q,"parentId":%s,"timestamp":%q,%s`, typ, id, parent, codec.FormatTime(w.time), strings.TrimPrefix(body, "{")))
	w.parent = id
	w.recent = append(w.recent, id)[max(0, len(w.recent)-39):]
	w.total++
	w.time = w.time.Add(1500 * time.Millisecond)
}

// line writes a line; an error stays in the buffered writer until Flush.
func (w *writer) line(raw []byte) {
	w.out.Write(raw)
	w.out.WriteByte('\n')
}

var words = strings.Fields("the file session compaction branch error returned from function parse token context model read write export import return await type string number test index node stack trace line column value map filter path")

// text is n characters of words, with line feeds and quotation marks among them.
func (w *writer) text(n int) string {
	var b strings.Builder
	for b.Len() < n {
		b.WriteString(words[w.rng.IntN(len(words))])
		switch r := w.rng.IntN(100); {
		case r < 8:
			b.WriteByte('\n')
		case r < 12:
			b.WriteString(`("x");`)
		default:
			b.WriteByte(' ')
		}
	}
	return b.String()[:n]
}
