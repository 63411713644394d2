package codec

import (
	"bytes"
	"fmt"

	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
)

// Value returns the block that b points to. A pointer to a block is a
// message.Block too, but what reads blocks looks for values. A nil pointer
// becomes nil.
func Value(b message.Block) message.Block {
	switch b := b.(type) {
	case *message.Text:
		return pointed(b)
	case *message.Image:
		return pointed(b)
	case *message.Thinking:
		return pointed(b)
	case *message.ToolCall:
		return pointed(b)
	case *message.Opaque:
		return pointed(b)
	}
	return b
}

func pointed[T message.Block](p *T) message.Block {
	if p == nil {
		return nil
	}
	return *p
}

// Values returns m with the blocks that its content points to. It fails if a
// pointer is nil, a block is of a type that no one can read, or the bytes of an
// opaque one are not JSON; m is then returned without those blocks. m itself is
// not changed.
func Values(m *message.Message) (*message.Message, error) {
	if m == nil {
		return nil, nil
	}
	var wrong error
	out := *m
	out.Content = make([]message.Block, 0, len(m.Content))
	for i, b := range m.Content {
		switch v := Value(b).(type) {
		case message.Opaque:
			if !rawjson.Valid(v.Raw) {
				wrong = fmt.Errorf("block %d, of type %q, is not JSON", i, v.Type)
				continue
			}
			v.Raw = bytes.Map(oneLine, v.Raw)
			out.Content = append(out.Content, v)
		case message.Text, message.Image, message.Thinking, message.ToolCall:
			out.Content = append(out.Content, v)
		case nil:
			if b != nil {
				wrong = fmt.Errorf("block %d is a nil %T", i, b)
			}
		default:
			wrong = fmt.Errorf("block %d is a %T, which is not a type of content", i, b)
		}
	}
	return &out, wrong
}

// oneLine makes line ends blank: in JSON they are only between tokens.
func oneLine(r rune) rune {
	if r == '\n' || r == '\r' {
		return ' '
	}
	return r
}
