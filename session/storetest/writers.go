package storetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
)

func testOneWriter(t *testing.T, s session.Store) {
	ctx := context.Background()
	l := create(t, s, session.Header{Cwd: "/"})
	add(t, l, entry("a", "", message.RoleUser, "one"))
	_, err := s.Open(ctx, l.Ref(), session.Mode{Write: true})
	var locked *session.LockedError
	if !errors.As(err, &locked) {
		t.Fatalf("second writer: %v, want a *LockedError", err)
	}
	if locked.PID == 0 || locked.Host == "" || locked.Since.IsZero() {
		t.Errorf("the owner is not named: %+v", locked)
	}
	if err := s.Delete(ctx, l.Ref(), session.Mode{}); !errors.As(err, &locked) {
		t.Errorf("delete under a writer: %v, want a *LockedError", err)
	}
	r, err := s.Open(ctx, l.Ref(), session.Mode{})
	if err != nil {
		t.Fatalf("reader next to a writer: %v", err)
	}
	want(t, "path of the reader", path(t, r), "a")
	r.Close()
	l = reopen(t, s, l, session.Mode{Write: true})
	add(t, l, entry("b", "a", message.RoleUser, "two"))
}

func testConcurrent(t *testing.T, s session.Store) {
	ctx := context.Background()
	l := create(t, s, session.Header{Cwd: "/"})
	add(t, l, entry("a", "", message.RoleUser, "one"))
	l = reopen(t, s, l, session.Mode{Write: true})
	const writers, each = 4, 20
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				e := entry(fmt.Sprintf("w%d-%d", w, i), "a", message.RoleUser, "x")
				if _, err := l.Append(ctx, []*session.Entry{e}); err != nil {
					t.Error(err)
				}
				if got, err := l.Find(ctx, e.ID, e.At); err != nil || got != e {
					t.Errorf("find: %v, %v", got, err)
				}
				if p, err := l.Parent(ctx, e); err != nil || p == nil || p.ID != "a" {
					t.Errorf("parent: %v, %v", p, err)
				}
				for _, err := range l.All(ctx) {
					if err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
	if n := len(all(t, l)); n != writers*each+1 {
		t.Errorf("%d entries, want %d", n, writers*each+1)
	}
	l = reopen(t, s, l, session.Mode{})
	if n := len(all(t, l)); n != writers*each+1 {
		t.Errorf("%d entries after reopening, want %d", n, writers*each+1)
	}
}

// The suite starts its own test again in another process, which finds in its
// environment what to open there.
const (
	envPlace = "COPPICE_STORETEST_PLACE"
	envRef   = "COPPICE_STORETEST_REF"
	answer   = "storetest: " // begins the line on which that process says what happened
)

func testProcesses(t *testing.T, place func(dir string) session.Store) {
	if dir := os.Getenv(envPlace); dir != "" {
		fmt.Println(answer + appendThere(place(dir), os.Getenv(envRef)))
		return
	}
	dir := t.TempDir()
	s := place(dir)
	l := create(t, s, session.Header{Cwd: "/"})
	add(t, l, entry("a", "", message.RoleUser, "one"))
	if got, want := elsewhere(t, dir, l.Ref()), fmt.Sprintf("locked by process %d", os.Getpid()); got != want {
		t.Errorf("another process that writes: %s; want %s", got, want)
	}
	l.Close()
	if got := elsewhere(t, dir, l.Ref()); got != "written" {
		t.Errorf("another process that writes after Close: %s; want written", got)
	}
	l = reopen(t, s, l, session.Mode{Write: true})
	want(t, "path", path(t, l), "b", "a")
}

// appendThere opens a session and appends to it, and says how that went.
func appendThere(s session.Store, ref string) string {
	l, err := s.Open(context.Background(), ref, session.Mode{Write: true})
	var locked *session.LockedError
	switch {
	case errors.As(err, &locked):
		return fmt.Sprintf("locked by process %d", locked.PID)
	case err != nil:
		return "open: " + err.Error()
	}
	defer l.Close()
	if _, err = l.Append(context.Background(), []*session.Entry{entry("b", "a", message.RoleUser, "two")}); err != nil {
		return "append: " + err.Error()
	}
	return "written"
}

// elsewhere runs the other half of this test in another process, and returns
// what it says.
func elsewhere(t *testing.T, dir, ref string) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var pattern []string
	for part := range strings.SplitSeq(t.Name(), "/") {
		pattern = append(pattern, "^"+regexp.QuoteMeta(part)+"$")
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute) // a store that waits for the lock would never end
	defer cancel()
	cmd := exec.CommandContext(ctx, exe, "-test.run", strings.Join(pattern, "/"), "-test.count=1")
	cmd.Env = append(os.Environ(), envPlace+"="+dir, envRef+"="+ref)
	out, err := cmd.CombinedOutput()
	for line := range strings.Lines(string(out)) {
		if said, ok := strings.CutPrefix(strings.TrimSpace(line), answer); ok {
			return said
		}
	}
	t.Fatalf("the other process said nothing: %v\n%s", err, out)
	return ""
}
