package prepare

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"github.com/coppice-dev/coppice/message"
)

// Fit makes s a name of letters, digits, _ and - of at most max bytes. A name
// that is one already stays; any other gets a hash of itself at its end, so
// that two names never become one. max must be at least 16.
func Fit(s string, max int) string {
	if plain(s) && len(s) <= max {
		return s
	}
	sum := sha256.Sum256([]byte(s))
	tail := "_" + hex.EncodeToString(sum[:4])
	head := strings.Map(func(r rune) rune {
		if isPlain(r) {
			return r
		}
		return '_'
	}, s)
	return head[:min(len(head), max-len(tail))] + tail
}

// ShortID gives an answer's tool call an id where the vendor sent none. The
// same parts give the same id.
func ShortID(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return "call_" + hex.EncodeToString(sum[:12])
}

func plain(s string) bool {
	for _, r := range s {
		if !isPlain(r) {
			return false
		}
	}
	return s != ""
}

func isPlain(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-'
}

// Call is a tool call as it is sent. It is in Content in place of a
// message.ToolCall.
type Call struct {
	message.ToolCall
	Stored string // the id that the call has in the session
}

// calls binds results to calls and gives every call an id of its own.
// Sessions repeat ids: some servers count from zero in every answer.
type calls struct {
	fit   func(string) string
	all   []sent
	used  map[string]bool
	open  map[string][]int // by stored id: indices in all that wait for a result
	batch int              // index in all where the latest run of assistant messages begins
}

type sent struct{ id, name string }

func newCalls(fit func(string) string) *calls {
	return &calls{fit: fit, used: map[string]bool{}, open: map[string][]int{}}
}

// add returns the id under which a call is sent.
func (c *calls) add(stored, name string) string {
	first := c.fit(stored)
	id := first
	for n := 2; c.used[id]; n++ {
		id = c.fit(first + "~" + strconv.Itoa(n))
	}
	c.used[id] = true
	c.open[stored] = append(c.open[stored], len(c.all))
	c.all = append(c.all, sent{id: id, name: name})
	return id
}

// bind finds the call that a result answers: the first open one of the latest
// batch with its id, else the latest open one before. It returns the call's
// index, or -1 for a result without a call.
func (c *calls) bind(stored string) int {
	open := c.open[stored]
	if len(open) == 0 {
		return -1
	}
	at := slices.IndexFunc(open, func(i int) bool { return i >= c.batch })
	if at < 0 {
		at = len(open) - 1
	}
	found := open[at]
	c.open[stored] = slices.Delete(open, at, at+1)
	return found
}

// callTools returns the names of the tools called in messages, each once, in
// order of first appearance.
func callTools(messages []Message) []string {
	var names []string
	seen := map[string]bool{}
	for _, m := range messages {
		for _, b := range m.Content {
			if c, ok := b.(Call); ok && !seen[c.Name] {
				seen[c.Name] = true
				names = append(names, c.Name)
			}
		}
	}
	return names
}
