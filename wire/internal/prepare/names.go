package prepare

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/coppice-dev/coppice/message"
)

// Fit makes s a name of letters, digits, _ and - of at most max bytes. A valid
// name stays as it is; any other gets a hash of itself at its end, so that two
// names never become the same. max must be at least 16.
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

// ShortID makes an id for a tool call that the vendor sent without one. The
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

// Call is a tool call as it is sent. In Content it replaces a
// message.ToolCall.
type Call struct {
	message.ToolCall
	Stored string // the id that the call has in the session
}

// ids gives every call a unique id. Sessions repeat ids, because some servers
// count from zero in every answer.
type ids struct {
	fit  func(string) string
	used map[string]bool
}

func newIDs(fit func(string) string) ids { return ids{fit: fit, used: map[string]bool{}} }

// give returns the id under which a call is sent.
func (d ids) give(stored string) string {
	first := d.fit(stored)
	id := first
	for n := 2; d.used[id]; n++ {
		id = d.fit(first + "~" + strconv.Itoa(n))
	}
	d.used[id] = true
	return id
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
