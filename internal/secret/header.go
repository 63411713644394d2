package secret

import "strings"

// bearer finds the token after the word Bearer or Basic.
func (sc *scanner) bearer(i int) int {
	const minToken = 16
	s := sc.s
	end := sc.look(i, letters, 12)
	basic := strings.EqualFold(s[i:end], "basic")
	if !basic && !strings.EqualFold(s[i:end], "bearer") {
		return i
	}
	start := sc.look(end, blank, 5)
	if start == end || start-end > 4 {
		return i
	}
	stop := trimSentence(s, start, sc.look(start, tokenChars, longest))
	v := s[start:stop]
	if basic {
		if len(v) < 8 || !userAndPassword(v) {
			return i
		}
		return sc.add(span{start, stop, "bearer-token"})
	}
	if len(v) < minToken || placeholder(v) || classes(v).digits == 0 && len(v) < 2*minToken {
		return i
	}
	if len(v) >= longest-1 {
		stop = trimSentence(s, start, sc.run(start, tokenChars))
	}
	return sc.add(span{start, stop, "bearer-token"})
}

// schemes come before a token in the header Authorization.
var schemes = []string{"bearer", "basic", "token", "apikey", "api-key", "geniekey", "bot", "oauth", "ssws", "key", "digest", "negotiate", "hmac"}

// scheme finds the token after the name of a scheme, if the header is one of
// authorization. p is where its value begins.
func (sc *scanner) scheme(p int, header string) int {
	if !strings.HasSuffix(strings.ToLower(header), "authorization") {
		return p
	}
	s := sc.s
	end := sc.look(p, letters|dash, 16)
	start := sc.look(end, blank, 4)
	if start == end || !oneOf(schemes, strings.ToLower(s[p:end])) {
		return p
	}
	stop := trimSentence(s, start, sc.look(start, tokenChars, longest))
	if v := s[start:stop]; len(v) < 8 || placeholder(v) || classes(v).digits == 0 && len(v) < 32 && !userAndPassword(v) {
		return p
	}
	if stop-start >= longest-1 {
		stop = sc.run(start, tokenChars)
	}
	return sc.add(span{start, stop, "bearer-token"})
}

// cookies masks the random values of a Cookie header. s[i:] begins with its name.
func (sc *scanner) cookies(i int) int {
	const least = 16
	s := sc.s
	end := sc.look(i, letters|dash, 12)
	if end >= len(s) || s[end] != ':' || !strings.EqualFold(s[i:end], "cookie") && !strings.EqualFold(s[i:end], "set-cookie") {
		return i
	}
	p := end + 1
	for {
		p = sc.look(p, blank, 8)
		n := sc.look(p, nameChars|dot, maxName)
		if n == p || n >= len(s) || s[n] != '=' {
			return max(p, end)
		}
		stop := sc.run(n+1, (valueChars|at)&^special)
		for stop < len(s) && s[stop] == '%' {
			stop = sc.run(stop+1, (valueChars|at)&^special)
		}
		if v := s[n+1 : stop]; len(v) >= least && !placeholder(v) && !uuid(v) && (mixed(v) || len(v) >= 32 && classes(v).digits > 3) {
			sc.add(span{n + 1, stop, "cookie"})
		}
		if stop >= len(s) || s[stop] != ';' {
			return stop
		}
		p = stop + 1
	}
}
