package openai

import (
	"testing"

	"github.com/coppice-dev/coppice/message"
)

// Each vendor's way of counting, for a prompt of 1,000 tokens.
func TestUsage(t *testing.T) {
	plain := message.Usage{Input: 1000, Output: 50, TotalTokens: 1050}
	cached := message.Usage{Input: 100, CacheRead: 900, Output: 50, TotalTokens: 1050}
	for name, tt := range map[string]struct {
		usage string
		want  message.Usage
	}{
		"nothing cached": {`{"prompt_tokens":1000,"completion_tokens":50,"total_tokens":1050}`, plain},
		"OpenAI": {`{"prompt_tokens":1000,"completion_tokens":50,"total_tokens":1050,"prompt_tokens_details":{"cached_tokens":800,"cache_write_tokens":100},"completion_tokens_details":{"reasoning_tokens":30}}`,
			message.Usage{Input: 100, CacheRead: 800, CacheWrite: 100, Output: 50, Reasoning: 30, TotalTokens: 1050}},
		"DeepSeek":                 {`{"prompt_tokens":1000,"completion_tokens":50,"total_tokens":1050,"prompt_cache_hit_tokens":900,"prompt_cache_miss_tokens":100}`, cached},
		"Moonshot":                 {`{"prompt_tokens":1000,"completion_tokens":50,"total_tokens":1050,"cached_tokens":900}`, cached},
		"Mistral":                  {`{"prompt_tokens":1000,"completion_tokens":50,"total_tokens":1050,"num_cached_tokens":900}`, cached},
		"Mistral's other spelling": {`{"prompt_tokens":1000,"completion_tokens":50,"total_tokens":1050,"prompt_token_details":{"cached_tokens":900}}`, cached},
		"DashScope": {`{"prompt_tokens":1000,"completion_tokens":50,"total_tokens":1050,"prompt_tokens_details":{"cached_tokens":700,"cache_creation_input_tokens":200}}`,
			message.Usage{Input: 100, CacheRead: 700, CacheWrite: 200, Output: 50, TotalTokens: 1050}},
		"xAI, reasoning apart": {`{"prompt_tokens":1000,"completion_tokens":50,"total_tokens":1080,"prompt_tokens_details":{"cached_tokens":900},"completion_tokens_details":{"reasoning_tokens":30}}`,
			message.Usage{Input: 100, CacheRead: 900, Output: 80, Reasoning: 30, TotalTokens: 1080}},
		"xAI, cached ones apart": {`{"prompt_tokens":100,"completion_tokens":50,"total_tokens":150,"prompt_tokens_details":{"cached_tokens":900}}`, cached},
		"only a total":           {`{"completion_tokens":50,"total_tokens":1050}`, plain},
		"without a total":        {`{"prompt_tokens":1000,"completion_tokens":50}`, message.Usage{Input: 1000, Output: 50}},
		"all of it cached":       {`{"prompt_tokens":1000,"completion_tokens":50,"total_tokens":1050,"cached_tokens":1000}`, message.Usage{CacheRead: 1000, Output: 50, TotalTokens: 1050}},
		"null":                   {`{"prompt_tokens":null,"completion_tokens":null,"total_tokens":null,"prompt_tokens_details":null}`, message.Usage{}},
	} {
		if got := usage([]byte(tt.usage)); *got != tt.want {
			t.Errorf("%s: %+v, want %+v", name, *got, tt.want)
		}
	}
}
