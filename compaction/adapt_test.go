package compaction_test

import (
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/memstore"
)

// counted is a session of sixty turns whose messages have a thousand tokens each
// by the plain estimate; the provider counts ratio times as much
// and a fixed part on top.
func counted(t *testing.T, ratio float64, fixed int64) *session.Session {
	t.Helper()
	s := session.New(must.Get(memstore.New(nil).Create(ctx, session.Header{})), session.Options{})
	text := strings.Repeat("word ", 800)
	for i := range 60 {
		u := fixed + int64(float64(2000*i+1000)*ratio)
		must.Get(s.Append(ctx,
			session.MessageDraft(message.User(text)),
			session.MessageDraft(&message.Message{Role: message.RoleAssistant, Provider: "p", Model: "m", StopReason: message.StopEnd, Content: texts(text),
				Usage: &message.Usage{Input: u, Output: int64(1000 * ratio), TotalTokens: u + int64(1000*ratio)}})))
	}
	return s
}

// The setting keepRecentTokens is spent in tokens of the provider if they are
// more than ours of the same range, and neither includes the fixed part. A
// number that was given, and a plan over a file, are taken as they are.
func TestAdaptedKeep(t *testing.T) {
	for _, tt := range []struct {
		name       string
		ratio      float64
		fixed      int64
		adapt      bool
		keep       *int64
		kept       int // messages
		keptTokens int64
	}{
		{"as we count", 1, 5000, true, nil, 20, 20_000},
		{"twice as much", 2, 5000, true, nil, 10, 20_000},
		{"a half more", 1.5, 5000, true, nil, 14, 21_000},
		{"half", 0.5, 5000, true, nil, 20, 10_000},
		{"a large fixed part", 1, 60_000, true, nil, 20, 20_000},
		{"twice as much, and a large fixed part", 2, 60_000, true, nil, 10, 20_000},
		{"twice as much, over a file", 2, 5000, false, nil, 20, 40_000},
		{"twice as much, given", 2, 5000, true, new(int64(20_000)), 20, 40_000},
	} {
		c := &compaction.Compactor{Session: counted(t, tt.ratio, tt.fixed), Model: message.Model{Provider: "p", ID: "m", Window: 1_000_000}}
		p, _, err := c.Plan(ctx, compaction.Request{Adapt: tt.adapt, Keep: tt.keep})
		if err != nil || p.Skip != "" {
			t.Fatalf("%s: %v %s", tt.name, err, p.Skip)
		}
		if len(p.Keep) != tt.kept || p.KeptTokens < tt.keptTokens*95/100 || p.KeptTokens > tt.keptTokens*105/100 {
			t.Errorf("%s: %d messages of %d tokens are kept, want %d of %d", tt.name, len(p.Keep), p.KeptTokens, tt.kept, tt.keptTokens)
		}
	}
}
