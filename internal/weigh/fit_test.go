package weigh

import (
	"bytes"
	"flag"
	"fmt"
	"go/format"
	"io/fs"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/coppice-dev/coppice/internal/testkit/texts"
	"github.com/tiktoken-go/tokenizer"
)

var fitDir = flag.String("fit", "", "folder of texts, a folder a kind, to fit the weights to; name@5 counts five times")

// TestFit makes weights.go: the weights for which the estimate is nearest to
// the counts of both tokenizers, over the texts of a folder and all kinds of
// bench/tokens. It is a regression on the logarithm of estimate to count.
func TestFit(t *testing.T) {
	if *fitDir == "" {
		t.Skip("needs -fit and a folder of texts")
	}
	samples := gather(t, *fitDir)
	m := newModel()
	rng := rand.New(rand.NewPCG(1, 2))
	for _, s := range samples {
		for _, n := range s.scripts {
			m.seen[n.of] += n.times
		}
	}
	const rounds = 60
	for round := range rounds {
		rng.Shuffle(len(samples), func(i, j int) { samples[i], samples[j] = samples[j], samples[i] })
		loss := m.round(samples, 0.01*math.Pow(0.02, float64(round)/rounds))
		if round%10 == 0 {
			t.Logf("round %d: mean error %.3f", round, math.Sqrt(loss))
		}
	}
	if err := os.WriteFile("weights.go", m.source(t), 0o644); err != nil {
		t.Fatal(err)
	}
}

// sample is a text: its features and its token counts.
type sample struct {
	weight   float64
	ascii    []count    // pairs by index, runs from runsAt on
	scripts  []count    // scripts: 2k first, 2k+1 more
	measured [2]float64 // by tokenizer
}

// count is how often something comes in a text.
type count struct {
	of    int
	times float64
}

// parameters of the model, by place: what is fitted.
const (
	runsAt     = 128 * 128
	classesAt  = runsAt + 128 // what pairs of two classes share
	classes    = 15
	scriptsAt  = classesAt + classes*classes
	chunk      = 1500
	batch      = 128
	shrinkage  = 6e-4 // of what a pair differs from its classes
	fullWeight = 20
)

