package session_test

import (
	"context"
	"errors"
	"testing"

	"github.com/coppice-dev/coppice/internal/mark"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/memstore"
)

// CommitFrom starts a branch anywhere, unless the conversation went on meanwhile.
func TestCommitFrom(t *testing.T) {
	ctx := context.Background()
	log, err := memstore.New(nil).Create(ctx, session.Header{})
	if err != nil {
		t.Fatal(err)
	}
	s := session.New(log, session.Options{})
	if err := s.CommitFrom(ctx, nil, s.Prepare(nil, session.ThinkingDraft("low"), session.ThinkingDraft("high"))); err != nil {
		t.Fatal(err)
	}
	path, err := s.Path(ctx, nil)
	if err != nil || len(path) != 2 {
		t.Fatal(path, err)
	}
	branch := s.Prepare(path[0], mark.Leaf())
	if err := s.CommitFrom(ctx, path[1], branch); err != nil {
		t.Fatal(err)
	}
	if leaf, _ := s.Leaf(ctx); leaf != branch[0] || leaf.ParentID != path[0].ID {
		t.Errorf("leaf %+v", leaf)
	}
	if err := s.CommitFrom(ctx, path[1], s.Prepare(path[0], mark.Leaf())); !errors.Is(err, session.ErrLeafMoved) {
		t.Errorf("%v, want ErrLeafMoved", err)
	}
	if err := s.CommitFrom(ctx, nil, s.Prepare(nil, mark.Leaf())); !errors.Is(err, session.ErrLeafMoved) {
		t.Errorf("%v, want ErrLeafMoved", err)
	}
}
