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

// A session that has outgrown its window is compacted, then the compaction is
// undone.
func Example() {
	ctx := context.Background()
	s, err := coppice.Open(ctx, sampleCopy(), coppice.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()

	size, _ := s.Size(ctx)
	fmt.Println("over the threshold:", size.Over())

	out, err := s.Compact(ctx, compaction.Request{Focus: "the failing test"})
	if err != nil {
		log.Fatal(err)
	}
	size, _ = s.Size(ctx)
	fmt.Println(out.Status, "by", out.Rung, "- fits:", !size.Over())

	undone, _ := s.Uncompact(ctx)
	fmt.Println("taken back:", undone.Status)
	// Output:
	// over the threshold: true
	// applied by extract - fits: true
	// taken back: applied
}

// The next request, byte for byte the same for the same session.
func ExampleSession_Fit() {
	ctx := context.Background()
	s, err := coppice.InMemory(ctx, coppice.Options{Facts: message.Model{API: "openai-chat"}})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := s.Say(ctx, message.User("hello")); err != nil {
		log.Fatal(err)
	}
	p, err := s.Fit(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(p.Body))
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
