package provider

import (
	"strings"

	"github.com/coppice-dev/coppice/message"
)

// overflow goes by listed texts, by shape, and by two numbers in a text about
// tokens, if the first is above the second. With the status or code of a rate
// limit only the list and the numbers count; a small one is of requests.
func (e *evidence) overflow() bool {
	if listed().MatchString(e.text) {
		return true
	}
	over := e.ctx.over() && tokenWord().MatchString(e.text)
	if notSize().MatchString(e.text) || e.limited() && !(over && e.ctx.limit >= minLearned) {
		return false
	}
	return over || sized().MatchString(e.text) && tooMuch().MatchString(e.text)
}

var (
	authCodes = []string{"authentication_error", "invalid_api_key", "permission_error", "permission_denied", "unauthenticated", "unauthorized",
		"invalid_authentication", "access_denied", "forbidden", "accessdeniedexception", "unrecognizedclientexception", "expiredtokenexception"}
	transientCodes = []string{"overloaded_error", "api_error", "server_error", "internal", "unavailable", "timeout_error", "service_unavailable",
		"service_unavailable_error", "internal_server_error", "internal_error", "engine_overloaded_error", "deadline_exceeded", "serviceunavailableexception",
		"internalserverexception", "modelstreamerrorexception"}
	// passingCodes stay what they are inside a refusal that says 4xx.
	passingCodes = []string{"overloaded_error", "api_error", "unavailable", "deadline_exceeded", "capacity_exceeded", "engine_overloaded_error",
		"modelnotreadyexception", "serviceunavailableexception"}
)

// auth matches a refused key. With a 400 the text must say so.
func (e *evidence) auth() bool {
	if e.status == 401 || e.status == 407 || authSurely().MatchString(e.text) {
		return true
	}
	return e.status < 500 && (e.hasCode(authCodes...) || authWords().MatchString(e.text))
}

func (e *evidence) transient() bool {
	if e.status >= 400 && e.status < 500 && e.status != 408 && e.status != 409 && e.status != 425 && e.status != 499 {
		return e.hasCode(passingCodes...) || e.status == 429 && transientWords().MatchString(e.text)
	}
	return e.status >= 500 && e.status != 501 || e.status == 408 || e.status == 409 || e.status == 425 || e.status == 499 ||
		e.hasCode(transientCodes...) || transientWords().MatchString(e.text) || e.status < 400 && isPage(e.text)
}

// silentOverflow handles refusals that give no reason: an empty 400 of a server
// known for it, and any unknown 400 to a request that nearly fills the window
// (docs/errors.md).
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

// byStatus decides when nothing in the text is recognized.
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
