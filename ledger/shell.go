package ledger

import "strings"

// A command line is read only as far as file names need it: quotes, escapes,
// redirections, here-documents and the signs between commands. What depends on
// running something ($x, $(…), globs) is marked as not literal and never
// taken for a path.

// word is one word of a command.
type word struct {
	text    string // quotes taken off
	literal bool   // nothing in it is expanded
}

// redirect is a redirection to or from a file.
type redirect struct {
	op     string // one of > >> <
	target word
}

// command is a simple command.
type command struct {
	words     []word
	redirects []redirect
	heredoc   string // the text of its here-document
	source    string // as written, without what stands around it
	piped     bool   // its output goes to the next command
}

// maxScript bounds how much of a script is read, in bytes.
const maxScript = 1 << 20

// parseShell returns the simple commands of a script, in order. It accepts
// anything; what it cannot make out becomes words.
func parseShell(script string) []command {
	p := &shellParser{s: script[:min(len(script), maxScript)]}
	p.run()
	return p.out
}

type shellParser struct {
	s       string
	i       int
	out     []command
	cur     command
	start   int // where the current command begins; -1: not yet
	pending []pendingDoc
}

// pendingDoc is a here-document whose text begins at the next line.
type pendingDoc struct {
	delimiter string
	indented  bool
	command   int // index in out
}

func (p *shellParser) run() {
	p.start = -1
	for p.i < len(p.s) {
		switch c := p.s[p.i]; {
		case c == ' ' || c == '\t' || c == '\r':
			p.i++
		case c == '\\' && p.peek(1) == '\n':
			p.i += 2
		case c == '\n':
			p.end(false)
			p.i++
			p.heredocs()
		case c == '#':
			p.i = p.lineEnd(p.i)
		case c == ';' || c == '(' || c == ')':
			p.end(false)
			p.i++
		case c == '&' && p.peek(1) == '>':
			p.i++ // &>file: both outputs
		case c == '&' || c == '|':
			next := p.peek(1)
			p.end(c == '|' && next != '|')
			p.i++
			if next == c || c == '|' && next == '&' {
				p.i++
			}
		case c == '>' || c == '<':
			p.redirection()
		default:
			p.word()
		}
	}
	p.end(false)
	p.heredocs()
}

func (p *shellParser) peek(n int) byte {
	if p.i+n < len(p.s) {
		return p.s[p.i+n]
	}
	return 0
}

func (p *shellParser) lineEnd(i int) int {
	if n := strings.IndexByte(p.s[i:], '\n'); n >= 0 {
		return i + n
	}
	return len(p.s)
}

// end closes the current command.
func (p *shellParser) end(piped bool) {
	if len(p.cur.words) > 0 || len(p.cur.redirects) > 0 {
		p.cur.piped = piped
		p.out = append(p.out, p.cur)
	} else {
		p.forget()
	}
	p.cur, p.start = command{}, -1
}

// forget drops here-documents of a command that has no words.
func (p *shellParser) forget() {
	for i := range p.pending {
		if p.pending[i].command == len(p.out) {
			p.pending[i].command = -1
		}
	}
}

// word reads a word. Digits right before a redirection are its descriptor.
func (p *shellParser) word() {
	begin := p.i
	w := p.scanWord()
	if p.i < len(p.s) && (p.s[p.i] == '>' || p.s[p.i] == '<') && strings.Trim(w.text, "0123456789") == "" && w.literal {
		return
	}
	if p.start < 0 {
		p.start = begin
	}
	p.cur.words = append(p.cur.words, w)
	if len(p.cur.redirects) == 0 { // what stands behind a redirection is rarely telling
		p.cur.source = p.s[p.start:p.i]
	}
}

// scanWord reads up to the next unquoted blank or sign.
func (p *shellParser) scanWord() word {
	w := word{literal: true}
	var b strings.Builder
	for p.i < len(p.s) {
		c := p.s[p.i]
		switch c {
		case ' ', '\t', '\n', '\r', ';', '&', '|', '(', ')', '<', '>':
			w.text = b.String()
			return w
		case '\'':
			p.i++
			end := strings.IndexByte(p.s[p.i:], '\'')
			if end < 0 {
				end = len(p.s) - p.i
			}
			b.WriteString(p.s[p.i : p.i+end])
			p.i = min(p.i+end+1, len(p.s))
		case '"':
			w.literal = p.doubleQuoted(&b) && w.literal
		case '\\':
			if p.i+1 < len(p.s) && p.s[p.i+1] != '\n' {
				b.WriteByte(p.s[p.i+1])
			}
			p.i = min(p.i+2, len(p.s))
		case '$', '`':
			w.literal = false
			p.expansion(&b)
		default:
			if c == '*' || c == '?' || c == '[' || c == '{' {
				w.literal = false
			}
			b.WriteByte(c)
			p.i++
		}
	}
	w.text = b.String()
	return w
}

