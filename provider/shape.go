package provider

import (
	"strings"

	"github.com/coppice-dev/coppice/message"
)

// The shape of an overflow: something that has a size, and a relation that
// says it is too much.
var (
	subject = lazy(`context[ _-]?(?:length|window|size|limit|capacity|budget|tokens?)|(?:available|maximum|model'?s?|loaded|supported|the|llm|token) context\b|\btokens\b|\btoken (?:count|limit|length|budget|size|number|window)|\d-token\b|\bprompts?\b|\bkv cache\b|\bcontext of \d` +
		`|\b(?:input|sequence|conversation|history|transcript|chat|thread|dialog(?:ue)?|messages|session)\b(?:'s|s)?(?: \([^)]*\))?(?: (?:is|are|has|have|was|grew|length|size|sequence|history|of|with|grown|too|exceed\w*|\d+)\b)` +
		`|length of (?:all |the |your |these )*(?:messages|input|prompt|conversation)|上下文|输入|提示词`)
	relation = lazy(`exceed|\btoo (?:long|large|many|big|much)\b|(?:longer|greater|larger|more|bigger|higher) than|out of room|\bover (?:the|its|your|this|that|our)\b|\b(?:above|beyond|past) (?:the|its|what|model|your)\b|(?:does not|doesn'?t|won'?t|will not|cannot|can'?t|not|no longer|didn'?t) fit|overflow|surpass|outgr[eo]wn?|reached (?:its|the|your)|r[ua]n out|reduce (?:the|your) (?:length|size|number|prompt|input|message)|shorten|truncat\w+ (?:the|your)|no room|(?:is|are) full\b|exhausted|only (?:supports?|accepts?|has|fits|takes)|(?:is|of) only \d|(?:supports?|accepts?|allows?) (?:only|at most|up to|a maximum)|at most|(?:must|should) (?:be|have|not) (?:less|at most|fewer|under|below|shorter|smaller|no more|exceed)|range of|\blimit(?:ed)? (?:is|to|of)\b|maximum (?:is|of|allowed)|\d >|> \d|超过|超出|过长|太长`)

	// strong texts are judged without asking for the shape.
	strong = lazy(`context[ _-]?(?:length|window|size|limit)[ _-]?(?:is |was |has been )?(?:exceed|reached|overflow|full)|contextwindowexceeded|exceed_context_size|prompt (?:is )?too long|conversation (?:is )?too long|(?:input|prompt) (?:is )?too (?:long|large) for|too many (?:input )?tokens|token limit (?:was |is |has been )?exceeded|tokens? in request more than|reduce the length of (?:the )?messages|range of input length|exceeds? (?:max )?(?:context|prompt|input) length|exceeded (?:model )?token limit|context overflow|overflow(?:s|ed|ing)? the context|context the overflows|context shift|maximum context length|(?:reached|hit) (?:its|the) context|total length of all messages|\b(?:message|conversation|chat|history)\b.{0,30}\b(?:is|was|are|were) too (?:long|large)`)

	// notSize are texts in which tokens, context or a length mean something else.
	notSize = lazy(`deadline exceeded|context cancell?ed|(?:auth\w*|access|bearer|refresh|security|session|id|csrf|api|oauth|invalid) tokens?\b|upstream connect error|reset reason|content policy|flagged|tools?['"]?: array too long|logprobs|top_k|stop sequences?|embedding`)

	tooManyMessages = lazy(`(?:messages|input)['"]?: array too long|too many messages|number of messages exceed|maximum number of messages`)
)

// overflow judges by strong texts, by shape, and by two numbers of which the
// first is above the second in a text about tokens (user reports R120).
func (e *evidence) overflow() bool {
	if strong().MatchString(e.text) || tooManyMessages().MatchString(e.text) {
		return true
	}
	if notSize().MatchString(e.text) {
		return false
	}
	if subject().MatchString(e.text) && relation().MatchString(e.text) {
		return true
	}
	return e.ctx.over() && tokenWord().MatchString(e.text)
}

