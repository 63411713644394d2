package secret

import "strings"

// url finds the user part of scheme://user:password@host. s[i:] begins with the
// "://". The scan goes on after it: a token may be in any part.
func (sc *scanner) url(i int) int {
	s := sc.s
	start := i + 3
	user := sc.look(start, nameChars|dot|plus|equals|tilde|special, near)
	if user >= len(s) {
		return start
	}
	switch s[user] {
	case '@': // a token as the user
		if v := s[start:user]; hostAt(s, user+1) && !placeholder(v) && (mixed(v) || len(v) >= 24 && hexDigits(v)) {
			sc.add(span{start, user, "url-user"})
		}
	case ':':
		if end := sc.passwordEnd(user + 1); end > 0 {
			if v := s[start:user]; mixed(v) || len(v) >= 24 && hexDigits(v) {
				sc.add(span{start, user, "url-user"})
			}
			return sc.add(span{user + 1, end, "url-password"})
		}
	}
	return start
}

// passwordEnd returns the end of the password of a URL that begins at p, or 0. It
// ends at the first @ that a host follows: a slash, a bracket or another @ may be
// in it.
func (sc *scanner) passwordEnd(p int) int {
	s := sc.s
	for end := p; end < len(s) && end-p < near; end++ {
		sc.work++
		switch c := s[end]; {
		case c == '@' && hostAt(s, end+1):
			if v := s[p:end]; len(v) < 3 || placeholder(v) || portAndPath(v) || oneOf(plainWords[:10], strings.ToLower(v)) {
				return 0
			}
			return end
		case c <= ' ', c == '"', c == '\'', c == '`', c == '<', c == '>', c == '\\':
			return 0
		}
	}
	return 0
}

// portAndPath reports whether what follows the colon is a port, so that what came
// before it was a host.
func portAndPath(v string) bool {
	n := 0
	for n < len(v) && v[n] >= '0' && v[n] <= '9' {
		n++
	}
	return n > 0 && n <= 5 && n < len(v) && v[n] == '/'
}

// hostAt reports whether the name of a host is at p, and ends as one does.
func hostAt(s string, p int) bool {
	end := p
	for end < len(s) && end-p < near && class[s[end]]&(hostChars|underscore) != 0 {
		end++
	}
	if end == p {
		return p < len(s) && (s[p] == '[' || s[p] == '$' || s[p] == '{' || s[p] == '<' || s[p] == '%')
	}
	return end == len(s) || strings.IndexByte("@", s[end]) < 0
}

// numbered finds what a colon divides that has a number on one of its sides.
func (sc *scanner) numbered(i int) int {
	switch next := sc.s[i+1 : min(len(sc.s), i+2)]; {
	case next == "A":
		return sc.telegram(i)
	case next == "*", next != "" && class[next[0]]&digit != 0:
		return sc.passFile(i)
	}
	return i
}

// passFile finds the password of a line of a .pgpass file:
// host:port:database:user:password. s[i] is a colon.
func (sc *scanner) passFile(i int) int {
	s := sc.s
	port := sc.look(i+1, digit, 6)
	if port == i+1 && port < len(s) && s[port] == '*' {
		port++
	}
	if port-i < 2 || port >= len(s) || s[port] != ':' {
		return i
	}
	host := sc.back(i, hostChars|special, near)
	if host == i || host > 0 && s[host-1] != '\n' && class[s[host-1]]&(blank|quotation) == 0 {
		return i
	}
	p := port
	for range 2 {
		end := sc.look(p+1, hostChars|underscore|special, maxName)
		if end == p+1 || end >= len(s) || s[end] != ':' {
			return i
		}
		p = end
	}
	end := sc.look(p+1, valueChars, near)
	f := field{name: name{kind: password}, env: true}
	if v := s[p+1 : end]; strings.Contains(v, ":") || classes(v).digits == 0 || len(v) < 6 || !f.accepts(v) {
		return i
	}
	return sc.add(span{p + 1, end, "password"})
}
