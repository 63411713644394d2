package secret

import "strings"

// scanner finds the built-in shapes in one pass over a text.
type scanner struct {
	s     string
	table *wordTable
	known []string // values that are secrets wherever they are
	inner bool     // the text was decoded from base64: no further layer is
	veil  int      // where the first disguise may be
	spans []span
	work  int // bytes looked at, which tests compare for texts of different sizes
}

// scan finds the shapes. Letters and digits are read word by word, because a token
// begins where a word does; what separates them may separate a name from its value.
func (sc *scanner) scan() {
	sc.veil = len(sc.s)
	for i := 0; i < len(sc.s); {
		switch c := sc.s[i]; {
		case class[c]&word != 0:
			i = max(i+1, sc.word(i, sc.run(i+1, word)))
		case class[c]&blank != 0:
			i++
		default:
			if disguises[c] != 0 && i < sc.veil {
				sc.veil = i
			}
			if signs[c] {
				i = max(i+1, sc.sign(c, i))
			} else {
				i++
			}
		}
	}
}

// signs are the characters that sign looks at.
var signs = [256]bool{':': true, '=': true, '-': true, '>': true, ',': true, '~': true, '|': true}

// sign looks for a secret at a character between words. It returns where to go on.
func (sc *scanner) sign(c byte, i int) int {
	switch c {
	case ':':
		if strings.HasPrefix(sc.s[i:], "://") {
			return sc.url(i)
		}
		if next := sc.numbered(i); next > i {
			return next
		}
		return sc.assignment(i)
	case '~':
		return sc.appSecret(i)
	case '|':
		return sc.appToken(i)
	case '=':
		return sc.assignment(i)
	case '-':
		if strings.HasPrefix(sc.s[i:], pemDashes) {
			return sc.pem(i)
		}
		return sc.flag(i)
	case '>':
		return sc.element(i)
	case ',':
		return sc.argument(i)
	}
	return i + 1
}

// word looks for a secret that begins with the word s[i:end], or that the word
// announces. It returns where to go on.
func (sc *scanner) word(i, end int) int {
	if i > 0 && sc.s[i-1] == '\\' && strings.IndexByte("nrtbfv", sc.s[i]) >= 0 {
		if i++; i == end { // it was an escape, not a letter
			return end
		}
	}
	if next := sc.known2(i); next > i {
		return next
	}
	if next := sc.encoded(i, end); next > i {
		return next
	}
	return end
}

// known2 tries the table on the word at i.
func (sc *scanner) known2(i int) int {
	for _, e := range sc.table.at(sc.s, i) {
		if !e.in(sc.s[i:]) {
			continue
		}
		if e.find == nil {
			if sp := sc.token(e, i); sp.end > 0 {
				return sc.add(sp)
			}
			continue
		}
		if next := e.find(sc, i); next > i {
			return next
		}
	}
	return i
}

// add keeps a span and returns its end.
func (sc *scanner) add(sp span) int {
	sc.spans = append(sc.spans, sp)
	return sp.end
}

// run returns the end of the characters of set that begin at i.
func (sc *scanner) run(i int, set charset) int {
	from := i
	for i < len(sc.s) && class[sc.s[i]]&set != 0 {
		i++
	}
	sc.work += i - from + 1
	return i
}

// near bounds what is read of a value that may still be rejected, so that it is
// not read again from each point in it.
const near = 256

// look is run, but reads at most limit bytes.
func (sc *scanner) look(i int, set charset, limit int) int {
	from, most := i, min(len(sc.s), i+limit)
	for i < most && class[sc.s[i]]&set != 0 {
		i++
	}
	sc.work += i - from + 1
	return i
}

// back returns the start of the characters of set that end at i, at most limit bytes.
func (sc *scanner) back(i int, set charset, limit int) int {
	from, least := i, max(0, i-limit)
	for i > least && class[sc.s[i-1]]&set != 0 {
		i--
	}
	sc.work += from - i + 1
	return i
}

// line returns the end of the line at i, or i+limit.
func (sc *scanner) line(i, limit int) int {
	rest := sc.s[i:min(len(sc.s), i+limit)]
	if n := strings.IndexByte(rest, '\n'); n >= 0 {
		rest = rest[:n]
	}
	sc.work += len(rest) + 1
	return i + len(rest)
}
