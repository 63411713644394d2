package openai

import (
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
	"github.com/go-json-experiment/json/jsontext"
)

// Where servers say how much of a prompt they read from their cache, and how much
// they wrote to it.
var (
	cacheReads = [][]string{
		{"prompt_tokens_details", "cached_tokens"},
		{"prompt_cache_hit_tokens"},               // DeepSeek
		{"cached_tokens"},                         // Moonshot
		{"num_cached_tokens"},                     // Mistral
		{"prompt_token_details", "cached_tokens"}, // Mistral too
	}
	cacheWrites = [][]string{
		{"prompt_tokens_details", "cache_write_tokens"},
		{"prompt_tokens_details", "cache_creation_input_tokens"}, // DashScope
	}
)

// usage splits the prompt's tokens (docs/context.md, Usage). Cached ones are part
// of them, unless there are more of them than of the others, and reasoning is part
// of the output, unless the total says otherwise (xAI).
func usage(v jsontext.Value) *message.Usage {
	u := &message.Usage{
		Output:      count(v, "completion_tokens"),
		CacheRead:   firstCount(v, cacheReads),
		CacheWrite:  firstCount(v, cacheWrites),
		TotalTokens: count(v, "total_tokens"),
		Reasoning:   count(v, "completion_tokens_details", "reasoning_tokens"),
	}
	prompt := count(v, "prompt_tokens")
	if prompt == 0 { // some servers report only a total
		prompt = max(0, u.TotalTokens-u.Output)
	} else if u.TotalTokens == prompt+u.Output+u.Reasoning {
		u.Output += u.Reasoning
	}
	if u.CacheRead > prompt {
		prompt += u.CacheRead
		u.TotalTokens = max(u.TotalTokens, prompt+u.Output)
	}
	u.Input = max(0, prompt-u.CacheRead-u.CacheWrite)
	return u
}

// count is a number at a path of names; 0 if it is not there.
func count(v jsontext.Value, path ...string) int64 {
	for _, name := range path {
		v = rawjson.Get(v, name)
	}
	return rawjson.Int(v)
}

func firstCount(v jsontext.Value, paths [][]string) int64 {
	for _, path := range paths {
		if n := count(v, path...); n > 0 {
			return n
		}
	}
	return 0
}
