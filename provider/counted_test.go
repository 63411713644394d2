package provider

import (
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/timeline"
)

// A prompt that was counted twice is counted once, and no other is touched.
func TestCountedOnce(t *testing.T) {
	req := timeline.Request{System: "Be brief.", Messages: []*message.Message{message.User(strings.Repeat("The quick brown fox. ", 720))}}
	prompt := estimateOf(req)
	if prompt < 3000 || prompt > 4500 {
		t.Fatalf("the request has %d tokens", prompt)
	}
	copied := message.Model{API: apiAnthropic, Server: "dashscope.example"}
	for name, tt := range map[string]struct {
		model       message.Model
		usage, want message.Usage
	}{
		"cached in the input": {copied, message.Usage{Input: prompt, CacheRead: prompt + 2, Output: 9}, message.Usage{CacheRead: prompt + 2, Output: 9, TotalTokens: prompt + 11}},
		"most of it":          {copied, message.Usage{Input: prompt, CacheRead: prompt - 200, Output: 9}, message.Usage{Input: 200, CacheRead: prompt - 200, Output: 9, TotalTokens: prompt + 9}},
		"an honest copy":      {copied, message.Usage{Input: 40, CacheRead: prompt - 40}, message.Usage{Input: 40, CacheRead: prompt - 40}},
		"half of it new":      {copied, message.Usage{Input: prompt / 2, CacheRead: prompt / 2}, message.Usage{Input: prompt / 2, CacheRead: prompt / 2}},
		"another tokenizer":   {copied, message.Usage{Input: 90, CacheRead: 2 * prompt}, message.Usage{Input: 90, CacheRead: 2 * prompt}},
		"nothing cached":      {copied, message.Usage{Input: 2 * prompt}, message.Usage{Input: 2 * prompt}},
		"the vendor's own":    {message.Model{API: apiAnthropic}, message.Usage{Input: prompt, CacheRead: prompt}, message.Usage{Input: prompt, CacheRead: prompt}},
		"another format":      {message.Model{API: apiChat, Server: "x"}, message.Usage{Input: prompt, CacheRead: prompt}, message.Usage{Input: prompt, CacheRead: prompt}},
	} {
		answer := &message.Message{Usage: &tt.usage}
		once(tt.model, req, answer)
		if *answer.Usage != tt.want {
			t.Errorf("%s: %+v, want %+v", name, *answer.Usage, tt.want)
		}
	}
	once(copied, req, nil)
	once(copied, req, &message.Message{})
}
