package provider

import (
	"regexp"
	"strings"

	"github.com/coppice-dev/coppice/message"
)

// standardWindow is the window without a plan for long contexts (Anthropic).
const standardWindow = 200_000

// rules are tried in this order. What is told apart by particular words
// comes before what is told by shape, so that a look-alike ("exceeds the
// limit of 30000 tokens per minute") never reaches the general rules.
var rules = []rule{
	{message.ClassPairing, says(phrasePairing, notPairing)},
	{message.ClassThinking, (*evidence).thinking},
	{message.ClassBadRequest, says(phraseBadRequest, nil)},
	{message.ClassOverflow, (*evidence).overflowCode},
	{message.ClassOverflow, says(phraseLongContext, nil)},
	{message.ClassOverflow, func(e *evidence) bool { return e.rate.is && e.rate.neverFits }},
	{message.ClassQuota, (*evidence).quota},
	{message.ClassRateLimit, func(e *evidence) bool { return e.rate.is }},
	{message.ClassOverflowOutput, (*evidence).output},
	{message.ClassBytes, (*evidence).tooManyBytes},
	{message.ClassOverflow, (*evidence).overflow},
	{message.ClassRateLimit, func(e *evidence) bool { return e.hasCode("rate_limit_error", "rate_limit_exceeded") }},
	{message.ClassAuth, (*evidence).auth},
	{message.ClassTransient, (*evidence).transient},
	{message.ClassOverflow, (*evidence).silentOverflow},
}

