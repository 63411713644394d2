package session

import (
	"slices"

	"github.com/coppice-dev/coppice/internal/lines"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/internal/turn"
	"github.com/coppice-dev/coppice/internal/weigh"
	"github.com/coppice-dev/coppice/message"
)

// scan scans a stored message while its line is checked. What it finds equals
// what briefOf finds in the decoded message. It understands messages in their
// typical form, which is nearly all; the others have to be decoded.
type scan struct {
	counts bool // the tokens of messages are counted

	pool   lines.Pool
	texts  weigh.Counter // of this message
	images []Pixels      // of this message

	head    lines.Head // of this line
	doubled bool       // a member of the head occurs twice

	typical bool
	brief   brief
	shared  shared
	seen    messageMember
	calls   []turn.Call // of this message
	js      []byte      // reused
	reader  rawjson.TextReader

	sharedParts map[shared]*shared
	last        string      // id of the latest call
	slab        []turn.Call // memory for the calls of many messages
}

// messageMember is a member of a message that counts, as a bit.
type messageMember uint8

const (
	memberRole messageMember = 1 << iota
	memberContent
	memberProvider
	memberModel
	memberStop
	memberResult
)

// line checks a line. typical says that it has a message, which was scanned.
func (c *scan) line(line []byte) (typical, valid bool) {
	if len(line) == 0 || line[0] != '{' {
		return false, false
	}
	c.typical, c.doubled, c.head = false, false, lines.Head{}
	s := rawjson.NewScanner(line)
	for name := range s.Members() {
		switch string(name) {
		case "message":
			if s.Kind() == '{' {
				c.message(s)
			} else {
				c.typical = false // of two messages in a line the last counts
			}
		case "type":
			c.place(&c.head.Type, s)
		case "id":
			c.place(&c.head.ID, s)
		case "parentId":
			c.place(&c.head.ParentID, s)
		case "timestamp":
			c.place(&c.head.Timestamp, s)
		}
	}
	valid = s.End()
	return c.typical && valid, valid
}

// place reads the next value, a member of the head.
func (c *scan) place(member *[]byte, s *rawjson.Scanner) {
	c.doubled = c.doubled || *member != nil
	*member = s.Value()
}

// headOf returns what lines.ScanHead finds in a line that was scanned.
func (c *scan) headOf(line []byte) (h lines.Head, ok bool) {
	if c.doubled {
		return lines.ScanHead(line)
	}
	return c.head, rawjson.Kind(c.head.Type) == '"'
}

// message scans the next value, an object.
func (c *scan) message(s *rawjson.Scanner) {
	if c.sharedParts == nil {
		c.sharedParts = map[shared]*shared{}
	}
	c.texts, c.images = weigh.Counter{}, nil
	c.brief, c.shared, c.seen, c.calls, c.typical = brief{bytes: int64(len("[]"))}, shared{}, 0, c.calls[:0], true
	for name := range s.Members() {
		switch string(name) {
		case "role":
			c.only(memberRole)
			c.shared.role = message.Role(c.pool.Name(s.Value()))
		case "content":
			c.only(memberContent)
			c.content(s)
		case "provider":
			c.only(memberProvider)
			c.shared.provider = c.pool.Name(s.Value())
		case "model":
			c.only(memberModel)
			c.shared.model = c.pool.Name(s.Value())
		case "stopReason":
			c.only(memberStop)
			c.shared.stop = message.StopReason(c.pool.Name(s.Value()))
		case "usage":
			c.brief.trait(counted, s.Kind() == '{')
		case "toolCallId":
			c.only(memberResult)
			c.brief.result = c.answered(s.Value())
		}
	}
	switch c.shared.role {
	case message.RoleUser, message.RoleAssistant, message.RoleToolResult, message.RoleCustom:
	default:
		c.typical = false
	}
}

// only records a member of the message. A second member of the same name makes
// the message untypical, because the last one would count.
func (c *scan) only(m messageMember) {
	c.typical = c.typical && c.seen&m == 0
	c.seen |= m
}

// answered decodes the id of the call that a result names, which is nearly
// always the latest call.
func (c *scan) answered(v []byte) string {
	if lines.Quotes(v, c.last) {
		return c.last
	}
	return c.pool.Text(v)
}

// content scans the next value, which is the content of the message.
func (c *scan) content(s *rawjson.Scanner) {
	switch s.Kind() {
	case '"':
		c.text(s)
	case '[':
		for range s.Elements() {
			switch s.Kind() {
			case '"':
				c.text(s)
			case '{':
				c.block(s)
			}
		}
	}
}

// text scans the next value, a string that is the content of the message.
func (c *scan) text(s *rawjson.Scanner) {
	c.begin()
	c.add(textBytes)
	c.shown(s)
}

// begin begins a block.
func (c *scan) begin() {
	if c.brief.bytes > int64(len("[]")) {
		c.brief.bytes++ // a comma
	}
}

// take returns what was found in a typical message.
func (c *scan) take() brief {
	b := c.brief
	if c.counts {
		scripts := c.texts.Scripts()
		b.weight = weightOf(c.texts.Total()-scripts, scripts)
	}
	if len(c.images) > 0 {
		images := c.images
		b.images = &images
	}
	if b.by = c.sharedParts[c.shared]; b.by == nil {
		v := c.shared
		b.by = &v
		c.sharedParts[v] = b.by
	}
	if n := len(c.calls); n > 0 {
		if len(c.slab)+n > cap(c.slab) {
			c.slab = make([]turn.Call, 0, max(n, slab))
		}
		from := len(c.slab)
		c.slab = append(c.slab, c.calls...)
		b.calls = slices.Clip(c.slab[from:])
		c.last = c.calls[n-1].ID
	}
	return b
}
