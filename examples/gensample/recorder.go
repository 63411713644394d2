package main

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/coppice-dev/coppice/internal/codec"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/internal/safetext"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
)

// model is the model that answers, with its prices in dollars per million tokens.
type model struct {
	api, provider, id string
	price             message.Price
}

// recorder writes the session entry by entry, with its own clock and ids, so that
// each run writes the same bytes.
type recorder struct {
	out   bytes.Buffer
	ws    workspace
	rng   *rand.Rand
	now   time.Time
	leaf  string
	model model

	size   map[string]int64 // estimated tokens from the root to an entry
	cached int64            // tokens of the last prompt, which the provider has in its cache
}

// fixedPart is the size of system prompt and tools in tokens. They are not in the
// log, but usage includes them.
const fixedPart = 5900

func newRecorder() *recorder {
	return &recorder{ws: newWorkspace(), rng: rand.New(rand.NewPCG(20260302, 7)),
		now: time.Date(2026, 3, 2, 9, 14, 3, 120e6, time.UTC), size: map[string]int64{}}
}

func (r *recorder) header() {
	h := session.Header{ID: "019cad5c-1d70-7c3a-9f42-5e1b0c6a7d21", Time: r.now, Cwd: "/home/ines/src/ledgerline"}
	r.out.Write(h.Complete(r.now).Raw)
	r.out.WriteByte('\n')
}

// wait lets time pass: between about half and one and a half of mean.
func (r *recorder) wait(mean time.Duration) {
	r.now = r.now.Add(mean/2 + time.Duration(r.rng.Int64N(int64(mean))).Truncate(time.Millisecond))
}

// entry appends an entry of a type with further fields, as name and JSON.
func (r *recorder) entry(typ session.Type, fields ...any) string {
	id := fmt.Sprintf("%08x", r.rng.Uint32())
	parent := []byte("null")
	if r.leaf != "" {
		parent = rawjson.Quote(r.leaf)
	}
	raw := rawjson.Set([]byte("{}"), "type", rawjson.Quote(string(typ)))
	raw = rawjson.Set(raw, "id", rawjson.Quote(id))
	raw = rawjson.Set(raw, "parentId", parent)
	raw = rawjson.Set(raw, "timestamp", rawjson.Quote(codec.FormatTime(r.now)))
	for i := 0; i < len(fields); i += 2 {
		v, ok := fields[i+1].([]byte)
		if !ok {
			v = rawjson.Quote(fields[i+1].(string))
		}
		raw = rawjson.Set(raw, fields[i].(string), v)
	}
	r.out.Write(raw)
	r.out.WriteByte('\n')
	r.size[id] = r.size[r.leaf]
	r.leaf = id
	return id
}

func (r *recorder) message(m *message.Message) string {
	id := r.entry(session.TypeMessage, "message", codec.Encode(m))
	r.size[id] += estimate(m)
	return id
}

// estimate is characters/4, and 1,200 for an image.
func estimate(m *message.Message) int64 {
	chars, images := 0, 0
	for _, b := range m.Content {
		switch b := b.(type) {
		case message.Text:
			chars += safetext.UTF16Len(b.Text)
		case message.Thinking:
			chars += safetext.UTF16Len(b.Thinking)
		case message.ToolCall:
			chars += len(b.Name) + safetext.UTF16Len(string(b.Arguments))
		case message.Image:
			images++
		}
	}
	if m.Bash != nil {
		chars += safetext.UTF16Len(m.Bash.Command + m.Bash.Output)
	}
	return int64((chars+3)/4 + 1200*images)
}

// use changes the model.
func (r *recorder) use(m model) {
	r.model, r.cached = m, 0
	r.entry(session.TypeModelChange, "provider", m.provider, "modelId", m.id)
}

func (r *recorder) thinking(level string) {
	r.entry(session.TypeThinkingLevel, "thinkingLevel", level)
}

// user appends what the user says, with images if there are any.
func (r *recorder) user(text string, images ...message.Block) string {
	r.wait(3 * time.Minute)
	return r.message(&message.Message{Role: message.RoleUser, Time: r.now,
		Content: append([]message.Block{message.Text{Text: text}}, images...)})
}

// shell appends a command that the user ran.
func (r *recorder) shell(command, output string) {
	r.wait(20 * time.Second)
	ok := 0
	r.message(&message.Message{Role: message.RoleBashExecution, Time: r.now,
		Bash: &message.BashExecution{Command: command, Output: output, ExitCode: &ok}})
}

// assistant appends one answer of the model.
func (r *recorder) assistant(stop message.StopReason, content []message.Block) {
	began := r.now
	r.wait(9 * time.Second)
	m := &message.Message{Role: message.RoleAssistant, Content: content, Time: began,
		API: r.model.api, Provider: r.model.provider, Model: r.model.id, StopReason: stop}
	m.Usage = r.usage(estimate(m))
	if stop == message.StopAborted {
		m.Usage, m.ErrorMessage = &message.Usage{}, "Request was aborted"
	}
	r.message(m)
}

// usage counts a call like a provider: the prompt is fixed part and context,
// a little more than the estimate; what the last call had is in the cache.
func (r *recorder) usage(output int64) *message.Usage {
	prompt := fixedPart + r.size[r.leaf]*102/100
	u := message.Usage{Input: prompt, Output: output}
	u.CacheRead = min(r.cached, prompt)
	u.Input -= u.CacheRead
	if r.model.api == "anthropic-messages" {
		u.CacheWrite = max(u.Input-4, 0)
		u.Input -= u.CacheWrite
	}
	u.TotalTokens = prompt + output
	u.Cost = *message.Model{Price: &r.model.price}.Cost(u)
	r.cached = prompt
	return &u
}

// goBack moves to an earlier entry: what follows is another branch.
func (r *recorder) goBack(id string) { r.leaf, r.cached = id, 0 }

// think is a thinking block. Its signature looks real, and says that it is not.
func (r *recorder) think(text string) message.Block {
	if r.model.api != "anthropic-messages" {
		return message.Thinking{Thinking: text, Signature: "reasoning_content"}
	}
	note := fmt.Sprintf("sample signature, signs nothing: %016x%016x", r.rng.Uint64(), r.rng.Uint64())
	return message.Thinking{Thinking: text, Signature: base64.StdEncoding.EncodeToString([]byte(strings.Repeat(note, 3)))}
}
