package state

import (
	"context"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/coppice-dev/coppice/internal/prose"
	"github.com/coppice-dev/coppice/message"
)

// said is what the words of one message hold. It is told from that message
// alone, so a range can be read on all processors; what depends on the order
// of messages is the folder's.
type said struct {
	words     prose.Words // of the user, or of an assistant
	lang      prose.Lang
	lines     []prose.Line
	sentences []sentence
}

// sentence is a sentence of a message.
type sentence struct {
	prose.Sentence
	line int // in lines
	meat string
}

// maxSaid bounds how much of an assistant's text is read, in bytes.
const maxSaid = 64 << 10

// readWords reads the words of a message; nil where there are none to read. They
// are masked before they are parted: a sentence may be half of a secret.
func readWords(m *message.Message, mask func(string) string) *said {
	switch m.Role {
	case message.RoleUser:
		return read(prose.Own(mask(m.Text("\n"))), true)
	case message.RoleAssistant, message.RoleCustom:
		text := m.Text("\n")
		if text == "" {
			return nil
		}
		text = mask(text)
		return read(prose.Words{Own: text[:min(len(text), maxSaid)]}, false)
	}
	return nil
}

// read parts words into sentences. Of the user's the filler is taken off.
func read(w prose.Words, user bool) *said {
	s := &said{words: w, lang: prose.Detect(w.Own)}
	s.lines = prose.Lines(strings.ToValidUTF8(w.Own, ""))
	for i, l := range s.lines {
		for _, text := range prose.Split(l.Text) {
			meat := text
			if user {
				meat = prose.Meat(text, s.lang)
			}
			s.sentences = append(s.sentences, sentence{prose.Read(text, s.lang), i, meat})
		}
	}
	return s
}

// readBlock is how many messages are read before they are folded; readChunk is
// how many of them a worker takes at a time.
const (
	readBlock = 2048
	readChunk = 32
)

// readAll reads the words of each message, on all processors where there are
// many. If ctx ends, it leaves out the rest.
func readAll(ctx context.Context, sources []source, mask func(string) string) []*said {
	out := make([]*said, len(sources))
	read := func(from, to int) {
		for i := from; i < to; i++ {
			out[i] = readWords(sources[i].Message, mask)
		}
	}
	if len(sources) < 2*readChunk {
		read(0, len(sources))
		return out
	}
	var next atomic.Int64
	var workers sync.WaitGroup
	var broken atomic.Pointer[any] // what a mask that is not ours panicked with
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					broken.Store(&p)
				}
			}()
			for {
				to := int(next.Add(readChunk))
				if to-readChunk >= len(sources) || ctx.Err() != nil {
					return
				}
				read(to-readChunk, min(to, len(sources)))
			}
		})
	}
	workers.Wait()
	if p := broken.Load(); p != nil {
		panic(*p) // where the caller can recover from it
	}
	return out
}

// text joins the sentences of a range as they were written.
func join(parts []sentence) string {
	var out []string
	for _, s := range parts {
		out = append(out, s.Text)
	}
	return strings.Join(out, " ")
}
