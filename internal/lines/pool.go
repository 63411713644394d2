package lines

import (
	"strings"

	"github.com/coppice-dev/coppice/internal/rawjson"
)

// Pool makes strings that share large blocks, so that an index of many entries
// takes few allocations. The zero value is ready.
type Pool struct {
	b     strings.Builder
	names map[string]string
}

// Text decodes a JSON string; another value gives "".
func (p *Pool) Text(v []byte) string {
	if len(v) < 2 || v[0] != '"' || !plain(v) {
		return rawjson.String(v)
	}
	s := v[1 : len(v)-1]
	if p.b.Cap()-p.b.Len() < len(s) {
		p.b = strings.Builder{}
		p.b.Grow(max(16<<10, len(s)))
	}
	at := p.b.Len()
	p.b.Write(s)
	return p.b.String()[at:]
}

// mostNames bounds what is looked up: names are few, unless a file is hostile.
const mostNames = 256

// Name is Text for strings that repeat often.
func (p *Pool) Name(v []byte) string {
	if s, ok := p.names[string(v)]; ok {
		return s
	}
	s := p.Text(v)
	if p.names == nil {
		p.names = map[string]string{}
	}
	if len(p.names) < mostNames {
		p.names[string(v)] = s
	}
	return s
}

// plain reports whether a quoted string has no escapes.
func plain(v []byte) bool {
	for _, c := range v {
		if c == '\\' || c >= 0x80 {
			return false
		}
	}
	return true
}

// Quotes reports whether the JSON value v is s in quotes, without escapes.
func Quotes(v []byte, s string) bool {
	return len(v) == len(s)+2 && v[0] == '"' && string(v[1:len(v)-1]) == s
}
