package secret

import "strings"

// scan finds the built-in shapes in one pass over s.
func scan(s string) []span {
	var spans []span
	for i := 0; i < len(s); {
		found, next := at(s, i)
		if found.end > 0 {
			spans = append(spans, found)
			next = found.end
		}
		i = max(next, i+1)
	}
	return spans
}

// at looks for a secret whose first distinctive character is s[i]. A span with
// end 0 means none; next is then where to continue.
func at(s string, i int) (found span, next int) {
	switch c := s[i]; {
	case c == ':' && strings.HasPrefix(s[i:], "://"):
		return urlPassword(s, i)
	case c == ':' || c == '=':
		return assignment(s, i)
	case c == '-':
		if strings.HasPrefix(s[i:], pemBegin) {
			return pem(s, i)
		}
		return flag(s, i)
	case !alnum(c) || !wordStart(s, i):
		return span{}, i + 1
	case c == 'b' || c == 'B':
		if sp := bearer(s, i); sp.end > 0 {
			return sp, 0
		}
	}
	return token(s, i)
}

// wordStart reports whether no letter or digit comes before i. A letter that
// belongs to an escape (\n in quoted JSON) does not count.
func wordStart(s string, i int) bool {
	return i == 0 || !alnum(s[i-1]) || i > 1 && s[i-2] == '\\'
}

// urlPassword finds the password of scheme://user:password@host. s[i:] begins
// with the "://".
func urlPassword(s string, i int) (span, int) {
	user := run(s, i+3, userinfo)
	if user >= len(s) || s[user] != ':' {
		return span{}, max(user, i+3)
	}
	start := user + 1
	end := run(s, start, userinfo|colon)
	if end >= len(s) || s[end] != '@' || end-start < 3 || placeholder(s[start:end]) {
		return span{}, end
	}
	return span{start, end, "url-password"}, 0
}

// bearer finds the token after the word Bearer or Basic.
func bearer(s string, i int) span {
	const minToken = 16
	word := run(s, i, letters)
	switch strings.ToLower(s[i:word]) {
	case "bearer", "basic":
	default:
		return span{}
	}
	start := run(s, word, blank)
	if start == word || start-word > 4 {
		return span{}
	}
	end := trimSentence(s, start, run(s, start, tokenChars))
	v := s[start:end]
	if len(v) < minToken || placeholder(v) || classes(v).digits == 0 && len(v) < 2*minToken {
		return span{}
	}
	return span{start, end, "bearer-token"}
}

const pemBegin = "-----BEGIN "

// pem finds a private key block, complete or cut off. s[i:] begins with pemBegin.
func pem(s string, i int) (span, int) {
	label := i + len(pemBegin)
	n := run(s, label, letters|digits|blank)
	if !strings.HasSuffix(s[label:n], "PRIVATE KEY") && !strings.HasSuffix(s[label:n], "PRIVATE KEY BLOCK") || !strings.HasPrefix(s[n:], "-----") {
		return span{}, n
	}
	const minLine = 16 // shorter runs are words in a text about keys
	end, keyed := n+5, false
	for p := end; p < len(s); {
		p = skipLineEnds(s, p)
		if strings.HasPrefix(s[p:], "-----END ") {
			if e := strings.Index(s[p+5:min(len(s), p+80)], "-----"); e > 0 && keyed {
				end = p + 5 + e + 5
			}
			break
		}
		if line := pemHeader(s, p); line > p {
			p = line
			continue
		}
		body := run(s, p, base64)
		if body-p < minLine && !(keyed && body > p && s[body-1] == '=') {
			if keyed && body > p && strings.HasPrefix(s[skipLineEnds(s, body):], "-----END ") {
				p, end = body, body
				continue
			}
			break
		}
		keyed = true
		p, end = body, body
	}
	if !keyed {
		return span{}, n
	}
	return span{i, end, "private-key"}, 0
}

// pemHeader returns the end of a header line of a key block, or p.
func pemHeader(s string, p int) int {
	const maxLine = 200
	for _, name := range []string{"Proc-Type:", "DEK-Info:", "Version:", "Comment:"} {
		if strings.HasPrefix(s[p:], name) {
			return run(s[:min(len(s), p+maxLine)], p, printable)
		}
	}
	return p
}

// skipLineEnds skips white space, escaped line ends and what quotes a line.
func skipLineEnds(s string, p int) int {
	for p < len(s) {
		switch c := s[p]; {
		case c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '"' || c == '\'' || c == '>' || c == '+' && p > 0 && s[p-1] == '\n':
			p++
		case c == '\\' && p+1 < len(s) && (s[p+1] == 'n' || s[p+1] == 'r' || s[p+1] == 't'):
			p += 2
		default:
			return p
		}
	}
	return p
}
