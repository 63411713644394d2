package provider

import (
	"regexp"
	"strings"

	"github.com/coppice-dev/coppice/internal/kinds"
	"github.com/coppice-dev/coppice/internal/lazy"
	"github.com/coppice-dev/coppice/message"
)

// budget is a rate limit as described by an error text.
type budget struct {
	is, neverFits          bool
	limit, used, requested int64
	unit                   message.Unit // tokens, or unknown: requests, money
}

var (
	rateLimit = lazy.Regexp(`\blimit:? (\d[\d,_]*)`)
	rateUsed  = lazy.Regexp(`\b(?:used|current):? (\d[\d,_]*)`)
	rateAsked = lazy.Regexp(`\brequested:? (\d[\d,_]*)`)
	spent     = lazy.Regexp(`\b(?:sent|used|consumed|usage)\b`)
	tokensPer = lazy.Regexp(`(?:^|[ (:])(\d[\d,_]*) (?:[a-z]+ )?tokens? (?:per|/) ?(?:minute|min|second|hour|day)`)
	ratePer   = lazy.Regexp(`(\d[\d,_]*) (?:[a-z]+ ){0,3}?(?:per|/) ?(?:minute|min|second|hour|day)`)
)

// readBudget reads a rate limit. A request above the whole budget never fits,
// however long one waits (docs/errors.md, Two faces).
func readBudget(text string, ctx figures) budget {
	// Gateways put the code of a rate limit on anything that came with a 429,
	// so only words count here; the code alone comes later.
	b := budget{is: rateWords().MatchString(codeField().ReplaceAllString(text, ""))}
	if !b.is {
		return b
	}
	inTokens := strings.Contains(text, "token") && (!requestsCounted().MatchString(text) || tokensCounted().MatchString(text))
	if b.unit = kinds.UnitUnknown; inTokens {
		b.unit = kinds.UnitRate
	}
	for _, re := range []func() *regexp.Regexp{tokensPer, rateLimit, ratePer} {
		if b.limit = first(re(), text); b.limit > 0 {
			break
		}
	}
	if b.limit == 0 {
		b.limit = ctx.limit
	}
	b.used, b.requested = first(rateUsed(), text), first(rateAsked(), text)
	if b.used == 0 && b.requested == 0 && inTokens && ctx.input != b.limit {
		if b.requested = sent(text, b.limit); spent().MatchString(text) { // by many requests, not by this one
			b.used, b.requested = b.requested, 0
		}
	}
	if b.limit > 0 && b.requested > 0 {
		b.neverFits = b.requested > b.limit && inTokens
	} else {
		b.neverFits = aboveRate().MatchString(text) && inTokens
	}
	return b
}

// sent is the largest number of a text that is the size of a request; 0: none.
func sent(text string, limit int64) (most int64) {
	for _, n := range scan(text) {
		if !n.bytes && n.role != roleLimit && n.value != limit {
			most = max(most, n.value)
		}
	}
	return most
}

func first(re *regexp.Regexp, text string) int64 {
	if m := re.FindStringSubmatch(text); m != nil {
		return number(m[1])
	}
	return 0
}
