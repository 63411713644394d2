package render

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/coppice-dev/coppice/internal/excerpt"
	"github.com/coppice-dev/coppice/internal/kinds"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/timeline"
)

// Fields are how many characters fields of a request may have, by their names in
// package kinds; a field that is not there may have any number.
type Fields map[string]int64

func (f Fields) of(name string) int { return int(f[name]) }

// minField is the least that is left of a text, in characters; minID of an id.
const (
	minField = 200
	minID    = 16
)

// Shorten shortens the fields of a request that are too long: head, tail, and
// where to read the rest; ids get a hash (docs/limits.md). entries are the ids of
// the log's entries of the messages, in the same order; nil: they are not known.
// The messages themselves are not changed.
func (f Fields) Shorten(req *timeline.Request, entries []string) {
	req.Messages = slices.Clone(req.Messages)
	for i, m := range req.Messages {
		where := "the log has all of it"
		if i < len(entries) && entries[i] != "" {
			where = "read en:" + entries[i] + " for all of it"
		}
		req.Messages[i] = f.message(m, where)
	}
	if most := f.of(kinds.FieldDescription); most >= minField {
		req.Tools = slices.Clone(req.Tools)
		for i, t := range req.Tools {
			req.Tools[i].Description = excerpt.Text(t.Description, most, "of this description")
		}
	}
}

func (f Fields) message(m *message.Message, where string) *message.Message {
	if m == nil {
		return m
	}
	out := *m
	out.Content = slices.Clone(m.Content)
	name := kinds.FieldText
	if m.Role == message.RoleToolResult {
		name = kinds.FieldOutput
		out.ToolCallID = shortID(m.ToolCallID, f.of(kinds.FieldID))
	}
	texts(out.Content, f.of(name), where)
	for i, b := range out.Content {
		if c, ok := b.(message.ToolCall); ok {
			c.ID = shortID(c.ID, f.of(kinds.FieldID))
			if most := f.of(kinds.FieldArguments); most >= minField {
				if !rawjson.Valid(c.Arguments) {
					c.Arguments = rawjson.Quote(string(c.Arguments))
				}
				c.Arguments = excerpt.Arguments(c.Arguments, most, where)
			}
			out.Content[i] = c
		}
	}
	return &out
}

// texts shortens the texts of a message so that they have at most so many
// characters together, each by its share.
func texts(content []message.Block, most int, where string) {
	total := 0
	for _, b := range content {
		if t, ok := b.(message.Text); ok {
			total += utf8.RuneCountInString(t.Text)
		}
	}
	if most < minField || total <= most {
		return
	}
	for i, b := range content {
		if t, ok := b.(message.Text); ok {
			n := utf8.RuneCountInString(t.Text)
			t.Text = excerpt.Text(t.Text, max(1, most*n/total), where)
			content[i] = t
		}
	}
}

// shortID makes an id of at most so many characters; different ids stay
// different. An id of the Responses API has two parts.
func shortID(id string, most int) string {
	if most < minID {
		return id
	}
	parts := strings.Split(id, "|")
	for i, p := range parts {
		if len(p) > most {
			sum := sha256.Sum256([]byte(p))
			tail := "_" + hex.EncodeToString(sum[:6])
			parts[i] = p[:most-len(tail)] + tail
		}
	}
	return strings.Join(parts, "|")
}

// FewerBytes returns fields that make a request smaller by at least so many
// bytes: the largest texts, outputs and arguments give way, down to a common
// length. It returns nil if there is not that much.
func FewerBytes(req timeline.Request, by int64) Fields {
	var sizes []int64
	for _, m := range req.Messages {
		if m == nil {
			continue
		}
		text := int64(0)
		for _, b := range m.Content {
			switch b := b.(type) {
			case message.Text:
				text += int64(len(b.Text))
			case message.ToolCall:
				sizes = append(sizes, int64(len(b.Arguments)))
			}
		}
		sizes = append(sizes, text)
	}
	slices.Sort(sizes)
	saved := int64(0)
	for n := len(sizes) - 1; n >= 0; n-- {
		next := int64(minField)
		if n > 0 {
			next = max(next, sizes[n-1])
		}
		count := int64(len(sizes) - n)
		if step := (sizes[n] - next) * count; saved+step >= by {
			most := max(minField, sizes[n]-(by-saved+count-1)/count)
			return Fields{kinds.FieldText: most, kinds.FieldOutput: most, kinds.FieldArguments: most}
		} else if step > 0 {
			saved += step
		}
	}
	return nil
}
