package secret

import (
	"slices"
	"strings"
)

// maxName bounds the look back for the name of a value, in bytes.
const maxName = 64

// assignment finds the value of a named secret: password=…, api_key: "…",
// "clientSecret": "…", token := "…". s[i] is the separator.
func assignment(s string, i int) (span, int) {
	name := nameBefore(s, i)
	if name == "" {
		return span{}, i + 1
	}
	kind := secretName(name)
	if kind == "" {
		return span{}, i + 1
	}
	p := i
	for p < len(s) && p-i < 3 && strings.IndexByte(":=>", s[p]) >= 0 {
		p++
	}
	p = min(run(s, p, blank), p+8)
	return value(s, p, kind)
}

// flag finds the value of --password … on a command line.
func flag(s string, i int) (span, int) {
	if !strings.HasPrefix(s[i:], "--") {
		return span{}, i + 1
	}
	start := i + 2
	end := run(s[:min(len(s), start+maxName)], start, word|dash|underscore)
	if end == start || end >= len(s) || s[end] != ' ' {
		return span{}, start
	}
	kind := secretName(s[start:end])
	if kind == "" {
		return span{}, end
	}
	return value(s, end+1, kind)
}

// nameBefore returns the identifier that ends before i; quotes and blanks may
// come between.
func nameBefore(s string, i int) string {
	end := i
	for end > 0 && i-end < 8 && class[s[end-1]]&(blank|quotation) != 0 {
		end--
	}
	start := end
	for start > 0 && end-start < maxName && class[s[start-1]]&(word|dash|underscore) != 0 {
		start--
	}
	return s[start:end]
}

// secretWords occur in the names of secrets; notSecretEnds end names that only
// refer to one. Separators are removed from names before they are compared.
var (
	passwordWords = []string{"password", "passwd", "passphrase"}
	secretWords   = []string{"secret", "token", "apikey", "accesskey", "privatekey", "accountkey", "authkey",
		"signingkey", "encryptionkey", "credential", "authorization"}
	notSecretEnds = []string{"hash", "sha", "sha1", "sha256", "digest", "id", "ids", "count", "limit", "url", "uri", "path",
		"file", "name", "tokens", "type", "length", "size", "at", "expires", "expiry", "algorithm", "method"}
)

// secretName returns the kind of secret that a name suggests, or "".
func secretName(name string) string {
	n := squeeze(name)
	holds := func(w string) bool { return strings.Contains(n, w) }
	ends := func(w string) bool { return strings.HasSuffix(n, w) }
	switch {
	case len(n) < 3:
		return ""
	case slices.ContainsFunc(passwordWords, holds), n == "pwd", ends("dbpwd"), ends("userpwd"):
		if !slices.ContainsFunc(notSecretEnds, ends) {
			return "password"
		}
	case slices.ContainsFunc(secretWords, holds):
		if !slices.ContainsFunc(notSecretEnds, ends) {
			return "credential"
		}
	}
	return ""
}

// squeeze returns a name in lower case without separators.
func squeeze(name string) string {
	buf := make([]byte, 0, maxName)
	for i := range len(name) {
		switch c := name[i]; {
		case c == '_' || c == '-':
		case 'A' <= c && c <= 'Z':
			buf = append(buf, c|0x20)
		default:
			buf = append(buf, c)
		}
	}
	return string(buf)
}

// value reads what is at p as the value of a named secret.
func value(s string, p int, kind string) (span, int) {
	quoted := false
	for p < len(s) && strings.IndexByte("\\\"'`", s[p]) >= 0 {
		quoted = true
		p++
	}
	if p >= len(s) || !alnum(s[p]) && class[s[p]]&special == 0 {
		return span{}, p
	}
	if alnum(s[p]) { // a known shape says more than the name
		if sp, _ := token(s, p); sp.end > 0 {
			return sp, 0
		}
		if sp := bearer(s, p); sp.end > 0 {
			return sp, 0
		}
	}
	end := trimValue(s, p, look(s, p, tokenChars|special))
	v := s[p:end]
	called := end < len(s) && strings.IndexByte("([", s[end]) >= 0 // code, not a value
	if called || placeholder(v) || uuid(v) || !strong(v, kind, quoted) {
		return span{}, max(p, min(end, p+maxName))
	}
	return span{p, max(end, trimValue(s, p, run(s, p, tokenChars|special))), kind}, 0
}

// trimValue removes punctuation at the end that belongs to the surrounding text.
func trimValue(s string, start, end int) int {
	if i := strings.IndexByte(s[start:end], '&'); i >= 0 { // the next parameter of a URL
		end = start + i
	}
	for end > start && strings.IndexByte(".,;}|", s[end-1]) >= 0 {
		end--
	}
	return end
}

// strong reports whether a value looks like a secret: a password mixes letters
// with digits or signs, other credentials are long and random.
func strong(v, kind string, quoted bool) bool {
	const minPassword, minCredential, minEntropy = 6, 16, 3.0
	c := classes(v)
	letters := c.lower + c.upper
	if kind == "password" {
		dotted := !quoted && strings.Contains(v, ".") && c.digits == 0 // config.password
		return len(v) >= minPassword && letters > 0 && !dotted && (c.digits > 0 || strings.ContainsAny(v, "!#%^*?"))
	}
	if len(v) < minCredential || letters == 0 || c.digits == 0 || c.longest < 12 || entropy(v) < minEntropy {
		return false
	}
	return c.digits >= 3 || c.upper > 0 && c.lower > 0 && (quoted || c.digits >= 2 || strings.ContainsAny(v, "/+="))
}
