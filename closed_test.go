package coppice_test

import (
	"context"
	"errors"
	"io/fs"
	"testing"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/message"
)

// A closed session says so where it would write, and can still be read.
func TestClosedSession(t *testing.T) {
	ctx := context.Background()
	for name, s := range map[string]*coppice.Session{
		"file":   must.Get(coppice.Create(ctx, t.TempDir(), "/p", coppice.Options{})),
		"memory": must.Get(coppice.InMemory(ctx, coppice.Options{})),
	} {
		t.Run(name, func(t *testing.T) {
			must.Get(s.Say(ctx, message.User("Hello")))
			for range 2 {
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
			}
			if v, err := s.View(ctx); err != nil || len(v.Items) != 1 {
				t.Errorf("view %+v, %v", v, err)
			}
			for name, write := range map[string]func() error{
				"Say":       func() error { _, err := s.Say(ctx, message.User("Again")); return err },
				"SetPrompt": func() error { return s.SetPrompt(ctx, "Be brief.", nil) },
				"SetName":   func() error { _, err := s.SetName(ctx, "n"); return err },
			} {
				if err := write(); !errors.Is(err, fs.ErrClosed) {
					t.Errorf("%s: %v", name, err)
				}
			}
		})
	}
}
