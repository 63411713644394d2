package secret

import "strings"

const (
	pemDashes = "-----"
	pemBegin  = "-----BEGIN "
	pemEnd    = "-----END "
	minLine   = 16 // characters of a line of a key; shorter runs are words in a text about keys
)

// pem finds a private key block, whole or cut off at either end. s[i:] begins with
// dashes. It returns where to go on.
func (sc *scanner) pem(i int) int {
	s := sc.s
	i = sc.run(i, dash) - len(pemDashes)
	switch {
	case strings.HasPrefix(s[i:], pemBegin):
	case strings.HasPrefix(s[i:], pemEnd):
		return sc.pemTail(i)
	default:
		return i + len(pemDashes)
	}
	label := i + len(pemBegin)
	n := sc.look(label, word|blank, maxName)
	if !privateLabel(s, label, n) {
		return n
	}
	end, keyed := n+len(pemDashes), false
	for p := end; p < len(s); {
		p = sc.skipLineEnds(p)
		if strings.HasPrefix(s[p:], pemEnd) {
			if e := strings.Index(s[p+5:min(len(s), p+80)], pemDashes); e > 0 && keyed {
				end = p + 5 + e + 5
			}
			break
		}
		if line := sc.pemHeader(p); line > p {
			p = line
			continue
		}
		body := sc.run(p, base64set)
		if body-p < minLine && !(keyed && body > p && (s[body-1] == '=' || strings.HasPrefix(s[sc.skipLineEnds(body):], pemEnd))) {
			break
		}
		keyed = true
		p, end = body, body
	}
	if !keyed {
		return n
	}
	return sc.add(span{i, end, "private-key"})
}

// privateLabel reports whether the label of a block is that of a private key.
func privateLabel(s string, from, to int) bool {
	l := s[from:to]
	return (strings.HasSuffix(l, "PRIVATE KEY") || strings.HasSuffix(l, "PRIVATE KEY BLOCK")) && strings.HasPrefix(s[to:], pemDashes)
}

// pemTail finds the lines of a key whose beginning was cut off. s[i:] begins with
// the mark of its end.
func (sc *scanner) pemTail(i int) int {
	s := sc.s
	label := i + len(pemEnd)
	n := sc.look(label, word|blank, maxName)
	if !privateLabel(s, label, n) {
		return n
	}
	floor := 0
	if k := len(sc.spans); k > 0 {
		floor = sc.spans[k-1].end
	}
	start := i
	for p := i; p > floor; {
		end := sc.backOverLineEnd(p)
		from := max(floor, sc.back(end, base64set, near))
		if from > floor && s[from-1] == '\\' {
			from++ // the letter of an escape
		}
		if end == p || end-from < 4 || end-from < minLine && start < i {
			break
		}
		p, start = from, from
		if from > floor && s[from-1] != '\n' && s[from-1] != '\\' && s[from-1] != 'n' {
			p = sc.backOverPrefix(from)
		}
	}
	if i-start < minLine {
		return n
	}
	return sc.add(span{start, n + len(pemDashes), "private-key"})
}

// backOverLineEnd returns the end of the line before p.
func (sc *scanner) backOverLineEnd(p int) int {
	s := sc.s
	p = sc.backOverPrefix(p)
	q := p
	for q > 0 {
		switch c := s[q-1]; {
		case c == '\n' || c == '\r' || c == ' ' || c == '\t' || c == '"' || c == '\'' || c == '+' && q < p && s[q] == ' ' || c == ',':
			q--
		case c == 'n' && q > 1 && s[q-2] == '\\':
			q -= 2
		default:
			return q
		}
	}
	return q
}

// backOverPrefix skips what a tool put before a line that begins at p.
func (sc *scanner) backOverPrefix(p int) int {
	s := sc.s
	line := max(0, p-64)
	if n := strings.LastIndexByte(s[line:p], '\n'); n >= 0 {
		line += n + 1
	} else if line > 0 {
		return p
	}
	if line < p && (sc.linePrefix(line) == p || strings.Trim(s[line:p], " \t\"'>+|") == "" || sc.look(sc.linePrefix(line), blank, 16) == p) {
		return line
	}
	return p
}

// pemHeader returns the end of a header line of a key block, or p.
func (sc *scanner) pemHeader(p int) int {
	const maxLine = 200
	for _, name := range []string{"Proc-Type:", "DEK-Info:", "Version:", "Comment:", "Charset:", "Hash:"} {
		if strings.HasPrefix(sc.s[p:], name) {
			end := sc.line(p, maxLine)
			if e := strings.Index(sc.s[p:end], `\n`); e >= 0 {
				return p + e
			}
			return end
		}
	}
	return p
}

// skipLineEnds skips white space, escaped line ends, what quotes or joins lines, and
// what tools put before them.
func (sc *scanner) skipLineEnds(p int) int {
	s := sc.s
	from := p
	for p < len(s) {
		switch c := s[p]; {
		case c == '\n':
			p = sc.linePrefix(p + 1)
		case c == ' ' || c == '\r' || c == '\t' || c == '"' || c == '\'' || c == '>' || c == ',' || c == '#' || c == '*' || c == '|':
			p++
		case c == '+' && (p > 0 && s[p-1] == '\n' || p+1 < len(s) && class[s[p+1]]&word == 0):
			p++
		case c == '\\' && p+1 < len(s) && s[p+1] == 'n':
			p = sc.linePrefix(p + 2)
		case c == '\\' && p+1 < len(s) && (s[p+1] == 'r' || s[p+1] == 't'):
			p += 2
		case c == '\\':
			p++
		default:
			sc.work += p - from
			return p
		}
	}
	sc.work += p - from
	return p
}

// privateLines finds the key of a PuTTY file, whose lines follow their number.
func (sc *scanner) privateLines(i int) int {
	s := sc.s
	end := sc.line(i, maxName)
	start, p := 0, end
	for {
		p = sc.skipLineEnds(p)
		body := sc.run(p, base64set)
		if body-p < minLine && (start == 0 || body == p || s[body-1] != '=') || body < len(s) && s[body] == ':' {
			break
		}
		if start == 0 {
			start = p
		}
		p, end = body, body
	}
	if start == 0 {
		return i
	}
	return sc.add(span{start, end, "private-key"})
}
