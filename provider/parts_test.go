package provider

import (
	"net/http"
	"testing"
	"time"
)

// partRows are refusals that name sizes in tokens without being about the window:
// the output, the thinking, one part of the request, a minimum, a rate.
var partRows = []vendorRow{
	{400, "overflow-output,output-tokens,,8192", "", "The maximum tokens you requested exceeds the model limit of 8192. Try again with a maximum tokens value that is lower than 8192."},
	{400, "overflow-output,output-tokens,,8192,0,32000", "", "Requested output of 32000 tokens exceeds this model's output limit of 8192 tokens."},
	{400, "overflow-output,output-tokens,,8192,0,32000", "", "This model supports a maximum of 8192 output tokens; you asked for 32000."},
	{400, "overflow-output,output-tokens,,8192,0,16384", "", "Output length 16384 exceeds maximum 8192 tokens"},
	{400, "overflow-output,output-tokens,,8192,0,9000", "", "completion tokens 9000 > maximum 8192"},
	{400, "overflow-output,output-tokens,,2048,0,4096", "", "Requested 4096 tokens exceed the per-request output limit 2048"},
	{400, "overflow-output,output-tokens,,4096,0,9000", "", "max output tokens is 4096, but 9000 were requested"},
	{400, "overflow-output,output-tokens,,16384,0,20000", "", "Your requested completion of 20000 tokens is larger than the 16384 tokens this model can generate."},
	{400, "overflow-output,output-tokens,,4096,0,5000", "", "The requested number of generated tokens (5000) exceeds the maximum of 4096."},
	{400, "overflow-output,output-tokens,,4096,0,8000", "", "You can generate at most 4096 tokens with this model, you asked for 8000"},

	{400, "bad-request,unknown,thinking,24576,32000", "", "thinking budget of 32000 tokens exceeds the limit of 24576 tokens"},
	{400, "bad-request,unknown,thinking,16000,32000", "", "reasoning.max_tokens 32000 tokens > 16000 tokens allowed"},
	{400, "bad-request,unknown,thinking,24576,32000", "", "reasoning tokens 32000 exceed the maximum of 24576 tokens"},

	{400, "bad-request,unknown,image,4096,5120,5120,shrink-media", "", "Image too large: 5120 tokens exceeds maximum of 4096 tokens per image"},
	{400, "bad-request,unknown,image,2048,3072,3072,shrink-media", "", "Maximum 2048 visual tokens, got 3072"},
	{400, "bad-request,unknown,image,4096,5120,5120,shrink-media", "", "Each image may have at most 4096 tokens, this one has 5120 tokens"},
	{400, "bad-request,unknown,document,50000,60000,60000,shrink-media", "", "The document is too long: 60000 tokens > 50000 tokens maximum per document"},
	{400, "bad-request,unknown,audio,1500", "", "audio is too long: 1900 seconds > 1500"},
	{413, "bad-request,unknown,audio,1500", "", "audio is too long: 1900 seconds > 1500"},
	{400, "bad-request,unknown,audio,65536,90000", "", "Video has 90000 tokens, maximum 65536 tokens per video"},
	{429, "rate-limit", "", "Rate limit reached on seconds of audio per hour (ASPH): Limit 7200, Used 7188, Requested 60. Audio is too long for 7200 seconds."},

	{400, "bad-request,unknown,description,1024,2048,2048,shorten-field", "", "The tool description is too long: 2048 tokens > 1024 maximum"},
	{400, "bad-request,unknown,description,1024,0,0,shorten-field", "", "tools[3].description exceeds 1024 tokens"},
	{400, "bad-request,unknown,output,25000,60000,60000,shorten-field", "", "tool result is too long: 60000 tokens > 25000 maximum"},
	{400, "bad-request,unknown,system,32768,40000", "", "system prompt is too long: 40000 tokens > 32768 maximum"},
	{400, "overflow-output,output-tokens,,8192,0,9000", "", "completion is too long: 9000 tokens, limit 8192"},

	// The whole request, although a part is named.
	{400, "overflow,context-tokens,,200000,210000", "", "Prompt is too long: 210000 tokens > 200000 maximum. Consider removing images or documents that are too large."},
	{400, "overflow,context-tokens,,200000,300000", "", "The request has 300000 tokens including tool results, which exceeds the maximum of 200000 tokens"},
	{400, "overflow,context-tokens,,131072,140000", "", "Your message contains images; total image tokens and text exceed the maximum: 140000 tokens > 131072"},
	{400, "overflow,context-tokens,,131072,140000", "", "Your prompt plus reasoning tokens exceed the context window of 131072 tokens: 140000"},
	{400, "bytes,bytes,image,5000000,6000000", "", "image too large: 6 MB, maximum 5 MB"},
	{400, "overflow,context-tokens,,131072,140000", "", "The tool results exceed the context length: 140000 tokens > 131072"},

	{400, "overflow,context-tokens,,0,132312", "", "Total tokens of image and text exceed max message tokens. (image 1240, text 131072)"},
	{400, "overflow,context-tokens,,0,9500", "", "The prompt has too many tokens (system 1500 tokens; messages 8000 tokens)"},

	{400, "bad-request", "", "The minimum prompt size is 1024 tokens, this prompt has 512 tokens"},
	{400, "bad-request", "", "cached content must have at least 4096 tokens, got 1024 tokens"},
	{400, "bad-request", "", "Prompt must be at least 1024 tokens, got 512"},
	{400, "bad-request", "", "Input must be longer than 16 tokens, got 3 tokens"},
	{400, "bad-request", "", "prompt is too short: 512 tokens < 1024 minimum"},
	{400, "overflow,context-tokens,,8192,9000", "", "The prompt must have at least 1 and at most 8192 tokens, got 9000"},

	{429, "rate-limit,rate-tokens,,50000", "", "Requests to this deployment are limited to 100 per minute and 50000 tokens per minute. Context length 128000."},
	{400, "rate-limit", "", `{"error":{"code":"rate_limit_exceeded","message":"Too many requests: 61 requests in 60 seconds, limit 60. Your prompt has 120000 tokens."}}`},
	{429, "rate-limit", "", "Limit 10 requests per minute. Your prompt of 150000 tokens was not processed."},
	{429, "rate-limit", "", `{"error":{"code":"rate_limit_exceeded","message":"61 calls were made, limit 60, the last prompt had 120000 tokens"}}`},
	{429, "overflow,rate-tokens,,50000,0,60000", "", "Token rate limit: 50000 tokens per minute; your request has 60000 tokens"},
	{429, "overflow,rate-tokens,,50000,0,60000", "", "You may send 100 requests per minute and 50000 tokens per minute. Requested 60000."},

	{400, "bytes,bytes,,4000000,4500000", "", "too many total text bytes: 4500000 > 4000000"},
	{400, "transient", "", "unexpected end of JSON input"},
}

