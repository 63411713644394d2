package timeline_test

import (
	"context"
	"slices"
	"testing"

	"github.com/coppice-dev/coppice/internal/mark"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/memstore"
	"github.com/coppice-dev/coppice/timeline"
)

// A compaction stands for its summary, what it covers is listed too, and one
// that was undone is gone with its edits.
func TestListPath(t *testing.T) {
	ctx := context.Background()
	log, err := memstore.New(nil).Create(ctx, session.Header{})
	if err != nil {
		t.Fatal(err)
	}
	s := session.New(log, session.Options{})
	say := func(id, text string) session.Draft {
		d := session.MessageDraft(&message.Message{Role: message.RoleUser, Content: []message.Block{message.Text{Text: text}}})
		d.ID = id
		return d
	}
	edit := func(id, target, text string) session.Draft {
		d := session.EditDraft(target, []message.Block{message.Text{Text: text}})
		d.ID = id
		return d
	}
	compacted := func(id, summary string, edits ...string) session.Draft {
		d := session.CompactionDraft(&session.Compaction{Summary: summary, FirstKeptEntryID: "b", Coppice: &session.CompactionDetails{Edits: edits}})
		d.ID = id
		return d
	}
	if _, err := s.Append(ctx, say("a", "one"), say("b", "two"), edit("e1", "a", "ONE"), edit("e2", "b", "short"),
		compacted("c1", "was undone", "e2"), mark.Uncompact("c1"), session.LabelDraft("a", "x"), compacted("c2", "in force")); err != nil {
		t.Fatal(err)
	}
	path, err := s.Path(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, it := range must.Get(timeline.ListPath(path)) {
		if it.Entry != nil {
			m := must.Get(it.Message())
			got = append(got, it.Entry.ID+" "+m.Text("")+m.Summary)
		}
	}
	if want := []string{"a ONE", "b two", "c2 in force"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
