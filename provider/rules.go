package provider

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/coppice-dev/coppice/internal/lazy"
	"github.com/coppice-dev/coppice/message"
)

// standardWindow is the window without a plan for long contexts (Anthropic).
const standardWindow = 200_000

// rules are tried in this order. Rules about structure and particular words come
// before rules about shape, so that a look-alike ("exceeds the limit of 30000
// tokens per minute") never reaches the general rules.
var rules = []rule{
	{message.ClassPairing, saying(pairingWords, notPairing)},
	{message.ClassThinking, (*evidence).thinking},
	{message.ClassBadRequest, (*evidence).partTooLarge},
	{message.ClassBytes, (*evidence).partTooHeavy},
	{message.ClassBadRequest, saying(badImage, nil)},
	{message.ClassBadRequest, saying(badRequest, nil)},
	{message.ClassBadRequest, saying(minimum, notMinimum)},
	{message.ClassOverflow, (*evidence).overflowCode},
	{message.ClassOverflow, saying(longContext, nil)},
	{message.ClassOverflow, func(e *evidence) bool { return e.rate.is && e.rate.neverFits }},
	{message.ClassRateLimit, (*evidence).perMinute},
	{message.ClassQuota, (*evidence).quota},
	{message.ClassTransient, saying(transientSurely, nil)},
	{message.ClassRateLimit, func(e *evidence) bool { return e.rate.is }},
	{message.ClassOverflowOutput, (*evidence).output},
	{message.ClassBytes, (*evidence).tooManyBytes},
	{message.ClassOverflow, (*evidence).overflow},
	{message.ClassRateLimit, func(e *evidence) bool { return e.hasCode(rateCodes...) }},
	{message.ClassAuth, (*evidence).auth},
	{message.ClassTransient, (*evidence).transient},
	{message.ClassOverflow, (*evidence).silentOverflow},
}

// The blocks of the data file.
var (
	pairingWords    = says("pairing")
	notPairing      = says("not pairing")
	thinkingRestore = says("thinking restore")
	thinkingWords   = says("thinking")
	notThinking     = says("not thinking")
	badRequest      = says("bad request")
	badImage        = says("bad image")
	minimum         = says("minimum")
	notMinimum      = says("not minimum")
	listed          = says("overflow")
	sized           = says("size")
	tooMuch         = says("too much")
	notSize         = says("not size")
	longContext     = says("long context")
	rateWords       = says("rate")
	aboveRate       = says("above rate")
	requestsCounted = says("requests counted")
	tokensCounted   = says("tokens counted")
	quotaSurely     = says("quota surely")
	quotaWords      = says("quota")
	longWait        = says("long wait")
	shortWait       = says("short wait")
	outSetting      = says("output setting")
	outShape        = says("output shape")
	notOutShape     = says("not output shape")
	inputToo        = says("input too")
	byteWords       = says("bytes")
	authWords       = says("auth")
	authSurely      = says("auth surely")
	transientWords  = says("transient")
	transientSurely = says("transient surely")
)

// saying makes a rule of words that must be present and words that must not.
func saying(yes, no func() *regexp.Regexp) func(*evidence) bool {
	return func(e *evidence) bool {
		return yes().MatchString(e.text) && (no == nil || !no().MatchString(e.text))
	}
}

func (e *evidence) hasCode(codes ...string) bool {
	for _, c := range codes {
		if e.codes[c] {
			return true
		}
	}
	return false
}

func (e *evidence) thinking() bool {
	if e.hasCode("invalid_encrypted_content") || thinkingRestore().MatchString(e.text) {
		return true
	}
	return thinkingWords().MatchString(e.text) && !notThinking().MatchString(e.text)
}

func (e *evidence) partTooLarge() bool { return e.part == message.ClassBadRequest }
func (e *evidence) partTooHeavy() bool { return e.part == message.ClassBytes }

var overflowCodes = []string{"context_length_exceeded", "exceed_context_size_error", "model_max_prompt_tokens_exceeded",
	"model_context_window_exceeded", "context_window_exceeded", "max_context_length_exceeded", "prompt_too_long"}

// overflowCode trusts a vendor's code, unless the numbers say that the input
// alone fits.
func (e *evidence) overflowCode() bool {
	return e.hasCode(overflowCodes...) && !e.ctx.onlyOutputIsTooMuch()
}

var (
	rateCodes  = []string{"rate_limit_error", "rate_limit_exceeded", "too_many_requests", "rate_limited"}
	quotaCodes = []string{"insufficient_quota", "billing_error", "billing_hard_limit_reached", "usage_limit_reached", "usage_limit_exceeded", "insufficient_balance",
		"credits_exhausted", "budget_exceeded", "arrearage", "token_quota_exceeded", "request_quota_exceeded", "exceeded_current_quota_error"}
	// z.ai uses 429 for everything: limits of five hours, a week or a month, a
	// plan, the balance.
	zaiQuota = []string{"1308", "1310", "1316", "1317", "1318", "1319", "1320", "1321", "1309", "1311", "1313", "1314", "1315", "1113"}
)

// limited reports whether the status or code says that a limit over time was hit.
// The wording alone never makes such a refusal an overflow.
func (e *evidence) limited() bool {
	return e.status == 429 || e.hasCode(rateCodes...) || e.hasCode(quotaCodes...)
}

