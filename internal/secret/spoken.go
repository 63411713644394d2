package secret

import "strings"

// links join the word password with the password in a sentence.
var links = []string{"is", "ist", "lautet", "was", "war", "es", "est", "be", "as"}

// spoken finds a secret that a sentence, an SQL statement or a line of .netrc
// tells: the password is …, IDENTIFIED BY '…', login x password …
func (sc *scanner) spoken(i int) int {
	s := sc.s
	end := sc.look(i, letters, 16)
	w := strings.ToLower(s[i:end])
	if i > 0 && class[s[i-1]]&(nameChars|dot|slash|special|at) != 0 {
		return i
	}
	p := sc.look(end, blank, 4)
	if p == end || p >= len(s) {
		return i
	}
	f := field{name: name{kind: password}}
	switch w {
	case "identified":
		if next, at := sc.next(p); next == "by" {
			return sc.told(at, f, true, i)
		}
		return i
	case "password", "passwort", "kennwort", "passphrase", "passcode", "pwd":
	case "secret", "token":
		f.kind = credential
	default:
		return i
	}
	if (s[p] == '\'' || s[p] == '"') && f.kind == password && w == "password" {
		return sc.told(p, f, true, i)
	}
	at := p
	for range 5 {
		next, after := sc.next(at)
		if oneOf(links, next) && after > at {
			return sc.told(sc.look(after, colon|blank, 3), f, false, i)
		}
		if after == at || !oneOf([]string{"for", "of", "to", "für", "von", "de", "the", "user", "root", "admin", "database", "db", "server"}, next) && at == p {
			break
		}
		at = after
	}
	return sc.netrc(p, i, f)
}

// next returns the word at p in lower case, and where what follows it begins.
func (sc *scanner) next(p int) (string, int) {
	end := sc.look(p, letters, 16)
	after := sc.look(end, blank, 4)
	if after == end {
		return "", p
	}
	return strings.ToLower(sc.s[p:end]), after
}

// told judges the value at p. A value in quotes after a word of SQL needs to be
// nothing else.
func (sc *scanner) told(p int, f field, sql bool, i int) int {
	s := sc.s
	if p >= len(s) {
		return i
	}
	quoted := strings.IndexByte("'\"`", s[p]) >= 0
	if sql && !quoted {
		return i
	}
	f.env = sql
	sp, _ := sc.value(p, f)
	if sp.end == 0 || !sql && !quoted && !sentenceValue(s[sp.start:sp.end]) {
		return i
	}
	return sc.add(sp)
}

// sentenceValue reports whether a word of a sentence is a password: letters and
// digits in one.
func sentenceValue(v string) bool {
	c := classes(v)
	return len(v) >= 6 && c.digits > 0 && c.lower+c.upper > 1
}

// netrc finds the value at p where the lines around it have machine and login, or
// where it is written as no word is.
func (sc *scanner) netrc(p, i int, f field) int {
	s := sc.s
	end := sc.look(p, valueChars, near)
	end = trimValue(s, p, end)
	v := s[p:end]
	if v == "" || placeholder(v) || f.kind != password {
		return i
	}
	before := s[max(0, i-near):i]
	sc.work += len(before)
	c := classes(v)
	if strings.Contains(before, "machine ") && strings.Contains(before, "login ") || strings.Contains(before, "default login ") {
		if len(v) >= 3 {
			return sc.add(span{p, end, "password"})
		}
	}
	if len(v) >= 8 && c.digits > 0 && c.upper > 0 && c.lower > 0 && !f.reference(v) && (end >= len(s) || s[end] != '(') {
		return sc.add(span{p, end, "password"})
	}
	return i
}
