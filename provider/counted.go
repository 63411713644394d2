package provider

import (
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/timeline"
	"github.com/coppice-dev/coppice/tokens"
)

// nearly is how close two counts must be to be of the same tokens, and farOver how
// far above its estimate a prompt must be to have been counted twice.
const (
	nearly  = 0.9
	farOver = 1.6
)

// once corrects the usage of servers that copy Anthropic's API and count what they
// read from their cache in the input, too, so that the sum is twice the prompt
// (docs/context.md, Usage).
func once(m message.Model, req timeline.Request, answer *message.Message) {
	if answer == nil || answer.Usage == nil || m.API != apiAnthropic || m.Server == "" {
		return
	}
	u := *answer.Usage
	input, cached := float64(u.Input), float64(u.CacheRead)
	if cached == 0 || cached < nearly*input || input < nearly*cached || float64(u.Prompt()) <= farOver*float64(estimateOf(req)) {
		return
	}
	u.Input = max(0, u.Input-u.CacheRead-u.CacheWrite)
	u.TotalTokens = u.Prompt() + u.Output
	answer.Usage = &u
}

// estimateOf is the size of a request in tokens, as tokens.Default counts it.
func estimateOf(req timeline.Request) int64 {
	n := tokens.Default{}.Text(req.System) + tokens.Tools(req.Tools)
	for _, m := range req.Messages {
		n += tokens.Default{}.Message(m)
	}
	return n
}