var (
	minuteQuota = lazy.Regexp(`allocated quota exceeded|current requests list|quotaid\W{1,6}[a-z]*perminute`)
	ownQuota    = lazy.Regexp(`exceeded your current quota`)
)

// perMinute matches per-minute limits that are called a quota: by DashScope,
// whose wording means money elsewhere, by Gemini, which names the quota, and by
// Cerebras, whose codes are the same for a day.
func (e *evidence) perMinute() bool {
	if e.hasCode("token_quota_exceeded", "request_quota_exceeded") {
		return strings.Contains(e.text, "per minute") || strings.Contains(e.text, "per hour") || strings.Contains(e.text, "per second")
	}
	dashScope := strings.Contains(e.Provider, "dashscope") || strings.Contains(e.Provider, "alibaba") || strings.Contains(e.Provider, "qwen")
	return minuteQuota().MatchString(e.text) || dashScope && ownQuota().MatchString(e.text)
}

// quota distinguishes a spent budget from a short wait. Both come as 429; the
// vendors that name a wait in seconds mean it.
func (e *evidence) quota() bool {
	if e.hasCode(quotaCodes...) || e.status == 402 || quotaSurely().MatchString(e.text) || e.status == 429 && e.hasCode(zaiQuota...) {
		return true
	}
	short := wait(e.Header, e.text) > 0 || waitRaw().MatchString(e.text)
	if quotaWords().MatchString(e.text) {
		return !short
	}
	return longWait().MatchString(e.text) && !short && !shortWait().MatchString(e.text)
}

// afford is what an account has left for the output of one request, as OpenRouter
// says it.
var (
	afford = lazy.Regexp(`can only afford (\d[\d,_]*)`)
	asking = lazy.Regexp(`requested up to (\d[\d,_]*) tokens`)
)

// output matches where less output would help: the numbers show that the input
// fits, or the text is about the setting alone.
func (e *evidence) output() bool {
	if e.ctx.onlyOutputIsTooMuch() {
		return true
	}
	return aboutOutput(e.text)
}

// aboutOutput reports whether a text is about the output alone.
func aboutOutput(text string) bool {
	if inputToo().MatchString(text) {
		return false
	}
	return outSetting().MatchString(text) || outShape().MatchString(text) && !notOutShape().MatchString(text) && !byteUnits().MatchString(text) &&
		(tooMuch().MatchString(text) || limitIn.Get().MatchString(text))
}

var (
	outLimit = lazy.Regexp(`\[ ?\d+ ?, ?(\d[\d,]*) ?\]|(?:less than or equal to|at most|no more than|no greater than|cannot exceed|exceed the (?:maximum|limit) (?:of )?|<=|maximum (?:value )?(?:of|is)|up to|value <=|cap is|maximum:?|between \d+ and|than) ?['"]?(\d[\d,]*)|to (\d[\d,]*) \((exclusive)|> ?(\d[\d,]*)`)
	outAsked = lazy.Regexp(`(?:you provided|but got|value of|too large:|max_tokens: ?|provided:?|received:?|got) ?(\d[\d,]*)`)
)

// outputSetting reads the limit of the setting itself.
func outputSetting(text string) (limit, asked int64) {
	if !aboutOutput(text) {
		return 0, 0
	}
	low, high := extremes(text)
	if m := outLimit().FindStringSubmatch(text); m != nil {
		limit = max(number(m[1]), number(m[2]), number(m[3]), number(m[5]))
		if m[4] != "" {
			limit-- // the bound itself is out
		}
	} else if limit = low; limit == 0 {
		return 0, 0
	}
	if asked = first(outAsked(), text); asked == 0 && high > limit {
		asked = high
	}
	return limit, asked
}

// extremes are the smallest and the largest number of tokens that a text names:
// of two that are about one thing, the smaller is its limit. low is 0 if there is
// one number and no word says that it is a limit.
func extremes(text string) (low, high int64) {
	numbers := slices.DeleteFunc(scan(text), func(n figure) bool { return n.bytes || n.value == 0 })
	if len(numbers) == 0 {
		return 0, 0
	}
	byValue := func(a, b figure) int { return cmp.Compare(a.value, b.value) }
	least, most := slices.MinFunc(numbers, byValue), slices.MaxFunc(numbers, byValue)
	if least.value == most.value && !slices.ContainsFunc(numbers, func(n figure) bool { return n.role == roleLimit }) {
		return 0, most.value
	}
	return least.value, most.value
}

var (
	byteUnits = lazy.Regexp(`\d ?(?:bytes?|[kmg]i?b)\b`)
	tokenWord = lazy.Regexp(`\btokens?\b|context|\bprompts?\b`)
	wholeBody = lazy.Regexp(`\b(?:request|payload|body|entity|total message)\b`)
)

// tooManyBytes matches where the size of the body, or of one part of it, is the
// problem and not what the model reads: dropping turns does not help with one
// large image.
func (e *evidence) tooManyBytes() bool {
	if byteUnits().MatchString(e.text) && (byteWords().MatchString(e.text) || tooMuch().MatchString(e.text)) {
		return true
	}
	if tokenWord().MatchString(e.text) {
		return false
	}
	return byteWords().MatchString(e.text) || e.status == 413 && !sized().MatchString(e.text)
}
