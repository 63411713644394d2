package session_test

import (
	"context"
	"errors"
	"testing"

	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/memstore"
)

// unsure is a log whose appends report an error, before or after they wrote.
type unsure struct {
	session.Log
	fails, writes bool
	stop          context.CancelFunc
}

var errLost = errors.New("the connection was lost")

func (u *unsure) Append(ctx context.Context, entries []*session.Entry) ([]*session.Entry, error) {
	if !u.fails || len(entries) == 0 {
		return u.Log.Append(ctx, entries)
	}
	if u.writes {
		if _, err := u.Log.Append(ctx, entries); err != nil {
			return nil, err
		}
	}
	if u.stop != nil {
		u.stop()
	}
	return nil, errLost
}

// A write that succeeded although its store reported an error is in the log once,
// and the conversation continues from it. One that failed can be repeated.
func TestWrittenInSpiteOfAnError(t *testing.T) {
	for _, tt := range []struct {
		name              string
		writes, cancelled bool
		drafts            int
	}{
		{"written", true, false, 1}, {"a group, written", true, false, 3}, {"written, and then the call was given up", true, true, 1},
		{"not written", false, false, 1}, {"a group, not written", false, false, 3},
	} {
		inner, err := memstore.New(nil).Create(context.Background(), session.Header{})
		if err != nil {
			t.Fatal(err)
		}
		log := &unsure{Log: inner, fails: true, writes: tt.writes}
		s := session.New(log, session.Options{})
		say := func(ctx context.Context, n int) error {
			var drafts []session.Draft
			for range n {
				drafts = append(drafts, session.MessageDraft(message.User("hello")))
			}
			_, err := s.Append(ctx, drafts...)
			return err
		}
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		if tt.cancelled {
			log.stop = cancel
		}
		err = say(ctx, tt.drafts)
		if log.fails = false; (err == nil) != tt.writes || err != nil && !errors.Is(err, errLost) {
			t.Errorf("%s: %v", tt.name, err)
		}
		if err != nil { // what failed is said again
			if err := say(context.Background(), tt.drafts); err != nil {
				t.Fatal(err)
			}
		}
		if err := say(context.Background(), 1); err != nil {
			t.Fatal(err)
		}
		path, err := s.Path(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for range s.Log().All(context.Background()) {
			n++
		}
		if n != tt.drafts+1 || len(path) != n {
			t.Errorf("%s: %d entries, %d on the path", tt.name, n, len(path))
		}
	}
}
