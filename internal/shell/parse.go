// Package shell reads command lines without running them: the simple commands
// of a script with their words, redirections and here-documents, the sign that
// follows each, and what each does to files.
//
// A script is read only as far as that needs it. What depends on running
// something ($x, $(…), globs) is marked as not literal and never taken for a
// path.
package shell

import (
	"path"
	"strings"
)

// Word is one word of a command.
type Word struct {
	Text    string // quotes taken off
	Literal bool   // nothing in it is expanded
}

// Redirect is a redirection to or from a file.
type Redirect struct {
	Op     string // one of > >> <
	Target Word
}

// Command is a simple command.
type Command struct {
	Env       []string // assignments before it: NAME=value
	Words     []Word
	Redirects []Redirect
	Heredoc   string // the text of its here-document
	Source    string // as written, without what surrounds it
	Then      string // the sign after it: "" ; && || | or &
}

// Name returns the program without its folder, or "" if there is none.
func (c Command) Name() string {
	if len(c.Words) == 0 {
		return ""
	}
	return path.Base(strings.ReplaceAll(c.Words[0].Text, `\`, "/"))
}

// Args returns the words after the program.
func (c Command) Args() []Word {
	if len(c.Words) == 0 {
		return nil
	}
	return c.Words[1:]
}

// Piped reports whether its output goes to the next command.
func (c Command) Piped() bool { return c.Then == "|" }

// maxScript bounds how much of a script is read, in bytes.
const maxScript = 1 << 20

// Parse returns the simple commands of a script, in order. It accepts
// anything; what it cannot make out becomes words.
func Parse(script string) []Command {
	p := &parser{s: script[:min(len(script), maxScript)]}
	p.run()
	return p.out
}

type parser struct {
	s       string
	i       int
	out     []Command
	cur     Command
	start   int // where the current command begins; -1: not yet
	pending []pendingDoc
}

// pendingDoc is a here-document whose text begins at the next line.
type pendingDoc struct {
	delimiter string
	indented  bool
	command   int // index in out
}

func (p *parser) run() {
	p.start = -1
	for p.i < len(p.s) {
		switch c := p.s[p.i]; {
		case c == ' ' || c == '\t' || c == '\r':
			p.i++
		case c == '\\' && p.peek(1) == '\n':
			p.i += 2
		case c == '\n':
			p.end(";")
			p.i++
			p.heredocs()
		case c == '#':
			p.i = p.lineEnd(p.i)
		case c == ';' || c == '(' || c == ')':
			p.end(";")
			p.i++
		case c == '&' && p.peek(1) == '>':
			p.i++ // &>file: both outputs
		case c == '&' || c == '|':
			sign := string(c)
			switch next := p.peek(1); {
			case next == c:
				sign += sign
				p.i++
			case c == '|' && next == '&':
				p.i++
			}
			p.i++
			p.end(sign)
		case c == '>' || c == '<':
			p.redirection()
		default:
			p.word()
		}
	}
	p.end("")
	p.heredocs()
}

func (p *parser) peek(n int) byte {
	if p.i+n < len(p.s) {
		return p.s[p.i+n]
	}
	return 0
}

func (p *parser) lineEnd(i int) int {
	if n := strings.IndexByte(p.s[i:], '\n'); n >= 0 {
		return i + n
	}
	return len(p.s)
}

// end closes the current command.
func (p *parser) end(sign string) {
	if len(p.cur.Words) > 0 || len(p.cur.Redirects) > 0 {
		p.cur.Then = sign
		p.out = append(p.out, p.cur)
	} else {
		p.forget()
	}
	p.cur, p.start = Command{}, -1
}

// forget drops here-documents of a command that has no words.
func (p *parser) forget() {
	for i := range p.pending {
		if p.pending[i].command == len(p.out) {
			p.pending[i].command = -1
		}
	}
}

// word reads a word. Digits right before a redirection are its descriptor.
func (p *parser) word() {
	begin := p.i
	w := p.scanWord()
	if p.i < len(p.s) && (p.s[p.i] == '>' || p.s[p.i] == '<') && strings.Trim(w.Text, "0123456789") == "" && w.Literal {
		return
	}
	if p.start < 0 {
		p.start = begin
	}
	p.cur.Words = append(p.cur.Words, w)
	if len(p.cur.Redirects) == 0 { // what follows a redirection is rarely telling
		p.cur.Source = p.s[p.start:p.i]
	}
}

// scanWord reads up to the next unquoted blank or sign.
func (p *parser) scanWord() Word {
	w := Word{Literal: true}
	var b strings.Builder
	for p.i < len(p.s) {
		c := p.s[p.i]
		switch c {
		case ' ', '\t', '\n', '\r', ';', '&', '|', '(', ')', '<', '>':
			w.Text = b.String()
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
			w.Literal = p.doubleQuoted(&b) && w.Literal
		case '\\':
			if p.i+1 < len(p.s) && p.s[p.i+1] != '\n' {
				b.WriteByte(p.s[p.i+1])
			}
			p.i = min(p.i+2, len(p.s))
		case '$', '`':
			w.Literal = false
			p.expansion(&b)
		default:
			if c == '*' || c == '?' || c == '[' || c == '{' {
				w.Literal = false
			}
			b.WriteByte(c)
			p.i++
		}
	}
	w.Text = b.String()
	return w
}

// doubleQuoted reads "…" and reports whether nothing in it is expanded.
func (p *parser) doubleQuoted(b *strings.Builder) bool {
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

// expansion copies $x, ${…}, $(…) or `…` unchanged.
func (p *parser) expansion(b *strings.Builder) {
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

// substitution returns the index after $(…), whose bracket opens at i. The
// text of $(cat <<'EOF' …) may hold any brackets.
func (p *parser) substitution(i int) int {
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

// closing returns the index after the bracket that closes the one at i.
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

func (p *parser) redirection() {
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
	if t := p.scanWord(); t.Text != "" && strings.Trim(t.Text, "0123456789-") != "" {
		p.cur.Redirects = append(p.cur.Redirects, Redirect{op, t})
	}
}

func (p *parser) skipBlanks() {
	for p.i < len(p.s) && (p.s[p.i] == ' ' || p.s[p.i] == '\t') {
		p.i++
	}
}

func (p *parser) heredoc() {
	indented := p.peek(0) == '-'
	if indented {
		p.i++
	}
	p.skipBlanks()
	if w := p.scanWord(); w.Text != "" {
		p.pending = append(p.pending, pendingDoc{w.Text, indented, len(p.out)})
	}
}

// heredocs reads the texts of the pending here-documents.
func (p *parser) heredocs() {
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
			p.out[doc.command].Heredoc += p.s[min(begin, end):end]
		}
	}
	p.pending = nil
}
