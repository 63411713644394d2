package secret

import (
	"encoding/base64"
	"strings"
)

// minEncoded is the fewest characters of a secret in base64.
const minEncoded = 20

// encoded undoes one layer of base64 at a word from i to end. If the text in it
// holds a secret, all of it is masked.
func (sc *scanner) encoded(i, end int) int {
	if end-i < minEncoded {
		return i
	}
	if next := sc.long(i, end); next > i {
		return next
	}
	if sc.inner || !textInside(sc.s[i:end]) {
		return i
	}
	stop, body := sc.encodedLines(i)
	out := make([]byte, base64.RawStdEncoding.DecodedLen(len(body)))
	n, _ := base64.RawStdEncoding.Decode(out, body) // as far as it goes: the end may be cut off
	if n < minEncoded*3/4 || !printable(out[:min(n, 2*near)]) {
		return i
	}
	in := scanner{s: string(out[:n]), table: sc.table, known: sc.known, inner: true}
	in.scan()
	in.literals()
	sc.work += in.work
	if len(in.spans) == 0 {
		return i
	}
	return sc.add(span{i, stop, "encoded"})
}

// textInside reports whether the first characters decode to ASCII text.
func textInside(s string) bool {
	var out [12]byte
	n, _ := base64.RawStdEncoding.Decode(out[:], []byte(s[:16]))
	return n == len(out) && printable(out[:])
}

// encodedLines returns the end of base64 at i, which may go on over lines, and its
// characters without padding and line ends.
func (sc *scanner) encodedLines(i int) (end int, body []byte) {
	const minLine = 60 // shorter lines are not parts of one text
	s := sc.s
	for {
		end = sc.run(i, base64set)
		body = append(body, s[i:end]...)
		if end-i < minLine || end >= len(s) {
			break
		}
		p := lineEnd(s, end)
		if p == end {
			break
		}
		p = sc.look(sc.linePrefix(p), blank, 16)
		if next := sc.look(p, base64set, near); next-p < 4 || next < len(s) && alnum(s[next]) {
			break
		}
		i = p
	}
	return end, []byte(strings.TrimRight(string(body), "="))
}

// lineEnd skips one line end, which may be written as an escape.
func lineEnd(s string, p int) int {
	for _, e := range []string{"\r\n", "\n", `\r\n`, `\n`} {
		if strings.HasPrefix(s[p:], e) {
			return p + len(e)
		}
	}
	return p
}
