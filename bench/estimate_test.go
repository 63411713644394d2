package bench

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/tokens"
	"github.com/tiktoken-go/tokenizer"
)

// kindOfText is a kind of text with how far the estimate may be from the
// tokenizer, as a ratio of estimate to count.
type kindOfText struct {
	name        string
	text        string
	least, most float64
}

func kindsOfText(tb testing.TB) []kindOfText {
	return []kindOfText{
		{"code", code(tb), 0.75, 1.5},
		{"prose", prose(), 0.75, 1.5},
		{"JSON", jsonText(tb), 0.5, 1.5},
		{"CJK", cjk(), 0.75, 1.75},
		{"base64", base64Text(), 0.25, 1},
	}
}

// How far the estimate is from a real tokenizer (spec/context.md, Sizes). The
// bounds are wide on purpose: they tell of a change, not of an error.
func TestEstimateIsNearATokenizer(t *testing.T) {
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range kindsOfText(t) {
		count, err := codec.Count(k.text)
		if err != nil {
			t.Fatal(err)
		}
		ratio := float64(tokens.Default{}.Text(k.text)) / float64(count)
		t.Logf("%-7s %6d characters, %5d tokens, estimated %.2f of them", k.name, len([]rune(k.text)), count, ratio)
		if ratio < k.least || ratio > k.most {
			t.Errorf("%s: the estimate is %.2f of the count, want %.2f to %.2f", k.name, ratio, k.least, k.most)
		}
	}
}

// BenchmarkEstimateError prints, by kind of text, the estimate's error in
// percent of the tokenizer's count, beside what each of the two costs.
func BenchmarkEstimateError(b *testing.B) {
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		b.Fatal(err)
	}
	for _, k := range kindsOfText(b) {
		b.Run(k.name, func(b *testing.B) {
			var count int
			for b.Loop() {
				if count, err = codec.Count(k.text); err != nil {
					b.Fatal(err)
				}
			}
			estimate := tokens.Default{}.Text(k.text)
			b.SetBytes(int64(len(k.text)))
			b.ReportMetric(100*float64(estimate-int64(count))/float64(count), "error-%")
			b.ReportMetric(float64(count), "tokens")
		})
	}
}

// code is the source of this package's neighbours.
func code(tb testing.TB) string {
	var b strings.Builder
	for _, path := range []string{"bench_test.go", "../tokens/tokens.go", "../timeline/project.go"} {
		src, err := os.ReadFile(path)
		if err != nil {
			tb.Fatal(err)
		}
		b.Write(src)
	}
	return b.String()
}

func prose() string {
	subjects := strings.Fields("session summary request reviewer migration window budget deployment")
	verbs := strings.Fields("shows keeps replaces needs explains delays follows covers")
	rng := rand.New(rand.NewPCG(1, 1))
	var b strings.Builder
	for range 400 {
		fmt.Fprintf(&b, "The %s %s the %s, because nobody had noticed that the %s was already there. ",
			subjects[rng.IntN(len(subjects))], verbs[rng.IntN(len(verbs))], subjects[rng.IntN(len(subjects))], subjects[rng.IntN(len(subjects))])
	}
	return b.String()
}

func jsonText(tb testing.TB) string {
	type item struct {
		ID     int      `json:"id"`
		Name   string   `json:"name"`
		Amount float64  `json:"amount"`
		Tags   []string `json:"tags"`
		Active bool     `json:"active"`
	}
	rng := rand.New(rand.NewPCG(2, 2))
	var items []item
	for i := range 300 {
		items = append(items, item{ID: 100_000 + i, Name: fmt.Sprintf("invoice-%d", rng.IntN(9999)), Amount: float64(rng.IntN(99999)) / 100,
			Tags: []string{"paid", "eu"}, Active: i%2 == 0})
	}
	out, err := json.Marshal(items)
	if err != nil {
		tb.Fatal(err)
	}
	return string(out)
}

func cjk() string {
	return strings.Repeat("今天我们检查会话文件，然后修复测试。", 100) +
		strings.Repeat("セッションの要約を確認してから、テストを修正しました。", 100) +
		strings.Repeat("세션 파일을 읽고 오류를 고친 다음 테스트를 실행합니다. ", 100)
}

func base64Text() string {
	var b []byte
	for i := range 400 {
		sum := sha256.Sum256([]byte{byte(i), byte(i >> 8)})
		b = append(b, sum[:]...)
	}
	return base64.StdEncoding.EncodeToString(b)
}