func gather(t *testing.T, dir string) []sample {
	var codecs [2]tokenizer.Codec
	for i, e := range []tokenizer.Encoding{tokenizer.O200kBase, tokenizer.Cl100kBase} {
		c, err := tokenizer.Get(e)
		if err != nil {
			t.Fatal(err)
		}
		codecs[i] = c
	}
	kinds := map[string][]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		kind := filepath.Base(filepath.Dir(path))
		kinds[kind] = append(kinds[kind], chunks(strings.ToValidUTF8(string(text), "\uFFFD"))...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range texts.All() {
		for seed := range uint64(5) {
			kinds[k.Name] = append(kinds[k.Name], chunks(k.Text(100+seed))...)
		}
	}
	for _, name := range []string{"any characters of ASCII", "runs of any character", "rare symbols"} {
		for _, k := range texts.All() {
			for seed := uint64(200); k.Name == name && seed < 300; seed++ {
				kinds[name+"@12"] = append(kinds[name+"@12"], chunks(k.Text(seed))...)
			}
		}
	}
	var samples []sample
	for _, kind := range slices.Sorted(maps.Keys(kinds)) { // in order, so that the same texts give the same weights
		list, weight := kinds[kind], 1.0
		if _, after, ok := strings.Cut(kind, "@"); ok {
			weight, _ = strconv.ParseFloat(after, 64)
		}
		for _, text := range list {
			s := takeApart(text)
			s.weight = weight / float64(len(list))
			for i, c := range codecs {
				n, err := c.Count(text)
				if err != nil {
					t.Fatal(err)
				}
				s.measured[i] = float64(n)
			}
			if s.measured[0] > 20 {
				samples = append(samples, s)
			}
		}
	}
	return samples
}

// chunks cuts a text at characters.
func chunks(text string) []string {
	var out []string
	for len(text) > 0 {
		n := min(chunk, len(text))
		for n < len(text) && !utf8.RuneStart(text[n]) {
			n++
		}
		out, text = append(out, text[:n]), text[n:]
	}
	return out
}

// takeApart counts the features of a text, character by character.
func takeApart(text string) sample {
	ascii, other := map[int]float64{}, map[int]float64{}
	var last, before byte
	var char rune
	for _, r := range text {
		if r < utf8.RuneSelf {
			x := byte(r)
			if x == last && last == before {
				ascii[runsAt+int(alike(x))]++
			} else {
				ascii[int(alike(x))<<7|int(alike(last))]++
			}
			last, before, char = x, last, 0
			continue
		}
		at := 2 * int(scriptOf(r))
		letter := scripts[scriptOf(r)].letters
		if letter && last == afterLetter || r == char {
			at++
		}
		other[at]++
		last, before, char = afterSymbol, 0, r
		if letter {
			last = afterLetter
		}
	}
	return sample{ascii: counts(ascii), scripts: counts(other)}
}

func counts(m map[int]float64) []count {
	var out []count
	for _, of := range slices.Sorted(maps.Keys(m)) {
		out = append(out, count{of, m[of]})
	}
	return out
}

// alike is the control character that stands for those that are not used.
func alike(x byte) byte {
	if x > afterSymbol && x < ' ' && !strings.ContainsRune("\t\n\r\x1b", rune(x)) || x == 0x7f {
		return 3
	}
	return x
}

// class groups characters: rare pairs take their weight from that of their classes.
func class(x int) int {
	for i, set := range []string{"\n\r", "\t", " ", "\x01", "\x02", "()[]{}<>", ".,;:!?", "\"'`", "_", "-"} {
		if strings.IndexByte(set, byte(x)) >= 0 {
			return i
		}
	}
	switch {
	case x >= 'a' && x <= 'z':
		return 10
	case x >= 'A' && x <= 'Z':
		return 11
	case x >= '0' && x <= '9':
		return 12
	case x < ' ':
		return 13
	}
	return 14
}

// model are the parameters with what the optimizer (Adam) remembers of them.
type model struct {
	value, gradient, mean, square []float64
	steps                         float64
	seen                          []float64 // how often the first and the later characters of scripts come in texts
}

func newModel() *model {
	n := scriptsAt + 4*len(scripts)
	m := &model{make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n), 0, make([]float64, 2*len(scripts))}
	for i := range m.value {
		switch {
		case i >= scriptsAt:
			m.value[i] = 0.8
		case i >= classesAt:
			m.value[i] = 0.3
		case i >= runsAt:
			m.value[i] = 0.15
		}
	}
	return m
}

// classesOf is the place of what the classes of a pair share.
func classesOf(pair int) int { return classesAt + class(pair>>7)*classes + class(pair&0x7f) }

// ascii is the weight of a pair or a run.
func (m *model) ascii(i int) float64 {
	if i >= runsAt {
		return m.value[i]
	}
	return min(max(m.value[i]+m.value[classesOf(i)], 0), 255.0/unit)
}

// script is the place of a script's weight for a tokenizer.
func scriptAt(i, tokenizer int) int { return scriptsAt + tokenizer*2*len(scripts) + i }

// round goes through all samples once and returns the mean square of the error.
func (m *model) round(samples []sample, rate float64) float64 {
	var loss, weight float64
	for from := 0; from < len(samples); from += batch {
		clear(m.gradient)
		for _, s := range samples[from:min(from+batch, len(samples))] {
			loss += s.weight * m.learn(s)
			weight += s.weight
		}
		m.step(rate)
	}
	return loss / weight
}

// learn adds to the gradient what a sample says, and returns its squared error.
func (m *model) learn(s sample) float64 {
	var sum, loss, push float64
	for _, n := range s.ascii {
		sum += n.times * m.ascii(n.of)
	}
	for k, measured := range s.measured {
		estimate := sum
		for _, n := range s.scripts {
			estimate += n.times * m.value[scriptAt(n.of, k)]
		}
		e := math.Log(max(estimate, 1) / measured)
		loss += e * e / 2
		g := fullWeight * s.weight * e / max(estimate, 1)
		push += g
		for _, n := range s.scripts {
			m.gradient[scriptAt(n.of, k)] += g * n.times
		}
	}
	for _, n := range s.ascii {
		m.gradient[n.of] += push * n.times
		if n.of < runsAt {
			m.gradient[classesOf(n.of)] += push * n.times
		}
	}
	return loss
}

