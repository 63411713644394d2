package secret

import "strings"

// field is a value with its name and how it is written.
type field struct {
	name
	quoted bool
	env    bool // NAME=value as a shell reads it, or --name=value: nothing but a value comes there
	query  bool // it is in a URL, and an & ends it
}

// value reads what is at p as the value of a secret. It returns the span and where
// to go on; a span with end 0 is none.
func (sc *scanner) value(p int, f field) (span, int) {
	s := sc.s
	p = prefixed(s, p)
	open := p
	for p < len(s) && strings.IndexByte("\\\"'`", s[p]) >= 0 {
		p++
	}
	f.quoted = p > open
	if p >= len(s) || class[s[p]]&(valueChars|quotation) == 0 {
		return span{}, p
	}
	if alnum(s[p]) { // a known shape says more than the name
		if sp := sc.shaped(p); sp.end > 0 {
			return sp, 0
		}
	}
	end := sc.valueEnd(p, open, f)
	v := s[p:end]
	called := !f.quoted && end < len(s) && (s[end] == '(' || s[end] == '[') && !f.env // code, not a value
	if called || !f.accepts(v) {
		return span{}, p
	}
	if !f.quoted && end-p >= near-1 {
		end = trimValue(s, p, sc.run(p, tokenChars|special))
	}
	return span{p, end, f.kind.String()}, 0
}

// shaped finds a token of a known shape at p.
func (sc *scanner) shaped(p int) span {
	n := len(sc.spans)
	defer func() { sc.spans = sc.spans[:n] }()
	if next := sc.known2(p); next > p && len(sc.spans) > n && sc.spans[n].start < p+32 {
		return sc.spans[n]
	}
	return span{}
}

// prefixed skips the letter that some languages write before a quote: b"…".
func prefixed(s string, p int) int {
	if p+1 < len(s) && strings.IndexByte("bfruBRU@$", s[p]) >= 0 && (s[p+1] == '"' || s[p+1] == '\'') {
		return p + 1
	}
	return p
}

// valueEnd returns the end of the value that begins at p; quotes began at open.
func (sc *scanner) valueEnd(p, open int, f field) int {
	s := sc.s
	if f.quoted {
		quote := s[p-1]
		escaped := s[open] == '\\'
		limit := min(len(s), p+4*near)
		for i := p; i < limit; i++ {
			switch c := s[i]; {
			case c == '\n':
				sc.work += i - p
				return trimValue(s, p, sc.look(p, valueChars, near))
			case c == quote, escaped && c == '\\':
				sc.work += i - p
				return i
			case c == '\\' && i+1 < limit:
				if s[i+1] == quote && escaped {
					return i
				}
				i++
			}
		}
		sc.work += limit - p
		return trimValue(s, p, sc.run(p, valueChars))
	}
	set := valueChars
	end := sc.look(p, set, near)
	if f.env && end < len(s) && (s[end] == '(' || s[end] == ')') && end > p {
		end = sc.look(p, set|quotation, near)
	}
	if !f.env {
		for i := p; i < end; i++ {
			if c := s[i]; c == ';' || c == '|' || c == ',' && (i+1 == end || nameFollows(s[i+1:end])) || c == '&' && f.query {
				end = i
				break
			}
		}
	} else if i := strings.IndexAny(s[p:end], ";|&"); i > 0 && i+1 == end-p {
		end = p + i
	}
	if i := strings.IndexByte(s[p:end], '&'); i >= 0 && nameFollows(s[p+i+1:end]) {
		end = p + i
	}
	return trimValue(s, p, end)
}

// nameFollows reports whether a text begins with name= or name:.
func nameFollows(s string) bool {
	n := 0
	for n < len(s) && class[s[n]]&nameChars != 0 {
		n++
	}
	return n < len(s) && (s[n] == '=' || s[n] == ':')
}

// trimValue removes punctuation at the end that belongs to the surrounding text.
func trimValue(s string, start, end int) int {
	for end > start && strings.IndexByte(".,:;}|", s[end-1]) >= 0 {
		end--
	}
	return end
}

// accepts reports whether a value is a secret, not a word about one.
func (f field) accepts(v string) bool {
	switch {
	case placeholder(v) || f.reference(v):
		return false
	case f.kind == login:
		return userAndPassword(v)
	case uuid(v):
		return f.uuids
	case f.kind == password:
		return f.password(v)
	}
	return f.credential(v)
}

// password accepts what people choose: letters with digits or signs, and words
// where nothing but a password can be.
func (f field) password(v string) bool {
	const least = 6
	c := classes(v)
	n := c.lower + c.upper
	switch {
	case strings.ContainsAny(v, " \t"):
		return f.quoted && f.phraseLike(v)
	case f.env:
		return len(v) >= 4 && n+c.digits > 0 && (c.digits > 0 || !plainWord(v))
	case len(v) < least || n == 0 && c.digits < 8:
		return false
	case c.digits > 0 || strings.ContainsAny(v, "!#%^*?@$&"):
		return f.quoted || !dottedName(v)
	case f.quoted && c.other == 0:
		return c.upper == 0 && !plainWord(v) || c.turns >= 3 && c.turns*3 >= n
	}
	return wordCount(v) >= 4
}

// phraseLike reports whether a quoted text with blanks is a password, not a
// sentence about one.
func (f field) phraseLike(v string) bool {
	l := strings.ToLower(v)
	fields := strings.Fields(v)
	if f.phrase {
		return len(fields) >= 3
	}
	if len(v) > 64 || len(fields) > 6 || strings.Contains(l, "passwor") || strings.Contains(l, "kennwor") {
		return false
	}
	for _, w := range fields {
		if c := classes(w); len(w) >= 4 && c.lower+c.upper > 0 && (c.digits > 0 || strings.ContainsAny(w[:len(w)-1], "!#%^*?@$&")) {
			return true
		}
	}
	return f.env && f.caps && !strings.ContainsAny(v, ".:")
}

// credential accepts what is long and random.
func (f field) credential(v string) bool {
	c := classes(v)
	switch {
	case strings.ContainsAny(v, " \t()[]<>") || len(v) < 8 || c.lower+c.upper+c.digits == 0:
		return false
	case strings.HasPrefix(v, "/") || strings.HasPrefix(v, "./") || strings.HasPrefix(v, "~/") || strings.Contains(v, "://") || strings.HasPrefix(v, "arn:"):
		return false
	case strings.Contains(v, "insecure-") && c.digits > 0:
		return true
	case len(v) >= 24 && hexDigits(v):
		return c.digits >= 4
	case mixed(v):
		return c.digits >= 3 || f.quoted || f.env || c.turns*3 >= c.lower+c.upper || strings.ContainsAny(v, "/+=")
	case len(v) >= 16 && c.longest >= 8 && c.digits >= 3 && entropy(v) >= 3.5 && c.turns >= 3:
		return true
	case f.env && f.caps:
		return c.digits > 0 && c.lower+c.upper > 0 && c.other == 0 && len(v) >= 10 || wordCount(v) >= 4 || c.digits > 2 && len(v) >= 12 && c.turns > 1
	case f.quoted:
		return c.digits >= 2 && c.turns >= 2 && c.other == 0 && len(v) >= 12
	}
	return false
}

// wordCount returns how many words a value is of, with dashes between them; 0 if it
// is of anything else.
func wordCount(v string) int {
	n := 0
	for w := range strings.SplitSeq(v, "-") {
		if len(w) < 3 || classes(w).lower != len(w) {
			return 0
		}
		n++
	}
	return n
}
