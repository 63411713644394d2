package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// What the generator writes is a session that every step can be measured on.
func TestGeneratedSessionsCanBeMeasured(t *testing.T) {
	for _, tt := range []struct{ kind, context, tree string }{
		{kindPlain, "900 messages", "900 entries, roots: 1, ends: 1"},
		{kindCompacted, "messages", "900 entries, roots: 1, ends: 1"},
		{kindBranched, "messages", "900 entries, roots: 1, ends: 18"},
	} {
		t.Run(tt.kind, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "s.jsonl")
			if err := writeSession(tt.kind, 900, path); err != nil {
				t.Fatal(err)
			}
			raw, err := os.ReadFile(path)
			if err != nil || strings.Count(string(raw), "\n") != 901 {
				t.Fatalf("%d lines (%v), want a header and 900 entries", strings.Count(string(raw), "\n"), err)
			}
			for s, want := range map[step]string{stepContext: tt.context, stepPlan: "summarized, kept from", stepTree: tt.tree} {
				answer, err := perform(context.Background(), s, path)
				if err != nil || !strings.Contains(answer, want) {
					t.Errorf("%s: %q (%v), want %q", s, answer, err, want)
				}
			}
		})
	}
}

func TestAppendsAreMeasuredOnACopy(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	if err := writeSession(kindPlain, 50, path); err != nil {
		t.Fatal(err)
	}
	c, err := newScratch(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []step{stepAppend, stepSynced} {
		r, err := measureAppends(context.Background(), s, c.path)
		if err != nil || len(r.Milliseconds) != 300 || r.Answer != "320 lines more" {
			t.Errorf("%s: %d times, %q (%v)", s, len(r.Milliseconds), r.Answer, err)
		}
		if err := c.reset(); err != nil {
			t.Fatal(err)
		}
	}
	old, err1 := os.ReadFile(path)
	again, err2 := os.ReadFile(c.path)
	if err := errors.Join(err1, err2); err != nil || string(old) != string(again) {
		t.Errorf("the copy is not what it was (%v)", err)
	}
}

func TestFolderIsListed(t *testing.T) {
	f := flags{data: t.TempDir()}
	if err := writeSession(kindPlain, 5000, filepath.Join(f.data, "plain-10000.jsonl")); err != nil {
		t.Fatal(err)
	}
	dir, err := generateFolder(context.Background(), f)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := perform(context.Background(), stepList, dir)
	if want := "100 sessions, newest of 2026-01-01T02:04:58.500Z"; err != nil || answer != want {
		t.Errorf("%q (%v), want %q", answer, err, want)
	}
}

func TestNamesOfRows(t *testing.T) {
	seen := map[string]bool{}
	for _, j := range jobs() {
		if seen[j.name()] {
			t.Errorf("%s twice", j.name())
		}
		seen[j.name()] = true
	}
	for _, name := range []string{"plain-10k/tree", "compacted-1M/context", "folder-100/list", "plain-1k/append-synced"} {
		if !seen[name] {
			t.Errorf("no row %s", name)
		}
	}
	for _, a := range aims {
		if !seen[a.job.name()] {
			t.Errorf("%s: no row %s", a.what, a.job.name())
		}
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
	without := row{results: [][]result{{{Answer: "a"}}, {{failure: "out of memory"}}}}
	if err := without.agree(); err != nil {
		t.Error(err)
	}
}

// The other program may end without a result, ours may not.
func TestProgramsThatFail(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("sh: not installed")
	}
	ctx := context.Background()
	script := func(body string) *program {
		return &program{name: "p", idle: 1, command: func(step, string) []string { return []string{sh, "-c", body} }}
	}
	good := script(`echo '{"ms":[1],"answer":"a"}'`)
	bad := script(`echo 'trace' >&2; echo 'RangeError: Invalid string length' >&2; exit 7`)
	resets := 0
	reset := func() error { resets++; return nil }
	results, err := takeTurns(ctx, []*program{good, bad}, stepContext, "f", 3, reset)
	if err != nil || len(results[0]) != 3 || len(results[1]) != 1 || results[1][0].failure != "RangeError: Invalid string length" {
		t.Errorf("results %+v (%v)", results, err)
	}
	if resets != 4 {
		t.Errorf("%d resets, want one after each process", resets)
	}
	if _, err := takeTurns(ctx, []*program{bad, good}, stepContext, "f", 1, reset); err == nil {
		t.Error("our failure is not an error")
	}
	_, err = script("exit 3").run(ctx, stepContext, "f")
	if err == nil || !strings.Contains(err.Error(), "exit status 3") {
		t.Errorf("error %v", err)
	}
}

func TestTables(t *testing.T) {
	ours := []result{{Milliseconds: []float64{4, 2, 3}, PeakBytes: 12 << 20, Answer: "x"}}
	theirs := []result{{Milliseconds: []float64{900, 300, 600}, PeakBytes: 140 << 20, Answer: "x"}}
	none := []result{{failure: "RangeError: Invalid string length"}}
	programs := []*program{{name: "coppice", idle: 10 << 20}, {name: "pi", idle: 100 << 20}}
	var out strings.Builder
	printTables(&out, programs, []row{
		{job{kindPlain, 1000, stepContext}, [][]result{ours, theirs}},
		{job{kindCompacted, 1000, stepContext}, [][]result{ours, theirs}},
		{job{kindPlain, 100_000, stepTree}, [][]result{ours, theirs}},
		{job{kindPlain, 100_000, stepAppend}, [][]result{ours, theirs}},
		{job{kindFolder, 100, stepList}, [][]result{ours, theirs}},
		{job{kindCompacted, million, stepContext}, [][]result{ours, none}},
	})
	for _, want := range []string{
		"| times faster / times less memory | 1k entries | 100k entries | 1M entries |",
		"| context, plain | 200 × / 20.0 × | | |",
		"| context, compacted | 200 × / 20.0 × | | 3.00 ms / 2.00 MB, alone |",
		"| append | | 200 × / 20.0 × | |",
		"A list of 100 sessions of mixed sizes: 200 × / 20.0 ×.",
		"pi gave no result for compacted-1M/context: `RangeError: Invalid string length`.",
		"| tree, 100k | 10 × | 200 × | reached |",
		"| open with context, 1M entries relative to 1k, a compaction near the end | 1, ± noise: ≤ 1.5 | 1.00 | reached |",
		"| memory, 100k, append | 10 × | 20.0 × | reached |",
		"| plain-1k/context | 3.00 | 2.00 | 2.00 | 600 | 300 | 40.0 | x |",
		"| compacted-1M/context | 3.00 | 2.00 | 2.00 | none | | | x |",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

func TestProgress(t *testing.T) {
	programs := []*program{{name: "coppice"}, {name: "pi"}}
	r := row{job{kindPlain, 1000, stepTree}, [][]result{{{Milliseconds: []float64{2}, PeakBytes: 3 << 20}}, {{failure: "out of memory"}}}}
	if got, want := r.progress(programs), "plain-1k/tree: coppice 2.00 ms, 3.00 MB; pi: no result"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
