package sweep

import (
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer"
)

// counter counts a text in a server's tokens.
type counter func(text string) float64

// exact counts with a real tokenizer. Texts are counted once: the requests of a
// job repeat what earlier ones said.
func exact(enc tokenizer.Encoding) counter {
	codec, err := tokenizer.Get(enc)
	if err != nil {
		panic(err) // the vocabulary is compiled in
	}
	var mu sync.Mutex
	known := map[string]float64{}
	return func(text string) float64 {
		mu.Lock()
		defer mu.Unlock()
		n, ok := known[text]
		if !ok {
			c, err := codec.Count(text)
			if err != nil {
				panic(err)
			}
			n = float64(c)
			known[text] = n
		}
		return n
	}
}

var (
	o200k  = sync.OnceValue(func() counter { return exact(tokenizer.O200kBase) })
	cl100k = sync.OnceValue(func() counter { return exact(tokenizer.Cl100kBase) })
)

// Rough tokenizers of other families.
func perChars(n float64) counter {
	return func(text string) float64 { return float64(utf8.RuneCountInString(text)) / n }
}

func perBytes(n float64) counter {
	return func(text string) float64 { return float64(len(text)) / n }
}

func perWord(n float64) counter {
	return func(text string) float64 { return float64(len(strings.Fields(text))) * n }
}

// runs counts a run of one character as one token for each 64 of it.
func runs(text string) float64 {
	n := 0.0
	var last rune
	length := 0
	for _, r := range text {
		if r == last {
			if length++; length%64 != 0 {
				continue
			}
		} else {
			length = 0
		}
		last = r
		n += 0.3
	}
	return n
}

// scripts counts characters beyond ASCII as three tokens each.
func scripts(text string) float64 {
	n := 0.0
	for _, r := range text {
		if r < utf8.RuneSelf {
			n += 0.25
		} else {
			n += 3
		}
	}
	return n
}
