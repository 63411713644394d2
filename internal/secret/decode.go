package secret

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// A text is undisguised only around what disguises it, and in pieces, so that it
// costs what there is to undo and memory is bounded.
const (
	before  = 512     // bytes before a disguise, which may name what is disguised
	after   = 1 << 10 // bytes after it
	piece   = 16 << 10
	overlap = 4 << 10
)

// disguised scans what s says after escapes, colours and joints between strings
// are undone, and returns the places in s. None of them is before from.
func (m *Masker) disguised(s string, from int, table *wordTable) (spans []span, work int) {
	work = len(s) - from
	for at, done := nextDisguise(s, from), 0; at < len(s); {
		start := lineStart(s, max(done, at-before))
		end := min(len(s), at+after)
		for end-start < piece { // the next ones that are near
			if at = nextDisguise(s[:end], at+1); at == end {
				break
			}
			end = min(len(s), at+after)
		}
		p := plain{s: s[start:end]}
		p.undo()
		sc := scanner{s: string(p.out), table: table, known: m.known}
		sc.scan()
		sc.literals()
		for _, sp := range sc.spans {
			spans = append(spans, span{start + p.start(sp.start), start + p.end(sp.end), sp.kind})
		}
		work += sc.work
		done = max(start+1, end-overlap)
		at = nextDisguise(s, end)
	}
	return spans, work
}

// lineStart returns where the line at i begins, if that is near, else i.
func lineStart(s string, i int) int {
	low := max(0, i-near)
	return max(low+strings.LastIndexByte(s[low:i], '\n')+1, low)
}

// nextDisguise returns the place from which there may be something to undo, or the
// end of s.
func nextDisguise(s string, from int) int {
	for i := from; i < len(s); i++ {
		switch disguises[s[i]] {
		case 0:
		case always:
			return i
		case percent:
			if i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]) {
				return i
			}
		case escape:
			if _, n := escaped(s[i:]); n > 0 {
				return i
			}
		case invisible:
			if _, zero := zeroWidth(s[i:]); zero {
				return i
			}
		case quote:
			if joint(s, i) > i {
				return i
			}
		}
	}
	return len(s)
}

const (
	always = iota + 1
	percent
	escape
	invisible
	quote
)

// disguises says for each byte what it may begin.
var disguises = [256]uint8{0x1b: always, '%': percent, '\\': escape, 0xe2: invisible, 0xef: invisible, 0xc2: invisible, '"': quote, '\'': quote}

// zeroWidth returns the length of the character at the start of s, and whether it
// is one that is not seen.
func zeroWidth(s string) (int, bool) {
	r, n := utf8.DecodeRuneInString(s)
	return n, unseen(r)
}

func unseen(r rune) bool {
	return r >= 0x200b && r <= 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x2060 && r <= 0x2064 || r == 0xfeff || r == 0xad
}

// plain is a text without its disguises, with the place of each part.
type plain struct {
	s     string
	out   []byte
	parts []part
}

// part says where a piece of the output comes from: bytes that are the same in
// both, or, if size is not 0, one character that was written with size bytes.
type part struct{ out, in, size int }

// undo fills in the output.
func (p *plain) undo() {
	s := p.s
	p.out = make([]byte, 0, len(s))
	same := false
	for i := 0; i < len(s); {
		r, n := p.unit(i)
		if n == 0 {
			if !same {
				p.parts = append(p.parts, part{len(p.out), i, 0})
				same = true
			}
			p.out = append(p.out, s[i])
			i++
			continue
		}
		same = false
		if r >= 0 {
			p.parts = append(p.parts, part{len(p.out), i, n})
			if r < 0x100 && s[i] == '%' {
				p.out = append(p.out, byte(r))
			} else {
				p.out = utf8.AppendRune(p.out, r)
			}
		}
		i += n
	}
}

const nothing rune = -1

