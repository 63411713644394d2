package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What the generator writes is a session that both steps can be measured on.
func TestGeneratedSessionsCanBeMeasured(t *testing.T) {
	for _, tt := range []struct {
		kind          string
		entries       int
		context, plan string
	}{
		{"plain", 900, "900 messages", "summarized, kept from"},
		{"compacted", 900, "messages", "summarized, kept from"},
		{"branched", 900, "messages", "summarized, kept from"},
	} {
		t.Run(tt.kind, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "s.jsonl")
			if err := writeSession(tt.kind, tt.entries, path); err != nil {
				t.Fatal(err)
			}
			raw, err := os.ReadFile(path)
			if err != nil || strings.Count(string(raw), "\n") != tt.entries+1 {
				t.Fatalf("%d lines (%v), want a header and %d entries", strings.Count(string(raw), "\n"), err, tt.entries)
			}
			for s, want := range map[step]string{stepContext: tt.context, stepPlan: tt.plan} {
				answer, err := perform(context.Background(), s, path)
				if err != nil || !strings.Contains(answer, want) {
					t.Errorf("%s: %q (%v), want %q", s, answer, err, want)
				}
			}
		})
	}
}

func TestRowsThatDisagreeAreAnError(t *testing.T) {
	same := row{results: [][]result{{{Answer: "a"}}, {{Answer: "a"}}}}
	if err := same.agree(); err != nil {
		t.Error(err)
	}
	other := row{results: [][]result{{{Answer: "a"}}, {{Answer: "b"}}}}
	if other.agree() == nil {
		t.Error("different answers agree")
	}
}

func TestTables(t *testing.T) {
	ours := []result{{Milliseconds: []float64{4, 2, 3}, PeakBytes: 12 << 20, Answer: "x"}}
	theirs := []result{{Milliseconds: []float64{900, 300, 600}, PeakBytes: 140 << 20, Answer: "x"}}
	programs := []*program{{name: "coppice", idle: 10 << 20}, {name: "pi", idle: 100 << 20}}
	var out strings.Builder
	if err := printTables(&out, programs, []row{{kind: "plain", entries: 1000, step: stepContext, results: [][]result{ours, theirs}}}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| plain, 1k entries | context | 200 × | 150 × | 20.0 × |",
		"| plain, 1k entries | context | 3.00 | 2.00 | 2.00 | 600 | 300 | 40.0 | x |",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}
