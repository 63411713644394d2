package filestore

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coppice-dev/coppice/internal/fsx"
	"github.com/coppice-dev/coppice/session"
)

// While the disk hangs in one call, others wait no longer than their context
// allows, and Header and Ref do not wait.
func TestCallsDoNotHangWithTheDisk(t *testing.T) {
	file := write(t, text(chain(3)...))
	synctest.Test(t, func(t *testing.T) {
		s, disk := faulty("", Options{})
		log, err := s.Open(bg, file, session.Mode{Write: true})
		if err != nil {
			t.Fatal(err)
		}
		defer log.Close()
		leaf, err := log.Leaf(bg)
		if err != nil {
			t.Fatal(err)
		}
		over, writing := make(chan struct{}), make(chan struct{})
		disk.Inject(fsx.Fault{Op: fsx.OpSync, Hold: func() { close(writing); <-over }})
		done := make(chan error, 1)
		go func() { _, err := log.Append(bg, []*session.Entry{entry("n", "e2")}); done <- err }()
		<-writing
		if log.Header().ID == "" || log.Ref() != file {
			t.Errorf("%+v of %s", log.Header(), log.Ref())
		}
		for name, call := range map[string]func(context.Context) error{
			"Leaf":     func(ctx context.Context) error { _, err := log.Leaf(ctx); return err },
			"Parent":   func(ctx context.Context) error { _, err := log.Parent(ctx, leaf); return err },
			"Find":     func(ctx context.Context) error { _, err := log.Find(ctx, "e0", -1); return err },
			"Problems": func(ctx context.Context) error { _, err := log.Problems(ctx, true); return err },
			"Append": func(ctx context.Context) error {
				_, err := log.Append(ctx, []*session.Entry{entry("m", "n")})
				return err
			},
			"All": func(ctx context.Context) error {
				for _, err := range log.All(ctx) {
					return err
				}
				return nil
			},
			"ReadTree": func(ctx context.Context) error {
				_, err := session.ReadTree(ctx, log, func(int, *session.Entry) error { return nil })
				return err
			},
		} {
			ctx, end := context.WithTimeout(bg, time.Second)
			began := time.Now()
			if err := call(ctx); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Second {
				t.Errorf("%s: %v after %s", name, err, time.Since(began))
			}
			end()
		}
		close(over)
		if err := <-done; err != nil {
			t.Error(err)
		}
		checkPath(t, "afterwards", log, "e0 e1 e2 n")
	})
}
