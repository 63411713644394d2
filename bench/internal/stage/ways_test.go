package stage

import (
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/ledger"
	"github.com/coppice-dev/coppice/message"
	"pgregory.net/rapid"
)

func say(role message.Role, text string) *message.Message {
	return &message.Message{Role: role, Content: []message.Block{message.Text{Text: text}}}
}

// No simpler way takes more room than it was given, and each keeps the newest
// words.
func TestWaysStayInTheirRoom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		heads, users := &HeadAndTail{}, &UserMessages{}
		for range rapid.IntRange(1, 4).Draw(t, "compactions") {
			var newly []ledger.Source
			for range rapid.IntRange(1, 5).Draw(t, "messages") {
				role := rapid.SampledFrom([]message.Role{message.RoleUser, message.RoleAssistant}).Draw(t, "role")
				newly = append(newly, ledger.Source{Message: say(role, rapid.StringN(0, 300, -1).Draw(t, "text"))})
			}
			budget := rapid.Int64Range(2, 200).Draw(t, "budget")
			heads.Take(newly, budget)
			users.Take(newly, budget)
			if n := Size(heads.Text); n > budget+1 {
				t.Fatalf("head and tail: %d tokens of %d", n, budget)
			}
			if n := Size(users.Text); n > budget {
				t.Fatalf("user messages: %d tokens of %d", n, budget)
			}
		}
	})
}

func TestHeadAndTail(t *testing.T) {
	h := &HeadAndTail{}
	h.Take([]ledger.Source{{Message: say(message.RoleUser, "first words "+strings.Repeat("middle ", 500)+"last words")}}, 20)
	if !strings.HasPrefix(h.Text, "first words") || !strings.HasSuffix(h.Text, "last words") {
		t.Errorf("%q", h.Text)
	}
}
