package main

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/coppice-dev/coppice/internal/testkit/amount"
	"github.com/coppice-dev/coppice/internal/testkit/texts"
	"github.com/coppice-dev/coppice/tokens"
)

// How far an estimate may be from the count, as a ratio: of one kind of text,
// and of the mix of real sessions (docs/limits.md).
const (
	least, most       = 0.7, 1.5
	leastMix, mostMix = 0.9, 1.15
)

// shared is made once: the vocabularies are large.
var shared = sync.OnceValues(newBench)

func newTestBench(t *testing.T) bench {
	t.Helper()
	b, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	return *b
}

func TestEstimateOfEachKind(t *testing.T) {
	b := newTestBench(t)
	for _, k := range texts.All() {
		for seed := range amount.Of(uint64(1), 3) { // not the seeds that the weights were fitted to
			text := k.Text(seed)
			r, err := b.measure(text)
			if err != nil {
				t.Fatal(err)
			}
			within(t, k.Name+" by o200k", r.o200k(), least, most)
			within(t, k.Name+" by cl100k", r.cl100k(), least, most)
			// For an unknown tokenizer, one number has to be right for both.
			unknown := float64(tokens.Default{}.Text(text))
			within(t, k.Name+" by o200k, not known", unknown/float64(r.counts[0]), least, most)
			if float64(r.counts[1])/float64(r.counts[0]) < 1.4 {
				within(t, k.Name+" by cl100k, not known", unknown/float64(r.counts[1]), least, most)
			}
		}
	}
}

func within(t *testing.T, what string, ratio, least, most float64) {
	t.Helper()
	if ratio < least || ratio > most {
		t.Errorf("%s: the estimate is %.2f of the count, want %.2f to %.2f", what, ratio, least, most)
	}
}

func TestEstimateOfRealSessions(t *testing.T) {
	dir, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for ; ; dir = filepath.Dir(dir) {
		if files, _ := filepath.Glob(filepath.Join(dir, "shared", "corpus", "*")); len(files) > 0 {
			break
		}
		if filepath.Dir(dir) == dir {
			t.Skip("corpus: not installed")
		}
	}
	b := newTestBench(t)
	b.every = amount.Of(40, 10)
	err = b.mix(t.Context(), filepath.Join(dir, "shared", "corpus"), func(name string, r result) {
		within(t, name+" by o200k", r.o200k(), leastMix, mostMix)
		within(t, name+" by cl100k", r.cl100k(), leastMix, mostMix)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The sample session that comes with the project is a mix too.
func TestTable(t *testing.T) {
	sample, err := os.ReadFile("../../examples/sample-session.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "sample"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "sample", "s.jsonl"), sample, 0o600); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := run(t.Context(), &out, dir); err != nil {
		t.Fatal(err)
	}
	rows := strings.Count(out.String(), "\n| ")
	if kinds := len(texts.All()); kinds < 30 || rows != kinds+3 || !strings.Contains(out.String(), "\n| sample |") {
		t.Errorf("%d rows for %d kinds:\n%s", rows, kinds, out.String())
	}
}
