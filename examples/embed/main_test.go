package main

import (
	"bytes"
	"context"
	"strconv"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/provider/fake"
	"github.com/coppice-dev/coppice/summarize"
)

// The loop reads sixty files of 3,000 tokens in a window of 32,000: old output is
// pruned and the conversation compacted along the way, each request fits and is
// marked for the cache, and the answer is streamed.
func TestWork(t *testing.T) {
	const files = 60
	var steps []fake.Step
	for i := range files {
		steps = append(steps, fake.Call("call"+strconv.Itoa(i), "cat", `{"path":"f`+strconv.Itoa(i)+`"}`))
	}
	server := fake.New(append(steps, fake.Say("All of them are alike."))...)
	defer server.Close()
	server.Window = 32_000

	seen := map[coppice.EventType]int{}
	applied, told := 0, ""
	ctx := coppice.Observe(context.Background(), func(e coppice.Event) {
		seen[e.Type]++
		told += e.Delta.TextDelta
		if e.Outcome != nil && e.Outcome.Status == compaction.Applied {
			applied++
		}
	})
	s, err := coppice.InMemory(ctx, coppice.Options{Model: server.Bind("anthropic"), Summarizer: &summarize.Ladder{Extract: true}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	err = work(ctx, s, "Compare the files.", func(c message.ToolCall) string {
		return c.ID + strings.Repeat(" The service keeps what it was told.", 330)
	})
	if err != nil || told != "All of them are alike." {
		t.Fatalf("%q, %v", told, err)
	}
	for i, r := range server.Requests() {
		if len(r.Problems) > 0 || r.Tokens > server.Window || !bytes.Contains(r.Body, []byte(`"cache_control"`)) {
			t.Errorf("request %d: %d tokens, %v", i, r.Tokens, r.Problems)
		}
	}
	if n := len(server.Requests()); n != files+1 || applied < 3 || seen[coppice.EventCompactionStart] != seen[coppice.EventCompactionEnd] {
		t.Errorf("%d requests, %d compactions, events %v", n, applied, seen)
	}
}

// A session that has outgrown its window unnoticed is rescued after the refusal.
func TestWorkRecovers(t *testing.T) {
	server := fake.New(fake.Say("Here I am again."))
	defer server.Close()
	server.Window = 200_000
	model := server.Bind("openai-chat")
	server.Window = 20_000
	ctx := context.Background()
	s, err := coppice.InMemory(ctx, coppice.Options{Model: model, Summarizer: &summarize.Ladder{Extract: true}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for range 10 {
		if _, err := s.Say(ctx, message.User(strings.Repeat("It is as I said. ", 600)), &message.Message{Role: message.RoleAssistant,
			StopReason: message.StopEnd, Content: []message.Block{message.Text{Text: "Noted."}}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := work(ctx, s, "Go on.", nil); err != nil {
		t.Fatal(err)
	}
	v, err := s.View(ctx)
	if err != nil || v.Compaction == nil {
		t.Errorf("not compacted (%v)", err)
	}
}
