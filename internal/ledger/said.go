package ledger

import (
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/coppice-dev/coppice/message"
)

// said is what was found in the words of one message. It depends only on that
// message, so a range can be read in parallel; what depends on the order of
// messages is in the collector.
type said struct {
	text      string // unchanged
	own       string // what the user or the assistant wrote
	lines     []line
	request   string   // of the user; "": none
	orders    []string // of the user: constraints
	decisions []string // of the assistant
	questions []string
	values    []value
	names     []string // identifiers in backticks
}

// value is a URL, a number or a hash.
type value struct {
	class Class
	text  string
}

// readWords reads the words of a message. It returns nil if there are none to
// read.
func readWords(m *message.Message) *said {
	if m == nil {
		return nil
	}
	switch m.Role {
	case message.RoleUser:
		return readUser(m.Text("\n"))
	case message.RoleAssistant:
		if text := m.Text("\n"); strings.TrimSpace(text) != "" {
			return readAssistant(text)
		}
	}
	return nil
}

func readUser(text string) *said {
	s := &said{text: text, own: ownText(text)}
	if s.lines = proseLines(s.own); len(s.lines) == 0 {
		return s
	}
	s.request, s.orders = requestOf(s.lines), constraints(s.lines)
	s.readMentions()
	return s
}

var deciding = pattern{expr: `(?i)\b(?:decided (?:to|on|that|against)|decision:|going with|(?:I|we)['’]?(?:ll| will) (?:go with|use|stick with|keep|switch to|take)\b.*|opted (?:for|to)|chose (?:to)?|settled on|the plan is to|agreed (?:to|on)|instead of using|rather than using)`,
	words: []string{" decided ", " decision", " going with", " i ll ", " we ll ", " i will ", " we will ", " ill ", " well ", " opted ", " chose ", " settled on", " the plan is to", " agreed ",
		" instead of using", " rather than using"}}

func readAssistant(text string) *said {
	const most = 64 << 10
	s := &said{text: text, own: text}
	if len(text) > most {
		s.own = strings.ToValidUTF8(text[:most], "")
	}
	s.lines = proseLines(s.own)
	for _, line := range s.lines {
		if !deciding.match(line.text) {
			continue
		}
		for _, it := range sentences(line.text) {
			if deciding.match(it) && len(it) <= maxRequest && !strings.HasSuffix(it, "?") {
				s.decisions = append(s.decisions, it)
			}
		}
	}
	s.readMentions()
	return s
}

// readMentions reads what users and assistants both mention.
func (s *said) readMentions() {
	s.questions = questionsOf(s.lines)
	s.values, s.names = valuesOf(s.own), namesIn(s.own)
}

// readBlock is how many messages are read before they are collected;
// readChunk is how many of them a worker takes at a time.
const (
	readBlock = 2048
	readChunk = 32
)

// readAll reads the words of each message, in parallel if there are many.
func readAll(sources []Source) []*said {
	out := make([]*said, len(sources))
	read := func(from, to int) {
		for i := from; i < to; i++ {
			out[i] = readWords(sources[i].Message)
		}
	}
	if len(sources) < 2*readChunk {
		read(0, len(sources))
		return out
	}
	var next atomic.Int64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for {
				to := int(next.Add(readChunk))
				if to-readChunk >= len(sources) {
					return
				}
				read(to-readChunk, min(to, len(sources)))
			}
		})
	}
	workers.Wait()
	return out
}
