package summarize

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/coppice-dev/coppice/ledger"
	"github.com/coppice-dev/coppice/message"
)

// A round shows something exactly where its transcript has text.
func TestShowsIsATranscriptWithText(t *testing.T) {
	texts := rapid.SampledFrom([]string{"", " ", "\n\t", "hello", "\xff", "secret"})
	mask := func(s string) string {
		if s == "secret" {
			return ""
		}
		return s
	}
	rapid.Check(t, func(t *rapid.T) {
		var r round
		for range rapid.IntRange(0, 4).Draw(t, "messages") {
			m := &message.Message{
				Role:     rapid.SampledFrom([]message.Role{message.RoleUser, message.RoleAssistant, message.RoleToolResult, message.RoleSystem, "other"}).Draw(t, "role"),
				ToolName: texts.Draw(t, "tool"), IsError: rapid.Bool().Draw(t, "error"),
			}
			if rapid.Bool().Draw(t, "has text") {
				m.Content = append(m.Content, message.Text{Text: texts.Draw(t, "text")})
			}
			if rapid.Bool().Draw(t, "calls") {
				m.Content = append(m.Content, message.ToolCall{ID: "1", Name: texts.Draw(t, "name"), Arguments: []byte(`{}`)})
			}
			r.sources = append(r.sources, ledger.Source{Message: m})
		}
		s := newSerializer(SerializeOptions{Mask: mask})
		if got, want := s.shows(r), transcript([]round{r}, resultLimit, mask) != ""; got != want {
			t.Fatalf("shows: %t, want %t for %+v", got, want, r)
		}
	})
}
