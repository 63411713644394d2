package secret

import (
	"slices"
	"strings"
)

// assignment finds the value of a named secret: password=…, api_key: "…",
// "clientSecret": "…", token := "…". s[i] is the separator. It returns where to
// go on.
func (sc *scanner) assignment(i int) int {
	s := sc.s
	start, end := sc.nameBefore(i)
	if start == end {
		return i + 1
	}
	f := field{name: nameOf(s[start:end]), query: start > 0 && (s[start-1] == '?' || s[start-1] == '&')}
	if f.kind == noSecret {
		if f.name = sc.otherName(start, end, f.query); f.kind == noSecret {
			return i + 1
		}
	}
	if s[i] == ':' && strings.EqualFold(s[start:end], "pass") && testResult(s, start, i) {
		return i + 1
	}
	p := i
	for p < len(s) && p-i < 3 && strings.IndexByte(":=>", s[p]) >= 0 {
		p++
	}
	f.env = s[i] == '=' && end == i && p == i+1 && !f.query && (f.caps && !isCapsConst(s, start) || strings.HasPrefix(s[start:end], "--"))
	p = sc.look(p, blank, 40)
	if s[i] == ':' && p < len(s) && (s[p] == '\n' || s[p] == '\r' || s[p] == '|' || s[p] == '>') {
		return sc.nextLine(i, start, p, f)
	}
	if p < len(s) && f.kind == credential && alnum(s[p]) {
		if next := sc.scheme(p, s[start:end]); next > p {
			return next
		}
	}
	sp, next := sc.value(p, f)
	if sp.end > 0 {
		return sc.add(sp)
	}
	return max(next, i+1)
}

// isCapsConst reports whether what comes before a name shows code, not a shell.
func isCapsConst(s string, start int) bool {
	return start > 0 && (s[start-1] == '.' || s[start-1] == '$')
}

// nameBefore returns the identifier that ends before i; quotes, brackets and
// blanks may come between.
func (sc *scanner) nameBefore(i int) (start, end int) {
	s := sc.s
	end = sc.back(i, blank|quotation, 32)
	start = sc.back(end, nameChars, maxName)
	if start > 0 && s[start-1] == '\\' && start < end && strings.IndexByte("nrt", s[start]) >= 0 {
		start++ // an escape, not a letter
	}
	return start, end
}

// otherName judges names that are secrets only where they are: the type after a
// name, the value of a pair of name and value, a signature in a URL, the d of a
// key in JSON.
func (sc *scanner) otherName(start, end int, query bool) name {
	s := sc.s
	n := s[start:end]
	is := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.EqualFold(n, w) })
	}
	switch {
	case query && is("sig", "signature", "x-amz-signature", "x-goog-signature", "key", "code"):
		return name{kind: credential}
	case is("string", "str"):
		at := sc.back(start, blank|colon|special, 6)
		return nameOf(s[sc.back(at, nameChars, maxName):at])
	case len(n) >= 5 && strings.EqualFold(n[len(n)-5:], "value"):
		return sc.labelBefore(start)
	case n == "d" && strings.Contains(s[max(0, start-4*near):min(len(s), start+4*near)], `"kty"`):
		sc.work += 8 * near
		return name{kind: credential}
	}
	return name{}
}

// labelBefore finds the name of a pair that is written as two members or
// attributes: name="DB_PASSWORD" value="…". The value's name begins at start.
func (sc *scanner) labelBefore(start int) name {
	s := sc.s[max(0, start-128):start]
	sc.work += len(s)
	l := strings.ToLower(s)
	for end := len(l); end > 0; {
		i := max(strings.LastIndex(l[:end], "name"), strings.LastIndex(l[:end], "key"))
		if i < 0 {
			return name{}
		}
		end = i
		for i < len(s) && class[s[i]]&letters != 0 {
			i++
		}
		from := i
		for i < len(s) && (class[s[i]]&(blank|quotation) != 0 || s[i] == ':' || s[i] == '=') && i-from < 12 {
			i++
		}
		to := i
		for to < len(s) && class[s[to]]&(nameChars|dot) != 0 {
			to++
		}
		if i > from && to > i && to-i <= maxName && strings.ContainsAny(s[from:i], ":=") && !strings.ContainsAny(s[to:], "}>") {
			return nameOf(s[i:to])
		}
	}
	return name{}
}

// argument finds the second argument of define('DB_PASSWORD', '…') and the like.
// s[i] is the comma.
func (sc *scanner) argument(i int) int {
	s := sc.s
	if i == 0 || s[i-1] != '\'' && s[i-1] != '"' {
		return i + 1
	}
	end := sc.back(i-1, quotation&^0, 1)
	start := sc.back(end, nameChars|dot|colon|slash, maxName)
	open := sc.back(start, quotation, 2)
	if start == end || open == start || s[max(0, open-1):start] == "" || !strings.Contains(s[max(0, start-3):start], "(") {
		return i + 1
	}
	f := field{name: nameOf(s[start+strings.LastIndexAny(s[start:end], ".:/")+1 : end])}
	p := sc.look(i+1, blank, 8)
	if f.kind == noSecret || p >= len(s) || strings.IndexByte("\\\"'`", s[p]) < 0 {
		return i + 1
	}
	if sp, _ := sc.value(p, f); sp.end > 0 {
		return sc.add(sp)
	}
	return i + 1
}

// element finds the content of <password>…</password>. s[i] is the >.
func (sc *scanner) element(i int) int {
	s := sc.s
	start := sc.back(i, nameChars, maxName)
	if start == i || start == 0 || s[start-1] != '<' && s[start-1] != ':' {
		return i + 1
	}
	f := field{name: nameOf(s[start:i]), quoted: true}
	if f.kind == noSecret {
		return i + 1
	}
	rest := s[i+1 : min(len(s), i+1+4*near)]
	sc.work += len(rest)
	n := strings.IndexByte(rest, '<')
	if n < 0 || !strings.HasPrefix(rest[n:], "</") {
		return i + 1
	}
	v := strings.TrimSpace(rest[:n])
	if !f.accepts(v) {
		return i + 1
	}
	from := i + 1 + strings.Index(rest, v)
	return sc.add(span{from, from + len(v), f.kind.String()})
}

// testResult reports whether a name and its colon say that a test passed, as
// runners of tests print it: "--- PASS: TestV2 (0.00s)", "PASS: test_login2". It
// begins with "PASS" or comes before the name of a test.
func testResult(s string, start, colon int) bool {
	if s[start:colon] == "PASS" {
		return true
	}
	value := s[colon:min(len(s), colon+maxName)]
	if i := strings.IndexByte(value, '\n'); i >= 0 {
		value = value[:i]
	}
	return strings.HasSuffix(s[:start], "--- ") || strings.Contains(strings.ToLower(value), "test")
}