// unit reads what is disguised at i: the character it says, or nothing, and its
// length; 0 if the byte is itself.
func (p *plain) unit(i int) (rune, int) {
	s := p.s[i:]
	switch disguises[s[0]] {
	case always:
		return nothing, ansi(s, 1)
	case percent:
		if len(s) > 2 && isHex(s[1]) && isHex(s[2]) {
			return hexRune(s[1:3]), 3
		}
	case escape:
		r, n := escaped(s)
		if r == 0x1b {
			return nothing, ansi(s, n)
		}
		if unseen(r) {
			r = nothing
		}
		return r, n
	case invisible:
		if n, zero := zeroWidth(s); zero {
			return nothing, n
		}
	case quote:
		if end := joint(p.s, i); end > i {
			return nothing, end - i
		}
	}
	return 0, 0
}

// escaped reads an escape that may hide a part of a token. Those for line ends and
// quotes are left: the scanner reads over them.
func escaped(s string) (rune, int) {
	n := 1
	for n < len(s) && s[n] == '\\' && n < 8 { // quoted more than once
		n++
	}
	if n >= len(s) {
		return 0, 0
	}
	switch c := s[n]; {
	case c == 'u' && len(s) >= n+5 && hexDigits(s[n+1:n+5]):
		return hexRune(s[n+1 : n+5]), n + 5
	case c == 'x' && len(s) >= n+3 && hexDigits(s[n+1:n+3]):
		return hexRune(s[n+1 : n+3]), n + 3
	case c == '/':
		return '/', n + 1
	case c == '\n' && n == 1:
		return nothing, n + 1
	case c == '\r' && n == 1 && len(s) > n+1 && s[n+1] == '\n':
		return nothing, n + 2
	case strings.HasPrefix(s[n:], "033["):
		return 0x1b, n + 3
	case strings.HasPrefix(s[n:], "e["):
		return 0x1b, n + 1
	}
	return 0, 0
}

func hexRune(s string) rune {
	r := rune(0)
	for i := range len(s) {
		c := rune(s[i])
		switch {
		case c <= '9':
			c -= '0'
		default:
			c = c | 0x20 - 'a' + 10
		}
		r = r<<4 | c
	}
	return r
}

// ansi returns the end of the escape sequence of a terminal whose first n bytes
// are the escape.
func ansi(s string, n int) int {
	const most = 64
	if n >= len(s) {
		return n
	}
	switch s[n] {
	case '[':
		for i := n + 1; i < len(s) && i < n+most; i++ {
			if s[i] >= 0x40 && s[i] <= 0x7e {
				return i + 1
			}
		}
	case ']':
		for i := n + 1; i < len(s) && i < n+8*most; i++ {
			if s[i] == 7 {
				return i + 1
			}
			if s[i] == 0x1b && i+1 < len(s) && s[i+1] == '\\' {
				return i + 2
			}
		}
	}
	return n
}

// joint returns the end of what joins two strings at the quote s[i]: "a" + "b",
// also over lines; i if nothing does.
func joint(s string, i int) int {
	const most = 64
	q, limit := s[i], min(len(s), i+most)
	p, signs, lines := i+1, 0, 0
	for ; p < limit; p++ {
		switch c := s[p]; {
		case c == '+' || c == '.' || c == '&':
			signs++
		case c == '\n':
			lines++
		case c == ' ' || c == '\t' || c == '\r' || c == '\\':
		case c == q && (signs == 1 || signs == 0 && lines == 1 && p > i+1) && i > 0 && alnum(s[i-1]) && p+1 < len(s) && class[s[p+1]]&(nameChars) != 0:
			return p + 1
		default:
			return i
		}
		if signs > 1 || lines > 2 {
			return i
		}
	}
	return i
}

// start returns where in the text the character at i of the output begins.
func (p *plain) start(i int) int {
	at := p.at(i)
	if at.size > 0 {
		return at.in
	}
	return at.in + i - at.out
}

// end returns where in the text the character before i of the output ends.
func (p *plain) end(i int) int {
	at := p.at(i - 1)
	if at.size > 0 {
		return at.in + at.size
	}
	return at.in + i - at.out
}

func (p *plain) at(i int) part {
	n := sort.Search(len(p.parts), func(k int) bool { return p.parts[k].out > i })
	return p.parts[n-1]
}
