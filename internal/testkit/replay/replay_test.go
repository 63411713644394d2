package replay

import (
	"fmt"
	"testing"

	"github.com/coppice-dev/coppice/internal/codec"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"pgregory.net/rapid"
)

func entry(t *rapid.T, id, body string) *session.Entry {
	e, ok := session.ParseEntry([]byte(`{"type":"message","id":"` + id + `","parentId":"p","timestamp":"2026-01-01T00:00:00Z","x":1,` + body + `}`))
	if !ok {
		t.Fatal("not an entry")
	}
	return e
}

// Parts are the whole path, in order, and no part begins with a result.
func TestParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var path []*session.Entry
		for i := range rapid.IntRange(0, 40).Draw(t, "entries") {
			role := rapid.SampledFrom([]string{"user", "assistant", "toolResult"}).Draw(t, "role")
			text := rapid.StringN(0, 200, 400).Draw(t, "text")
			path = append(path, entry(t, fmt.Sprint(i), `"message":`+string(codec.Encode(&message.Message{Role: message.Role(role),
				Content: []message.Block{message.Text{Text: text}}}))))
		}
		n := rapid.IntRange(1, 12).Draw(t, "parts")
		parts := Parts(path, n)
		if len(parts) > n {
			t.Fatalf("%d parts, at most %d", len(parts), n)
		}
		at := 0
		for i, p := range parts {
			if i > 0 && must.Get(p[0].Message()).Role == message.RoleToolResult {
				t.Fatalf("part %d begins with a result", i)
			}
			for _, e := range p {
				if e != path[at] {
					t.Fatalf("entry %d is out of order", at)
				}
				at++
			}
		}
		if at != len(path) {
			t.Fatalf("%d of %d entries", at, len(path))
		}
	})
}

func TestDraftsKeepWhatTheyDoNotKnow(t *testing.T) {
	e, _ := session.ParseEntry([]byte(`{"type":"odd","id":"a","parentId":null,"timestamp":"2026-01-01T00:00:00Z","x":[1,2]}`))
	c, _ := session.ParseEntry([]byte(`{"type":"compaction","id":"b","parentId":"a","summary":"s"}`))
	got := Drafts([]*session.Entry{e, c})
	if len(got) != 1 || got[0].ID != "a" || got[0].Type != "odd" || string(got[0].Body) != `{"x":[1,2]}` {
		t.Errorf("%+v", got)
	}
}
