package session

import (
	"sync"

	"github.com/coppice-dev/coppice/internal/codec"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
)

// far reads the bytes of entries again that were read once and not kept in
// memory. It keeps the messages that were decoded last.
type far struct {
	read func(id string, at int64, length int) ([]byte, error)

	mu         sync.Mutex
	young, old map[*Entry]*message.Message
	size       int // bytes that the messages in young were decoded from
}

// generation is how many bytes are decoded into the younger half of what is
// kept before the older half is dropped.
const generation = 2 << 20

// message returns the message of an entry.
func (f *far) message(e *Entry) (*message.Message, error) {
	if m := f.kept(e); m != nil {
		return m, nil
	}
	raw, err := e.Raw()
	if err != nil {
		return nil, err
	}
	m := codec.Decode(rawjson.Get(raw, "message"))
	f.keep(e, m)
	return m, nil
}

func (f *far) kept(e *Entry) *message.Message {
	f.mu.Lock()
	defer f.mu.Unlock()
	if m := f.young[e]; m != nil {
		return m
	}
	m := f.old[e]
	if m != nil {
		f.add(e, m)
	}
	return m
}

func (f *far) keep(e *Entry, m *message.Message) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.add(e, m)
}

func (f *far) add(e *Entry, m *message.Message) {
	if f.young == nil || f.size > generation {
		f.young, f.old, f.size = map[*Entry]*message.Message{}, f.young, 0
	}
	f.young[e] = m
	f.size += int(e.brief.length)
}