var (
	authCodes = []string{"authentication_error", "invalid_api_key", "permission_error", "permission_denied", "unauthenticated", "unauthorized", "invalid_authentication", "access_denied", "forbidden", "accessdeniedexception", "unrecognizedclientexception", "expiredtokenexception"}
	authWords = lazy(`(?:invalid|incorrect|missing|no|expired|wrong|revoked|bad|disabled)[ _'"]*(?:api|x-api|auth\w*|access|bearer|security)?[-_ ]?(?:key|token|credentials?)\b|api[ _-]?key (?:is )?(?:not valid|invalid|expired|required|missing|not found)|unauthorized|unauthenticated|authentication (?:failed|error|required)|x-api-key header is required|token (?:included in the request )?(?:is|has) (?:expired|invalid)|not authorized|permission denied|forbidden`)

	// authSure is nothing but a refused key, whatever a gateway made of it.
	authSure = lazy(`invalid x-api-key|incorrect api key|api key not valid|invalid subscription key|you don.t have access to the model`)

	transientCodes = []string{"overloaded_error", "api_error", "server_error", "internal", "unavailable", "timeout_error", "service_unavailable", "service_unavailable_error", "internal_server_error", "internal_error", "engine_overloaded_error", "deadline_exceeded", "serviceunavailableexception", "internalserverexception", "modelstreamerrorexception"}
	transientWords = lazy(`overloaded|service (?:is )?(?:temporarily )?unavailable|temporarily unavailable|server (?:had an )?error|internal (?:server )?error|timed? ?out|deadline exceeded|connection (?:error|refused|reset|closed|lost)|bad gateway|gateway time|upstream connect|reset before headers|other side closed|fetch failed|socket hang up|econnreset|unexpected eof|try again later|at capacity|high demand|heavy load|network error|terminated|no endpoints? (?:found|available)|no such host|goaway|stream (?:id|error).{0,40}internal_error|servers? (?:is )?busy|not ready for inference|try your request again`)
	// passing are those that stay what they are inside a refusal that says 4xx:
	// of a gateway, or of a vendor with codes of its own.
	passing      = lazy(`currently overloaded|servers? (?:is )?busy|not ready for inference|try your request again`)
	passingCodes = []string{"overloaded_error", "api_error", "unavailable", "deadline_exceeded", "capacity_exceeded", "engine_overloaded_error", "modelnotreadyexception", "serviceunavailableexception"}
)

// auth holds for a refused key. A 400 needs the words.
func (e *evidence) auth() bool {
	if e.status == 401 || e.status == 407 || authSure().MatchString(e.text) {
		return true
	}
	return e.status < 500 && (e.hasCode(authCodes...) || authWords().MatchString(e.text))
}

func (e *evidence) transient() bool {
	if e.status >= 400 && e.status < 500 && e.status != 408 && e.status != 409 && e.status != 425 {
		return e.hasCode(passingCodes...) || passing().MatchString(e.text) || e.status == 429 && transientWords().MatchString(e.text)
	}
	return e.status >= 500 && e.status != 501 || e.status == 408 || e.status == 409 || e.status == 425 ||
		e.hasCode(transientCodes...) || transientWords().MatchString(e.text)
}

// silentOverflow judges refusals that do not say why: an empty 400 of a
// server known for it, and any unknown 400 to a request that nearly fills the
// window (user reports R006, R125).
func (e *evidence) silentOverflow() bool {
	if e.status != 400 && e.status != 422 {
		return false
	}
	empty := e.text == "" || strings.Contains(e.text, "no body")
	if empty && (strings.Contains(e.Provider, "cerebras") || strings.Contains(e.Provider, "mistral")) {
		return true
	}
	if e.Window <= 0 || e.Estimate <= 0 {
		return false
	}
	if empty {
		return e.Estimate > e.Window/100*80
	}
	return e.Estimate > e.Window/100*85
}

// byStatus is the judgement where the text says nothing that is known.
func (e *evidence) byStatus() message.Class {
	switch s := e.status; {
	case s == 401, s == 403, s == 407:
		return message.ClassAuth
	case s == 402:
		return message.ClassQuota
	case s == 413:
		return message.ClassBytes
	case s == 429:
		return message.ClassRateLimit
	case s == 501:
		return message.ClassBadRequest
	case s >= 500:
		return message.ClassTransient
	case s >= 400, e.hasCode("invalid_request_error", "invalid_argument", "bad_request", "not_found_error", "invalid_request_body"):
		return message.ClassBadRequest
	}
	return message.ClassUnknown
}
