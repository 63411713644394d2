package session

import (
	"bytes"
	"strings"
	"unsafe"

	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/internal/turn"
)

// block is a block of content that is being scanned.
type block struct {
	kind blockKind
	seen uint8 // members that count, as bits
	call turn.Call
}

type blockKind uint8

const (
	blockUnknown blockKind = iota
	blockText
	blockThinking
	blockImage
	blockCall
	blockOther
)

// How many bytes message.EncodeContent writes of a block in addition to the
// values.
const (
	textBytes     = len(`{"type":"text","text":}`)
	thinkingBytes = len(`{"type":"thinking","thinking":}`)
	imageBytes    = len(`{"type":"image","data":,"mimeType":}`)
	callBytes     = len(`{"type":"toolCall","id":,"name":,"arguments":}`)
	redactedBytes = len(`,"redacted":true`)
	emptyBytes    = len(`""`)
)

// block scans the next value, an object. A typical one names its type first,
// and each member once.
func (c *scan) block(s *rawjson.Scanner) {
	c.begin()
	b := block{}
	for name := range s.Members() {
		switch b.kind {
		case blockUnknown:
			b.kind = c.kind(s, name)
			continue
		case blockText:
			c.textMember(s, &b, name)
		case blockThinking:
			c.thinkingMember(s, &b, name)
		case blockImage:
			c.imageMember(s, &b, name)
		case blockCall:
			c.callMember(s, &b, name)
		}
		c.typical = c.typical && string(name) != "type"
	}
	c.end(&b)
}

// kind reads the first member of a block.
func (c *scan) kind(s *rawjson.Scanner, name []byte) blockKind {
	if string(name) == "type" {
		switch string(s.Value()) {
		case `"text"`:
			return blockText
		case `"thinking"`:
			return blockThinking
		case `"image"`:
			return blockImage
		case `"toolCall"`:
			return blockCall
		}
	}
	return blockOther
}

// end adds what every block has, and the members that are missing.
func (c *scan) end(b *block) {
	lacks := func(bit uint8, n int) int {
		if b.seen&bit != 0 {
			return 0
		}
		return n
	}
	switch b.kind {
	case blockText:
		c.add(textBytes + lacks(1, emptyBytes))
	case blockThinking:
		c.brief.traits |= reasons
		c.add(thinkingBytes + lacks(1, emptyBytes))
	case blockImage:
		c.brief.traits |= shows
		if b.seen&1 == 0 { // without data
			c.images = append(c.images, Pixels{})
		}
		c.add(imageBytes + lacks(1, emptyBytes) + lacks(2, emptyBytes))
	case blockCall:
		c.add(callBytes + lacks(1, emptyBytes) + lacks(2, emptyBytes))
		if b.seen&4 == 0 {
			c.arguments(nil)
		}
		c.calls = append(c.calls, b.call)
	default:
		c.typical = false
	}
}

func (c *scan) add(n int) { c.brief.bytes += int64(n) }

// once records a member of a block; a second one makes the message untypical.
func (c *scan) once(b *block, bit uint8) {
	c.typical = c.typical && b.seen&bit == 0
	b.seen |= bit
}

func (c *scan) textMember(s *rawjson.Scanner, b *block, name []byte) {
	switch string(name) {
	case "text":
		c.once(b, 1)
		c.shown(s)
	case "textSignature":
		c.once(b, 2)
		c.brief.trait(reasons, c.optional(s, name))
	}
}

func (c *scan) thinkingMember(s *rawjson.Scanner, b *block, name []byte) {
	switch string(name) {
	case "thinking":
		c.once(b, 1)
		c.counted(s)
	case "thinkingSignature":
		c.once(b, 2)
		c.optional(s, name)
	case "redacted":
		c.once(b, 4)
		if rawjson.Bool(s.Value()) {
			c.add(redactedBytes)
		}
	}
}

func (c *scan) imageMember(s *rawjson.Scanner, b *block, name []byte) {
	switch string(name) {
	case "data":
		c.once(b, 1)
		c.images = append(c.images, pixelsOf(c.value(s)))
	case "mimeType":
		c.once(b, 2)
		c.value(s)
	}
}

func (c *scan) callMember(s *rawjson.Scanner, b *block, name []byte) {
	switch string(name) {
	case "id":
		c.once(b, 1)
		b.call.ID = c.pool.Text(c.value(s))
	case "name":
		c.once(b, 2)
		b.call.Name = c.pool.Name(c.counted(s))
	case "arguments":
		c.once(b, 4)
		c.arguments(s.Value())
	case "thoughtSignature":
		c.once(b, 8)
		c.brief.trait(reasons, c.optional(s, name))
	case "namespace":
		c.once(b, 16)
		c.optional(s, name)
	}
}

// arguments counts the arguments of a call, in the form in which they are kept.
func (c *scan) arguments(v []byte) {
	if c.js = append(c.js[:0], "{}"...); rawjson.Kind(v) != 'n' { // a missing value has kind n too
		c.js = rawjson.AppendJS(c.js[:0], v)
	}
	if c.counts {
		c.texts.Add(c.js)
		c.texts.End()
	}
	c.add(len(c.js))
}

// counted returns the next value, a text of a block whose bytes count.
func (c *scan) counted(s *rawjson.Scanner) []byte {
	text := s.Kind() == '"'
	var v []byte
	var n int
	var ok bool
	if c.counts {
		v, n, ok = c.reader.Read(s, &c.texts)
		c.texts.End()
	} else {
		v, n, ok = s.Text()
	}
	switch {
	case !text:
		n = emptyBytes // what is not a string is read as empty
	case !ok:
		c.typical = false
	}
	c.add(n)
	return v
}

// value returns the next value, a text of a block whose bytes do not count.
func (c *scan) value(s *rawjson.Scanner) []byte {
	text := s.Kind() == '"'
	v, n, ok := s.Text()
	switch {
	case !text:
		n = emptyBytes
	case !ok:
		n = rawjson.QuotedLen(rawjson.String(v))
	}
	c.add(n)
	return v
}

// pixelsOf returns the size of an image whose data is a JSON value.
func pixelsOf(v []byte) Pixels {
	if len(v) < 2 || v[0] != '"' {
		return Pixels{}
	}
	if bytes.IndexByte(v, '\\') >= 0 {
		return pixels(rawjson.String(v))
	}
	return pixels(unsafe.String(&v[1], len(v)-2)) // only read
}

// optional reads the next value, a text that is written only if it is not
// empty, and reports whether it is not empty.
func (c *scan) optional(s *rawjson.Scanner, name []byte) bool {
	before := c.brief.bytes
	v := c.value(s)
	if len(v) <= emptyBytes || v[0] != '"' {
		c.brief.bytes = before
		return false
	}
	c.add(len(`,"":`) + len(name))
	return true
}

// shown reads the next value, a text that a model sees.
func (c *scan) shown(s *rawjson.Scanner) {
	v := c.counted(s)
	c.brief.trait(shows, c.brief.traits&shows != 0 || !blank(v))
}

// blank reports whether a JSON value decodes to white space or nothing. For
// most texts the first character decides.
func blank(v []byte) bool {
	if len(v) < 2 || v[0] != '"' {
		return true
	}
	for i := 1; i < len(v)-1; i++ {
		switch c := v[i]; {
		case c == ' ':
		case c == '\\' && (v[i+1] == 'n' || v[i+1] == 't' || v[i+1] == 'r'):
			i++
		case c > ' ' && c < 0x7f && c != '\\':
			return false
		default:
			return strings.TrimSpace(rawjson.String(v)) == ""
		}
	}
	return true
}
