package secret

import "strings"

// nextLine finds the value of name: on the line after it, further in than the
// name; a block of lines is one value. s[i] is the colon, the name begins at
// start and the rest of the line at p.
func (sc *scanner) nextLine(i, start, p int, f field) int {
	s := sc.s
	block := s[p] == '|' || s[p] == '>'
	eol := sc.line(p, near)
	if eol >= len(s) || s[eol] != '\n' || block && strings.Trim(s[p:eol], "|>+- \r0123456789") != "" || !block && strings.TrimSpace(s[p:eol]) != "" {
		return i + 1
	}
	from := sc.linePrefix(eol + 1)
	at := sc.look(from, blank, 64)
	if at-from <= sc.indent(start) {
		return i + 1
	}
	end := sc.line(at, near)
	v := strings.TrimRight(s[at:end], " \r\"'")
	if strings.HasPrefix(v, "- ") || strings.Contains(v, ": ") || strings.HasSuffix(v, ":") {
		return i + 1
	}
	f.quoted = f.quoted || v != "" && (v[0] == '"' || v[0] == '\'')
	if f.quoted {
		at++
		v = v[1:]
	}
	if v == "" || !(field{name: f.name, quoted: f.quoted || block}).accepts(v) {
		return i + 1
	}
	return sc.add(span{at, at + len(v), f.kind.String()})
}

// indent returns how far in the name at start is on its line.
func (sc *scanner) indent(start int) int {
	at := sc.back(start, blank|quotation|dash, near)
	line := sc.s[at:start]
	return len(line) - len(strings.TrimLeft(line, " \t"))
}

// linePrefix returns where a line begins after what tools put before it: a number,
// a path and a number, the sign of a diff or of a quotation.
func (sc *scanner) linePrefix(p int) int {
	s := sc.s
	q := sc.look(p, blank, 16)
	if n := sc.look(q, digit, 9); n > q {
		if e := afterNumber(s, n); e > n {
			return e
		}
	}
	// path:12:text and path-12-text
	end := sc.look(q, word|underscore|dot|slash|dash, near)
	if end > q && end < len(s) && s[end] == ':' {
		if n := sc.look(end+1, digit, 9); n > end+1 && n < len(s) && s[n] == ':' {
			return n + 1
		}
		return p
	}
	for k := strings.LastIndexByte(s[q:end], '-'); k > 0; k = strings.LastIndexByte(s[q:q+k], '-') {
		n := sc.back(q+k, digit, 9)
		if n < q+k && n > q && s[n-1] == '-' {
			return q + k + 1
		}
	}
	return p
}

// afterNumber returns where a line begins that has its number before n.
func afterNumber(s string, n int) int {
	for _, sign := range []string{"\t", `\t`, "→", ":\t", ": ", ":", "|", " |", " │", "-"} {
		if strings.HasPrefix(s[n:], sign) {
			return n + len(sign)
		}
	}
	return n
}

// secretData masks the values of a Secret of Kubernetes, whatever their names are.
// s[i:] begins with data or stringData.
func (sc *scanner) secretData(i int) int {
	s := sc.s
	end := sc.look(i, letters, 12)
	if end >= len(s) || s[end] != ':' {
		return i
	}
	around := s[max(0, i-8*near):min(len(s), i+8*near)]
	if name := s[i:end]; name != "data" && name != "stringData" || !strings.Contains(around, "kind: Secret\n") && !strings.HasSuffix(around, "kind: Secret") {
		return i
	}
	sc.work += len(around)
	eol := sc.line(end, near)
	p := eol + 1
	for p < len(s) {
		from := sc.linePrefix(p)
		at := sc.look(from, blank, 64)
		key := sc.look(at, nameChars|dot, maxName)
		if at-from <= sc.indent(i) || key == at || key >= len(s) || s[key] != ':' {
			break
		}
		v := sc.look(key+1, blank, 8)
		stop := sc.line(v, 16*near)
		if text := strings.TrimRight(s[v:stop], " \r"); len(text) >= 8 && !placeholder(text) {
			sc.add(span{v, v + len(text), "credential"})
		}
		p = stop + 1
	}
	return min(p, len(s))
}
