package coppice_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/message"
)

// A session that has outgrown its window is compacted and taken back.
func Example() {
	ctx := context.Background()
	s, err := coppice.Open(ctx, sampleCopy(), coppice.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()

	size, threshold, _ := s.Size(ctx, 0)
	fmt.Println("over the threshold:", size > threshold)

	out, err := s.Compact(ctx, compaction.Request{Focus: "the failing test"})
	if err != nil {
		log.Fatal(err)
	}
	size, _, _ = s.Size(ctx, 0)
	fmt.Println(out.Status, "by", out.Rung, "- fits:", size < threshold)

	undone, _ := s.Uncompact(ctx)
	fmt.Println("taken back:", undone.Status)
	// Output:
	// over the threshold: true
	// applied by extract - fits: true
	// taken back: applied
}

// A conversation in memory, as a request for a provider.
func ExampleSession_Request() {
	ctx := context.Background()
	s, _ := coppice.InMemory(ctx, coppice.Options{})
	_, _ = s.Say(ctx, &message.Message{Role: message.RoleUser, Content: []message.Block{message.Text{Text: "hello"}}})
	body, _ := s.Request(ctx, "openai-chat")
	fmt.Println(string(body))
	// Output: {"messages":[{"role":"user","content":"hello"}]}
}

// sampleCopy is a copy of the sample session that may be written to.
func sampleCopy() string {
	data, err := os.ReadFile(filepath.Join("examples", "sample-session.jsonl"))
	if err != nil {
		log.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "coppice-example-")
	if err != nil {
		log.Fatal(err)
	}
	path := filepath.Join(dir, "sample.jsonl")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		log.Fatal(err)
	}
	return path
}