// doubleQuoted reads "…" and reports whether nothing in it is expanded.
func (p *shellParser) doubleQuoted(b *strings.Builder) bool {
	literal := true
	for p.i++; p.i < len(p.s); {
		switch c := p.s[p.i]; c {
		case '"':
			p.i++
			return literal
		case '\\':
			if next := p.peek(1); next != 0 && strings.IndexByte("\"\\$`\n", next) < 0 {
				b.WriteByte('\\')
			}
			if p.i+1 < len(p.s) && p.s[p.i+1] != '\n' {
				b.WriteByte(p.s[p.i+1])
			}
			p.i = min(p.i+2, len(p.s))
		case '$', '`':
			literal = false
			p.expansion(b)
		default:
			b.WriteByte(c)
			p.i++
		}
	}
	return literal
}

// expansion copies $x, ${…}, $(…) or `…` as it stands.
func (p *shellParser) expansion(b *strings.Builder) {
	begin := p.i
	switch {
	case p.s[p.i] == '`':
		end := strings.IndexByte(p.s[p.i+1:], '`')
		if end < 0 {
			end = len(p.s) - p.i - 2
		}
		p.i = min(p.i+end+2, len(p.s))
	case p.peek(1) == '(':
		p.i = p.substitution(p.i + 1)
	case p.peek(1) == '{':
		p.i = closing(p.s, p.i+1, '{', '}')
	default:
		p.i++
	}
	b.WriteString(p.s[begin:p.i])
}

// substitution returns the index behind $(…), whose bracket opens at i. The
// text of $(cat <<'EOF' …) may hold any brackets.
func (p *shellParser) substitution(i int) int {
	const open = "(cat <<"
	if rest, ok := strings.CutPrefix(p.s[i:], open); ok {
		line, _, _ := strings.Cut(rest, "\n")
		delimiter := strings.Trim(line, "-'\" \t\r")
		if end := strings.Index(rest, "\n"+delimiter); delimiter != "" && end >= 0 {
			after := i + len(open) + end + 1 + len(delimiter)
			if n := strings.IndexByte(p.s[after:], ')'); n >= 0 {
				return after + n + 1
			}
			return len(p.s)
		}
	}
	return closing(p.s, i, '(', ')')
}

// closing returns the index behind the bracket that closes the one at i.
func closing(s string, i int, open, shut byte) int {
	depth := 0
	for ; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case open:
			depth++
		case shut:
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(s)
}

func (p *shellParser) redirection() {
	c := p.s[p.i]
	op := string(c)
	p.i++
	switch next := p.peek(0); {
	case c == '<' && next == '<':
		p.i++
		if p.peek(0) == '<' { // a here-string
			p.i++
			p.skipBlanks()
			p.scanWord()
			return
		}
		p.heredoc()
		return
	case c == '>' && next == '>':
		op = ">>"
		p.i++
	case c == '>' && next == '|':
		p.i++
	case next == '&': // to another descriptor, or both outputs to a file
		p.i++
	case next == '(': // process substitution: its commands follow as any others
		return
	}
	p.skipBlanks()
	if t := p.scanWord(); t.text != "" && strings.Trim(t.text, "0123456789-") != "" {
		p.cur.redirects = append(p.cur.redirects, redirect{op, t})
	}
}

func (p *shellParser) skipBlanks() {
	for p.i < len(p.s) && (p.s[p.i] == ' ' || p.s[p.i] == '\t') {
		p.i++
	}
}

func (p *shellParser) heredoc() {
	indented := p.peek(0) == '-'
	if indented {
		p.i++
	}
	p.skipBlanks()
	if w := p.scanWord(); w.text != "" {
		p.pending = append(p.pending, pendingDoc{w.text, indented, len(p.out)})
	}
}

// heredocs reads the texts of the pending here-documents.
func (p *shellParser) heredocs() {
	for _, doc := range p.pending {
		begin := p.i
		end := len(p.s)
		for p.i < len(p.s) {
			lineStart := p.i
			lineEnd := p.lineEnd(p.i)
			p.i = min(lineEnd+1, len(p.s))
			line := p.s[lineStart:lineEnd]
			if doc.indented {
				line = strings.TrimLeft(line, "\t")
			}
			if strings.TrimRight(line, "\r") == doc.delimiter {
				end = lineStart
				break
			}
		}
		if doc.command >= 0 && doc.command < len(p.out) {
			p.out[doc.command].heredoc += p.s[min(begin, end):end]
		}
	}
	p.pending = nil
}
