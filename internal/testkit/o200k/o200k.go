// Package o200k is for tests: it counts tokens with a real vocabulary.
package o200k

import (
	"strings"
	"sync"

	"github.com/tiktoken-go/tokenizer"
)

// codec is loaded with the first text, because that takes a while.
var codec = sync.OnceValue(func() tokenizer.Codec {
	c, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		panic(err) // it is built in
	}
	return c
})

// counted caches the sizes of texts, up to countedBytes in total: a conversation
// repeats most of its texts in every request.
var counted = struct {
	sync.Mutex
	tokens map[string]int64
	bytes  int
}{tokens: map[string]int64{}}

const countedBytes = 16 << 20

// Count counts the tokens of a text. It panics if the tokenizer fails.
func Count(text string) int64 {
	counted.Lock()
	n, ok := counted.tokens[text]
	counted.Unlock()
	if ok {
		return n
	}
	exact, err := codec().Count(strings.ToValidUTF8(text, "\uFFFD"))
	if err != nil {
		panic(err)
	}
	counted.Lock()
	defer counted.Unlock()
	if counted.bytes += len(text); counted.bytes > countedBytes {
		clear(counted.tokens)
		counted.bytes = len(text)
	}
	counted.tokens[text] = int64(exact)
	return int64(exact)
}