// says makes a rule of a phrase and one that must not be there.
func says(yes, no func() *regexp.Regexp) func(*evidence) bool {
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

// Texts about one kind of damage in the request.
var (
	call   = `(?:tool[_ ]?(?:use|call)s?|function[_ ]?calls?|tooluse|tool_call_ids?)`
	answer = `(?:tool[_ ]?(?:result|output|response|message)s?|function[_ ]?(?:call )?(?:response|output|result)s?|toolresult|role '?"?tool'?"?|tool_use_id)`

	phrasePairing = lazy(call + `\b.{0,120}\b(?:without|missing|must|correspond\w*|follow\w*|immediately|match\w*|respond\w*|not found|equal|unexpected|same number|exceeds the number).{0,120}\b` + answer +
		`|` + answer + `\b.{0,120}\b(?:without|missing|must|correspond\w*|preced\w*|previous|match\w*|respon\w+|not found|equal|unexpected|exceeds the number).{0,120}\b` + call +
		`|unexpected.{0,12}tool_use_id|no tool (?:call|output) found for|(?:tool_use|tool call|tool_call|tool_result)['"]*[_ ]ids? .{0,20}(?:must be unique|duplicate|not found|unknown)` +
		`|tool_call_ids? did not have response|expected toolresult blocks|function call turn comes immediately|not the same number of function calls|duplicate tool_(?:result|use|call)|unexpected role '?tool|` + answer + `\b.{0,60}` + call + `\b.{0,40}(?:missing|not found|unknown)`)
	notPairing = lazy(`tool_?config field|expected ['"` + "`" + `]*(?:thinking|redacted_thinking)`)

	phraseThinking = lazy(`(?:thinking|reasoning|thought|redacted_thinking)['" _]*(?:blocks?|items?|content|signatures?)?\b.{0,80}(?:cannot be modified|must be passed back|must remain|not valid|is invalid|missing|could not be verified|without its required|required following)` +
		`|(?:invalid|missing|expected|bad|corrupt\w*|without its required|required following) ?(?:a |an |the |field )?['"]*(?:thought[_ ]?signature|thinking|reasoning_content|redacted_thinking|reasoning|signature['"]* in ['"]*thinking)` +
		`|encrypted[ _]content.{0,80}(?:could not be|invalid|cannot|not be (?:verified|decrypted)|mismatch)|must start with a thinking block|thinking\.signature`)
	thinkingBudget = lazy(`budget|max_tokens|not support|unsupported|thinking level|reasoning_effort|reasoning\.effort`)

	phraseBadRequest = lazy(`does not support (?:assistant )?(?:message )?prefill|must end with a user message|cache_control may be provided|tool_?config field must|requires --jinja|requires more system memory|does not support tools` +
		`|(?:not valid|invalid|malformed|could ?n.t parse|failed to (?:parse|decode)) (?:the )?(?:request )?(?:body|json)|is not valid json|no low surrogate|lone (?:leading )?surrogate|unexpected end of (?:hex escape|json)` +
		`|(?:content|text|blocks?|messages?|input)['"]* (?:is|are|can.?t be|cannot be|must be|must not be|must|should) ?(?:not be |non-?)?empty|non-?empty content|must contain non-whitespace text` +
		`|minimum token count to start caching|minimum number of tokens .{0,30}cach|unknown (?:parameter|field|name)|unrecognized (?:request )?argument|extra inputs are not permitted`)
)

func (e *evidence) thinking() bool {
	if e.hasCode("invalid_encrypted_content") {
		return true
	}
	return phraseThinking().MatchString(e.text) && !thinkingBudget().MatchString(e.text)
}

// Texts and codes of an overflow that need no second look.
var (
	phraseLongContext = lazy(`extra usage is required for long context|long context (?:beta|requests?) (?:is|are) not (?:yet )?(?:available|enabled)`)

	overflowCodes = []string{"context_length_exceeded", "exceed_context_size_error", "model_max_prompt_tokens_exceeded",
		"model_context_window_exceeded", "context_window_exceeded", "max_context_length_exceeded", "prompt_too_long"}
)

// overflowCode trusts a vendor's code, unless the numbers say that the input
// alone fits.
func (e *evidence) overflowCode() bool {
	return e.hasCode(overflowCodes...) && !e.ctx.onlyOutputIsTooMuch()
}

// budget is a rate limit as a text gives it.
type budget struct {
	is, neverFits          bool
	limit, used, requested int64
	unit                   message.Unit // tokens, or unknown: requests, money
}

var (
	rateWords = lazy(`rate[-_ ]?limit|too many requests|throttl|tokens?[-_ ]per[-_ ](?:min|sec|hour|day)|per (?:minute|min|second|hour|day)\b|/ ?min\b|\b[tr]p[md]\b|please wait before|requests? (?:frequency|rate)|slow down|resource.?exhausted|concurrency limit|too many concurrent|hourly|daily|quota exceeded|(?:try|retry)(?: again)? in \d`)
	rateLimit = lazy(`\blimit:? (\d[\d,_]*)`)
	rateUsed  = lazy(`\b(?:used|current):? (\d[\d,_]*)`)
	rateAsked = lazy(`\brequested:? (\d[\d,_]*)`)
	ratePer   = lazy(`(\d[\d,_]*) (?:[a-z]+ ){0,3}?(?:per|/) ?(?:minute|min|second|hour|day)`)
	tooLarge  = lazy(`request too large|too large for model|must be reduced in order to run`)
)

// readBudget reads a rate limit. A request above the whole budget never fits,
// however long one waits (spec, Two faces).
func readBudget(text string, ctx figures) budget {
	// Gateways put the code of a rate limit on anything that came with a 429,
	// so only words count here; the code alone comes later.
	b := budget{is: rateWords().MatchString(codeField().ReplaceAllString(text, ""))}
	if !b.is {
		return b
	}
	inTokens := strings.Contains(text, "token")
	if b.unit = message.UnitUnknown; inTokens {
		b.unit = message.UnitRate
	}
	b.limit = first(rateLimit(), text)
	if b.limit == 0 {
		b.limit = first(ratePer(), text)
	}
	if b.limit == 0 {
		b.limit = ctx.limit
	}
	b.used, b.requested = first(rateUsed(), text), first(rateAsked(), text)
	if b.used == 0 && b.requested == 0 && inTokens && ctx.input != b.limit {
		b.requested = ctx.requested()
	}
	if b.limit > 0 && b.requested > 0 {
		b.neverFits = b.requested > b.limit && inTokens
	} else {
		b.neverFits = tooLarge().MatchString(text) && inTokens
	}
	return b
}

func first(re *regexp.Regexp, text string) int64 {
	if m := re.FindStringSubmatch(text); m != nil {
		return number(m[1])
	}
	return 0
}

var (
	quotaCodes = []string{"insufficient_quota", "billing_error", "billing_hard_limit_reached", "usage_limit_reached", "usage_limit_exceeded", "insufficient_balance", "credits_exhausted", "budget_exceeded", "arrearage"}
	quotaWords = lazy(`insufficient[_ ](?:quota|balance|credits?|funds)|exceeded your current quota|quota (?:has been |is |was )?(?:exceeded|exhausted|reached)|credit balance is too low|(?:requires? more|out of|not enough|no|run out of) credits?\b|(?:usage|spending|spend|billing|monthly|weekly|account|plan|subscription|5-hour) (?:hard )?(?:token |usage |spend(?:ing)? )?limits?\b|payment required|billing|budget has been exceeded|account is in good standing|out of (?:budget|quota)|this month|monthly quota|balance (?:is )?(?:insufficient|too low|not enough)`)
	waitable   = lazy(`rate[-_ ]?limit|throttl|please wait|too many requests|(?:try|retry) (?:again )?(?:in|after) \d|per (?:min|sec)`)
	dayLimit   = lazy(`\bdaily\b|per day|\bmonthly\b`)
)

// quota distinguishes a spent budget from a short wait. Both come as 429; the vendors
// that name a wait in seconds mean it.
func (e *evidence) quota() bool {
	wordy := quotaWords().MatchString(e.text)
	if e.hasCode(quotaCodes...) || e.status == 402 {
		return true
	}
	short := wait(e.Header, e.text) > 0 || waitRaw().MatchString(e.text)
	if wordy {
		return !short
	}
	return dayLimit().MatchString(e.text) && !short && !waitable().MatchString(e.text)
}

var (
	outName    = `(?:max_(?:completion_|output_|new_)?tokens|maxoutputtokens|(?:output|completion) tokens)`
	outSetting = lazy(`(?:valid |supported )?range (?:of|for) ` + outName + `|` + outName + `['" ]*.{0,80}(?:must be (?:less|at most|no more|no greater|below|smaller|<|in|between)|supported range|cannot (?:exceed|be (?:greater|larger|more))|exceeds? (?:the )?(?:max|model|limit)|too (?:large|high|big)|above (?:the )?max|at most)` +
		`|` + outName + `: ?\d+ ?>|at most \d[\d,]* (?:completion|output) tokens|maximum (?:allowed )?number of output tokens|integer above maximum value`)
	outLimit = lazy(`\[ ?\d+ ?, ?(\d[\d,]*) ?\]|(?:less than or equal to|at most|no more than|no greater than|cannot exceed|exceed the (?:maximum|limit) (?:of )?|<=|maximum (?:value )?(?:of|is)|up to|value <=|between \d+ and|than) ?['"]?(\d[\d,]*)|to (\d[\d,]*) \((exclusive)|> ?(\d[\d,]*)`)
	outAsked = lazy(`(?:you provided|but got|value of|too large:|max_tokens: ?|provided:?|received:?|got) ?(\d[\d,]*)`)
	inputToo = lazy(`input length and|prompt (?:is )?too|\binputs?['"]? tokens|(?:input|prompt|messages).{0,40}exceed`)
)

// output holds where less output would help: the numbers show that the input
// fits, or the text is about the setting alone.
func (e *evidence) output() bool {
	if e.ctx.onlyOutputIsTooMuch() {
		return true
	}
	return outSetting().MatchString(e.text) && !inputToo().MatchString(e.text)
}

// outputSetting reads the limit of the setting itself.
func outputSetting(text string) (limit, asked int64) {
	if !outSetting().MatchString(text) || inputToo().MatchString(text) {
		return 0, 0
	}
	m := outLimit().FindStringSubmatch(text)
	if m == nil {
		return 0, 0
	}
	limit = max(number(m[1]), number(m[2]), number(m[3]), number(m[5]))
	if m[4] != "" {
		limit-- // the bound itself is out
	}
	return limit, first(outAsked(), text)
}

var (
	byteWords = lazy(`request[_ ]too[_ ]large|(?:request|payload|body|entity|upload|message|content)(?: (?:entity|body|payload|total))?(?: (?:size|length|is))? ?(?:is )?(?:too large|too big|exceeds? (?:the )?(?:max|limit|allowed|size))|total message size|maximum (?:request|body|payload|content) size|request size` +
		`|\b(?:image|document|pdf|file|media|attachment|audio|video)s?\b.{0,60}(?:exceed|too large|too big|too many|larger than|maximum)|too (?:much|many) (?:media|images|documents|files|pages)|maximum of \d+ (?:pdf )?(?:pages|images)|string too long\..*maximum length \d{6}`)
	byteUnits = lazy(`\d ?(?:bytes?|[kmg]i?b)\b`)
	pixels    = lazy(`\d ?(?:pixels?|px)\b`)
	tokenWord = lazy(`\btokens?\b|context|\bprompts?\b`)
)

// tooManyBytes holds where the size of the body is at fault and not what the
// model reads: fewer turns do not help against one large picture.
func (e *evidence) tooManyBytes() bool {
	if byteUnits().MatchString(e.text) && (byteWords().MatchString(e.text) || relation().MatchString(e.text)) {
		return true
	}
	if tokenWord().MatchString(e.text) {
		return false
	}
	return byteWords().MatchString(e.text) || e.status == 413 && !subject().MatchString(e.text)
}