func TestClassifyParts(t *testing.T) {
	for _, r := range partRows {
		r.check(t)
	}
}

func TestUntilReset(t *testing.T) {
	h := http.Header{"Date": {"Sun, 29 Nov 2026 06:00:00 GMT"}}
	for text, want := range map[string]time.Duration{
		"Quota exceeded for this model. It will reset at 2026-11-29T09:00:00Z.":                     3 * time.Hour,
		"Quota exceeded for this model, resets at 2026-11-29T09:00:00.123+02:00":                    time.Hour,
		"Usage limit reached for 5 hour. Your limit will reset at 2026-11-29 06:10:00":              10 * time.Minute,
		`{"error":{"type":"usage_limit_reached","message":"Limit reached","resets_at":1795935600}}`: time.Hour,
		"Usage limit reached. Your limit will reset at 2026-11-28 06:10:00":                         0,
		"Usage limit reached. Your limit will reset at 2026-99-99 99:99:99":                         0,
		"Usage limit reached. Your limit will reset at 2099-01-01 00:00:00":                         maxWait,
		"You exceeded your current quota, please check your plan and billing details.":              0,
	} {
		f := Classify(Response{Status: 429, Body: []byte(text), Header: h})
		if f.Class != quota || f.RetryAfter != want {
			t.Errorf("%s: %s, %v, want %v", text, f.Class, f.RetryAfter, want)
		}
	}
}
