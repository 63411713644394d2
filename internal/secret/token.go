package secret

import "strings"

// shape is a credential that is known by its prefix.
type shape struct {
	prefix string
	kind   string
	set    charset // what follows the prefix
	min    int     // minimum number of characters after the prefix
	max    int     // maximum; 0: no limit
	accept func(body string) bool
}

// shapes are tried in this order; a longer prefix comes before a shorter one
// that it begins with.
var shapes = []shape{
	{prefix: "AKIA", kind: "aws-key", set: upper | digit, min: 16, max: 16},
	{prefix: "ASIA", kind: "aws-key", set: upper | digit, min: 16, max: 16},
	{prefix: "ABIA", kind: "aws-key", set: upper | digit, min: 16, max: 16},
	{prefix: "ACCA", kind: "aws-key", set: upper | digit, min: 16, max: 16},
	{prefix: "AIza", kind: "google-key", set: base64url, min: 30},
	{prefix: "GOCSPX-", kind: "google-key", set: base64url, min: 20},
	{prefix: "ya29.", kind: "google-token", set: base64url, min: 20},
	{prefix: "ghp_", kind: "github-token", set: word, min: 20},
	{prefix: "gho_", kind: "github-token", set: word, min: 20},
	{prefix: "ghu_", kind: "github-token", set: word, min: 20},
	{prefix: "ghs_", kind: "github-token", set: word, min: 20},
	{prefix: "ghr_", kind: "github-token", set: word, min: 20},
	{prefix: "github_pat_", kind: "github-token", set: word | underscore, min: 20},
	{prefix: "glpat-", kind: "gitlab-token", set: base64url | dot, min: 16},
	{prefix: "gldt-", kind: "gitlab-token", set: base64url, min: 16},
	{prefix: "glptt-", kind: "gitlab-token", set: base64url, min: 16},
	{prefix: "glrt-", kind: "gitlab-token", set: base64url, min: 16},
	{prefix: "sk-ant-", kind: "anthropic-key", set: base64url, min: 16},
	{prefix: "sk-or-", kind: "api-key", set: base64url, min: 16, accept: random},
	{prefix: "sk-", kind: "openai-key", set: base64url, min: 20, accept: random},
	{prefix: "sk_live_", kind: "stripe-key", set: word, min: 10},
	{prefix: "sk_test_", kind: "stripe-key", set: word, min: 10},
	{prefix: "rk_live_", kind: "stripe-key", set: word, min: 10},
	{prefix: "rk_test_", kind: "stripe-key", set: word, min: 10},
	{prefix: "whsec_", kind: "stripe-key", set: base64, min: 20},
	{prefix: "xoxa-", kind: "slack-token", set: word | dash, min: 10},
	{prefix: "xoxb-", kind: "slack-token", set: word | dash, min: 10},
	{prefix: "xoxe-", kind: "slack-token", set: word | dash, min: 10},
	{prefix: "xoxe.", kind: "slack-token", set: word | dash | dot, min: 10},
	{prefix: "xoxo-", kind: "slack-token", set: word | dash, min: 10},
	{prefix: "xoxp-", kind: "slack-token", set: word | dash, min: 10},
	{prefix: "xoxr-", kind: "slack-token", set: word | dash, min: 10},
	{prefix: "xoxs-", kind: "slack-token", set: word | dash, min: 10},
	{prefix: "xapp-", kind: "slack-token", set: word | dash, min: 20},
	{prefix: "hooks.slack.com/services/", kind: "slack-webhook", set: word | slash, min: 20},
	{prefix: "npm_", kind: "npm-token", set: word, min: 30},
	{prefix: "pypi-", kind: "pypi-token", set: base64url, min: 50},
	{prefix: "hf_", kind: "huggingface-token", set: word, min: 30},
	{prefix: "gsk_", kind: "api-key", set: word, min: 40},
	{prefix: "xai-", kind: "api-key", set: word, min: 40},
	{prefix: "pplx-", kind: "api-key", set: word, min: 40},
	{prefix: "dop_v1_", kind: "api-key", set: lower | digit, min: 40},
	{prefix: "dapi", kind: "api-key", set: lower | digit, min: 32, max: 32, accept: hexDigits},
	{prefix: "SG.", kind: "api-key", set: base64url | dot, min: 60},
	{prefix: "hvs.", kind: "vault-token", set: base64url, min: 20},
	{prefix: "lin_api_", kind: "api-key", set: word, min: 30},
	{prefix: "AGE-SECRET-KEY-1", kind: "private-key", set: upper | digit, min: 50},
}

// byFirst are the shapes that begin with a byte.
var byFirst = func() (t [256][]*shape) {
	for i := range shapes {
		sh := &shapes[i]
		t[sh.prefix[0]] = append(t[sh.prefix[0]], sh)
	}
	return t
}()

// token finds a credential that begins at i, the start of a word.
func token(s string, i int) (span, int) {
	if strings.HasPrefix(s[i:], "eyJ") {
		return jwt(s, i)
	}
	for _, sh := range byFirst[s[i]] {
		if !strings.HasPrefix(s[i:], sh.prefix) {
			continue
		}
		start := i + len(sh.prefix)
		if sh.accept != nil && !sh.accept(s[start:look(s, start, sh.set)]) {
			continue
		}
		end := trimSentence(s, start, run(s, start, sh.set))
		n := end - start
		if n < sh.min || sh.max > 0 && n > sh.max || end < len(s) && alnum(s[end]) {
			continue
		}
		return span{i, end, sh.kind}, 0
	}
	return span{}, i + 1
}

// jwt finds a JSON web token: two or three base64url parts, of which the
// first two begin like a JSON object.
func jwt(s string, i int) (span, int) {
	const minPart = 10
	head := run(s, i, base64url)
	if head-i < minPart || !strings.HasPrefix(s[head:], ".eyJ") {
		return span{}, head
	}
	end := run(s, head+1, base64url)
	if end-head-1 < minPart {
		return span{}, end
	}
	if end < len(s) && s[end] == '.' {
		end = trimSentence(s, i, run(s, end+1, base64url))
	}
	return span{i, end, "jwt"}, 0
}

// random reports whether the body of a key is random, not a name made of words.
func random(body string) bool {
	c := classes(body)
	return c.longest >= 20 || c.digits > 0 && c.upper > 0 && c.lower > 0 || c.longest >= 16 && c.digits >= 2
}

func hexDigits(body string) bool {
	return strings.Trim(body, "0123456789abcdef") == ""
}
