// Command tokens prints how far the estimate of package tokens is from two
// real tokenizers, by kind of text, as Markdown:
//
//	go run ./bench/tokens [-corpus DIR] [-write docs/benchmarks.md]
//
// A ratio of 1.00 is exact; above that the estimate is too large. The texts are
// generated (package internal/testkit/texts). With -corpus, a folder of session
// files from any agent that can be imported, the messages in each of its folders
// make another row.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/tiktoken-go/tokenizer"

	"github.com/coppice-dev/coppice/bench/internal/page"
	"github.com/coppice-dev/coppice/internal/testkit/texts"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/tokens"
)

func main() {
	dir := flag.String("corpus", "", "folder with folders of session files")
	document := flag.String("write", "", "put the tables into the section <!-- tokens --> of this document too")
	flag.Parse()
	var tables strings.Builder
	err := run(context.Background(), io.MultiWriter(os.Stdout, &tables), *dir)
	if err == nil {
		err = page.Write(*document, "tokens", tables.String())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "tokens:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, w io.Writer, dir string) error {
	b, err := newBench()
	if err != nil {
		return err
	}
	fmt.Fprintln(w, "| kind of text | o200k | cl100k | characters/4 to o200k |\n|---|--:|--:|--:|")
	for _, k := range texts.All() {
		r, err := b.measure(k.Text(1))
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "| %s | %.2f | %.2f | %.2f |\n", k.Name, r.o200k(), r.cl100k(), r.plain())
	}
	if dir == "" {
		return nil
	}
	fmt.Fprintln(w, "\n| sessions of | tokens | o200k | cl100k | characters/4 to o200k |\n|---|--:|--:|--:|--:|")
	return b.mix(ctx, dir, func(name string, r result) {
		fmt.Fprintf(w, "| %s | %d | %.2f | %.2f | %.2f |\n", name, r.counts[0], r.o200k(), r.cl100k(), r.plain())
	})
}

// bench holds what is compared.
type bench struct {
	codecs     [2]tokenizer.Codec
	estimators [3]tokens.Estimator // for each codec, and the plain one
	every      int                 // only every n-th message of a session is measured
}

func newBench() (*bench, error) {
	b := &bench{every: 1, estimators: [3]tokens.Estimator{
		tokens.For(message.Model{ID: "gpt-4o"}), tokens.For(message.Model{ID: "gpt-4"}), tokens.Plain{}}}
	for i, e := range []tokenizer.Encoding{tokenizer.O200kBase, tokenizer.Cl100kBase} {
		codec, err := tokenizer.Get(e)
		if err != nil {
			return nil, err
		}
		b.codecs[i] = codec
	}
	return b, nil
}

// result are counts and estimates of one text or of several.
type result struct {
	counts    [2]int64 // o200k, cl100k
	estimates [3]int64 // by the bench's estimators
}

func (r result) o200k() float64  { return float64(r.estimates[0]) / float64(r.counts[0]) }
func (r result) cl100k() float64 { return float64(r.estimates[1]) / float64(r.counts[1]) }
func (r result) plain() float64  { return float64(r.estimates[2]) / float64(r.counts[0]) }

func (r *result) add(o result) {
	for i, n := range o.counts {
		r.counts[i] += n
	}
	for i, n := range o.estimates {
		r.estimates[i] += n
	}
}

func (b *bench) measure(text string) (result, error) {
	var r result
	for i, c := range b.codecs {
		n, err := c.Count(text)
		if err != nil {
			return r, err
		}
		r.counts[i] = int64(n)
	}
	for i, e := range b.estimators {
		r.estimates[i] = e.Text(text)
	}
	return r, nil
}
