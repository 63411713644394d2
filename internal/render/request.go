package render

import (
	"cmp"

	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/timeline"
)

// CachePoints returns the cache points for the messages of a request: its end,
// and the place where the request before it ended. The first mark is what this
// request reads, the second what the next one will.
func CachePoints(msgs []*message.Message) []int {
	last := len(msgs) - 1
	if last < 0 {
		return nil
	}
	for i := last; i > 0; i-- {
		if msgs[i].Role == message.RoleAssistant {
			return []int{i - 1, last}
		}
	}
	return []int{last}
}

// WithoutThinking takes the reasoning out of the first n messages of a request,
// with the signatures that refer to it. A message with nothing else in it goes.
func WithoutThinking(msgs []*message.Message, n int) []*message.Message {
	if n == 0 {
		return msgs
	}
	var out []*message.Message
	for _, m := range msgs[:n] {
		c := m.Clone()
		c.Content = nil
		for _, b := range m.Content {
			switch b := b.(type) {
			case message.Thinking:
				continue
			case message.Text:
				b.Signature = ""
				c.Content = append(c.Content, b)
			case message.ToolCall:
				b.ThoughtSignature = ""
				c.Content = append(c.Content, b)
			default:
				c.Content = append(c.Content, b)
			}
		}
		if len(c.Content) > 0 {
			out = append(out, c)
		}
	}
	return append(out, msgs[n:]...)
}

// minOutput is the least room that is asked for, in tokens: an answer with
// less is not worth a call.
const minOutput = 1024

// usualOutput is how much output is taken for enough where the model's own
// limit is not known, in tokens. Asking for more than a model can do is refused.
const usualOutput = 8192

// OutputLimit is how much output to ask for so that input and output together
// stay in the window: some vendors refuse a request whose prompt fits alone
// (docs/errors.md). 0 leaves it to the model's own limit. It is at most half of the
// window, since the estimate of what was never counted may be far off. r is the
// request that was refused before this one.
func OutputLimit(m message.Model, s timeline.Size, r Refused) int64 {
	if m.Window <= 0 {
		return 0
	}
	room := min(m.Window-max(Expected(s), r.expected(s)), m.Window/2)
	if room >= cmp.Or(m.MaxOutput, usualOutput) {
		return 0
	}
	return max(minOutput, room)
}

// Refused is a request that was refused for its size, in tokens. The zero value
// means that none was.
type Refused struct {
	Counted   int64 // by the provider
	Estimated int64 // the size that decided
}

// expected is the size of the next request by the count of the refused one: less
// the estimate of what was left out since. 0: there was no count.
func (r Refused) expected(s timeline.Size) int64 {
	if r.Counted <= 0 {
		return 0
	}
	return withMargin(r.Counted) - (r.Estimated - s.Decision())
}

// withMargin adds the margin of what a provider has counted.
func withMargin(counted int64) int64 { return counted + counted/32 }

// What came after the last count may be this many times its estimate: at least
// unseen, and at most mostUnseen, where a request was refused for it.
const unseen, mostUnseen = 2, 8

// Expected is the size that a request has at most, in tokens: the size that
// decides with a margin. What a provider has counted needs a small one, what
// came after its count a larger one: it may be code or data, which is denser
// than prose, and what a request was refused for may come again.
func Expected(s timeline.Size) int64 {
	if s.Measured == nil {
		return s.Hard(s.Decision())
	}
	counted := min(s.Usage, *s.Measured)
	after := *s.Measured - counted
	times := min(max(unseen, s.Calibration.Refused), mostUnseen)
	return withMargin(counted) + max(s.Hard(after), int64(times*float64(after)))
}
