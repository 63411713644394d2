package compaction_test

import (
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/memstore"
	"github.com/coppice-dev/coppice/tokens"
)

// The target is the threshold unless the floor reaches it; then it is the window
// minus the output.
func TestTarget(t *testing.T) {
	words := func(n int64) string { return strings.Repeat("word ", int(n)) } // one token each, or a little more
	tests := []struct {
		name            string
		window, input   int64
		settings        compaction.Settings
		system, request int64 // tokens
		pending, output int64
		want            int64
	}{
		{"a small floor", 200_000, 0, compaction.Settings{}, 1000, 1000, 0, 0, 183_616},
		{"the fixed part", 32_768, 0, compaction.Settings{}, 17_000, 0, 0, 0, 28_672},
		{"what waits", 32_768, 0, compaction.Settings{}, 0, 0, 17_000, 0, 28_672},
		{"much output", 32_768, 0, compaction.Settings{}, 17_000, 0, 0, 10_000, 22_768},
		{"more output than there is", 32_768, 0, compaction.Settings{}, 17_000, 0, 0, 30_000, 16_384},
		{"a large request counts a quarter", 32_768, 0, compaction.Settings{}, 0, 20_000, 0, 0, 16_384},
		{"a large request above a fixed part", 32_768, 0, compaction.Settings{}, 14_000, 20_000, 0, 0, 28_672},
		{"a threshold of the user's", 200_000, 0, compaction.Settings{ThresholdTokens: 20_000}, 25_000, 0, 0, 0, 195_904},
		{"an input limit", 400_000, 272_000, compaction.Settings{}, 1000, 0, 0, 0, 255_616},
		{"an input limit, and a floor", 400_000, 272_000, compaction.Settings{ThresholdTokens: 20_000}, 25_000, 0, 0, 0, 267_904},
		{"no window", 0, 0, compaction.Settings{}, 17_000, 0, 0, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := session.New(must.Get(memstore.New(nil).Create(ctx, session.Header{})), session.Options{})
			m := message.Model{Provider: "p", ID: "m", Window: tt.window, MaxInput: tt.input}
			if tt.system > 0 {
				must.Get(s.Append(ctx, session.MessageDraft(&message.Message{Role: message.RoleSystem, Content: texts(words(tt.system))})))
			}
			must.Get(s.Append(ctx, session.MessageDraft(message.User("hello "+words(tt.request)))))
			c := &compaction.Compactor{Session: s, Settings: tt.settings, Model: m, Output: tt.output}
			v := must.Get(c.View(ctx, nil))
			if got := must.Get(c.Target(v, tt.pending)); got != tt.want {
				t.Errorf("target %d, want %d (fixed %d)", got, tt.want, v.Prompt.Tokens(tokens.Default{}))
			}
		})
	}
}
