package dialects

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/coppice-dev/coppice/internal/codec"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/internal/testkit/corpus"
	"github.com/coppice-dev/coppice/internal/testkit/wiretest"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/timeline"
)

// Real sessions render to valid requests in every dialect.
func TestCorpus(t *testing.T) {
	for _, file := range corpus.Files(t, "pi") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			req := timeline.Request{System: "s", Messages: completeRounds(readMessages(t, file))}
			req.CachePoints = []int{len(req.Messages) - 1}
			for _, d := range All() {
				wiretest.Check(t, d, render(t, d, req, message.Model{}, message.CallOptions{}), message.Model{})
			}
		})
	}
}

func readMessages(t *testing.T, file string) []*message.Message {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []*message.Message
	for line := range bytes.Lines(data) {
		if msg := rawjson.Get(line, "message"); rawjson.Valid(line) && rawjson.Kind(msg) == '{' {
			out = append(out, codec.Decode(msg))
		}
	}
	return out
}

// completeRounds keeps what a timeline would show of a plain list: no failed
// answers, and calls only with their results, which come after them.
func completeRounds(messages []*message.Message) []*message.Message {
	var out []*message.Message
	for i, m := range messages {
		switch {
		case m.Role == message.RoleUser:
			out = append(out, m)
		case m.Role == message.RoleAssistant && !m.Failed():
			results := map[string]*message.Message{}
			for _, r := range messages[i+1:] {
				if r.Role == message.RoleAssistant {
					break
				}
				if r.Role == message.RoleToolResult {
					results[r.ToolCallID] = r
				}
			}
			round := []*message.Message{m}
			for _, c := range m.ToolCalls() {
				if r := results[c.ID]; r != nil {
					round = append(round, r)
				}
			}
			if len(round) == len(m.ToolCalls())+1 {
				out = append(out, round...)
			}
		}
	}
	return append(out, wiretest.User(wiretest.Text("go on")))
}
