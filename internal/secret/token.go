package secret

import "strings"

// shape is a credential that is known by how it begins.
type shape struct {
	prefix string
	kind   string
	set    charset // what follows the prefix
	min    int     // minimum number of characters after the prefix
	max    int     // maximum; 0: no limit
	accept func(body string) bool
	shown  bool // the prefix says where it belongs and is shown
}

// longest is what is read of a body before it is accepted.
const longest = 512

// token finds a credential of a shape at i, the start of a word.
func (sc *scanner) token(e *entry, i int) span {
	start := i + len(e.prefix)
	limit := longest
	if e.max > 0 {
		limit = e.max + 1
	}
	end := sc.look(start, e.set, limit)
	if e.accept != nil && !e.accept(sc.s[start:end]) {
		return span{}
	}
	if e.max == 0 && end-start == limit {
		end = sc.run(end, e.set)
	}
	end = trimSentence(sc.s, start, end)
	if n := end - start; n < e.min || e.max > 0 && n > e.max || end < len(sc.s) && alnum(sc.s[end]) {
		return span{}
	}
	if e.shown {
		i = start
	}
	return span{i, end, e.kind}
}

// infixes are credentials whose first letters say too little: a function reads
// more of them.
var infixes = []struct {
	prefix string
	find   func(sc *scanner, i int) int
}{
	{"eyJ", (*scanner).jwt},
	{"A3-", (*scanner).onePassword},
}

// jwt finds a JSON web token: two or three base64url parts, of which the
// first two begin like a JSON object.
func (sc *scanner) jwt(i int) int {
	const minPart = 10
	head := sc.run(i, base64url)
	if head-i < minPart || !strings.HasPrefix(sc.s[head:], ".eyJ") {
		return max(sc.encoded(i, sc.look(i, word, head-i)), head)
	}
	end := sc.run(head+1, base64url)
	if end-head-1 < minPart {
		return end
	}
	if end < len(sc.s) && sc.s[end] == '.' {
		end = trimSentence(sc.s, i, sc.run(end+1, base64url|dot)) // an encrypted one has five parts
	}
	return sc.add(span{i, end, "jwt"})
}

// onePassword finds the secret key of an account: groups of capitals and digits.
func (sc *scanner) onePassword(i int) int {
	end := sc.look(i, upper|digit|dash, 64)
	if v := sc.s[i:end]; len(v) < 30 || strings.Count(v, "-") < 5 || end < len(sc.s) && alnum(sc.s[end]) {
		return i
	}
	return sc.add(span{i, end, "account-key"})
}