func (m *model) step(rate float64) {
	m.steps++
	c1, c2 := 1-math.Pow(0.9, m.steps), 1-math.Pow(0.999, m.steps)
	for i, g := range m.gradient {
		if i < runsAt {
			g += 2 * shrinkage * m.value[i]
		}
		m.mean[i] = 0.9*m.mean[i] + 0.1*g
		m.square[i] = 0.999*m.square[i] + 0.001*g*g
		m.value[i] -= rate * m.mean[i] / c1 / (math.Sqrt(m.square[i]/c2) + 1e-8)
		if i >= scriptsAt || i >= runsAt && i < classesAt {
			m.value[i] = max(m.value[i], 0)
		}
	}
}

// source writes the weights as Go.
func (m *model) source(t *testing.T) []byte {
	var b bytes.Buffer
	b.WriteString("// Code generated by go test ./internal/weigh -run TestFit -fit DIR. DO NOT EDIT.\n\npackage weigh\n\n" +
		"// pairs are the weights of a character (first index) after another, in 1/256\n// of a token. Row and column 1 and 2 stand for what is not ASCII, 0 for the start.\nvar pairs = [128][128]uint8{\n")
	weight := func(v float64) int { return int(math.Round(v * unit)) }
	for x := range 128 {
		fmt.Fprintf(&b, "%q: {", rune(x))
		for p := range 128 {
			fmt.Fprintf(&b, "%d,", weight(m.ascii(int(alike(byte(x)))<<7|int(alike(byte(p))))))
		}
		b.WriteString("},\n")
	}
	b.WriteString("}\n\n// runWeight are the weights of a character that follows two of its kind.\nvar runWeight = [128]uint8{")
	for x := range 128 {
		fmt.Fprintf(&b, "%d,", min(weight(m.value[runsAt+int(alike(byte(x)))]), 255))
	}
	fmt.Fprintf(&b, "}\n\n// scriptWeight are the weights of the scripts, by vocabulary.\nvar scriptWeight = [%d]weight{\n", len(scripts))
	for k, s := range scripts {
		fmt.Fprintf(&b, "{")
		for i := range 2 {
			o, c := m.value[scriptAt(2*k+i, 0)], m.value[scriptAt(2*k+i, 1)]
			if m.seen[2*k+i] < rare && s.first <= s.last {
				o, c = drawn(t, s, i, tokenizer.O200kBase), drawn(t, s, i, tokenizer.Cl100kBase)
			}
			fmt.Fprintf(&b, "[3]uint16{%d, %d, %d},", weight(min(math.Sqrt(o*c), 1.25*o)), weight(o), weight(c))
		}
		fmt.Fprintf(&b, "}, // %s\n", s.name)
	}
	b.WriteString("}\n")
	out, err := format.Source(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// rare is how often a script has to come in texts for them to say what it costs.
const rare = 1000

// drawn is what a character of a script costs on average among others of the script,
// or with again repeated.
func drawn(t *testing.T, s script, again int, e tokenizer.Encoding) float64 {
	codec, err := tokenizer.Get(e)
	if err != nil {
		t.Fatal(err)
	}
	n, err := codec.Count(draw(s, again > 0))
	if err != nil {
		t.Fatal(err)
	}
	return float64(n) / drawnChars
}

const drawnChars = 800

// draw returns characters of a script, or one of them repeated.
func draw(s script, same bool) string {
	rng := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	one := s.first + (s.last-s.first)/3
	for range drawnChars {
		if same {
			b.WriteRune(one)
		} else {
			b.WriteRune(s.first + rng.Int32N(min(s.last-s.first, 5000)+1))
		}
	}
	return b.String()
}
