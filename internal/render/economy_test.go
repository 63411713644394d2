package render

import (
	"context"
	"testing"
	"time"

	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/memstore"
	"github.com/coppice-dev/coppice/timeline"
)

// The cache is warm for its lifetime after the last answer of the model that is
// asked, and cold after a compaction.
func TestWarm(t *testing.T) {
	ctx := context.Background()
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	m := message.Model{Provider: "fake", ID: "fake-1"}
	said := func(model string, stop message.StopReason) session.Draft {
		return session.MessageDraft(&message.Message{Role: message.RoleAssistant, Provider: "fake", Model: model, StopReason: stop, Time: at,
			Content: []message.Block{message.Text{Text: "hello"}}})
	}
	user := session.MessageDraft(&message.Message{Role: message.RoleUser, Time: at, Content: []message.Block{message.Text{Text: "hi"}}})
	tests := []struct {
		name   string
		drafts []session.Draft
		age    time.Duration
		want   bool
	}{
		{"nothing was asked", []session.Draft{user}, 0, false},
		{"just now", []session.Draft{user, said("fake-1", message.StopEnd), user}, time.Second, true},
		{"in time", []session.Draft{user, said("fake-1", message.StopEnd), user}, 5*time.Minute - 1, true},
		{"over", []session.Draft{user, said("fake-1", message.StopEnd), user}, 5 * time.Minute, false},
		{"another model's", []session.Draft{user, said("fake-2", message.StopEnd), user}, time.Second, false},
		{"a failure", []session.Draft{user, said("fake-1", message.StopError), user}, time.Second, false},
		{"before a compaction", []session.Draft{user, said("fake-1", message.StopEnd),
			session.CompactionDraft(&session.Compaction{Summary: "s"}), user}, time.Second, false},
	}
	for _, tt := range tests {
		log, err := memstore.New(nil).Create(ctx, session.Header{})
		if err != nil {
			t.Fatal(err)
		}
		s := session.New(log, session.Options{})
		if _, err := s.Append(ctx, tt.drafts...); err != nil {
			t.Fatal(err)
		}
		v, err := timeline.Project(ctx, s, nil, timeline.Policy{Model: m})
		if err != nil {
			t.Fatal(err)
		}
		if got := warm(v, m, at.Add(tt.age), UsualLifetime); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}
