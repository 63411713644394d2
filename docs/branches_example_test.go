package docs_test

import (
	"context"
	"fmt"
	"log"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/compaction"
)

func Example_navigate() {
	ctx := context.Background()
	s, err := coppice.Open(ctx, sample(), coppice.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()

	n, err := s.Navigate(ctx, compaction.Navigation{Target: "24829fde", Summarize: new(true), Focus: "the failing test"})
	if err != nil {
		log.Fatal(err)
	}
	b := n.Summary.BranchSummary()
	fmt.Println(n.Status, "- from", b.FromID, "with", len(b.ModifiedFiles), "changed files, by", n.Rung)

	back, err := s.Navigate(ctx, compaction.Navigation{Target: b.FromID})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("back, and said anew:", back.Route.EditorText[:28])
	// Output:
	// applied - from bb71e4c6 with 39 changed files, by extract
	// back, and said anew: Fix the failing test first,
}
