package crash

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/compaction"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/internal/testkit/must"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/filestore"
	"github.com/coppice-dev/coppice/summarize"
)

var ctx = context.Background()

// The test binary also acts as the writers: these variables say which.
const (
	roleVariable = "COPPICE_CRASH_ROLE" // writer or neighbour
	fileVariable = "COPPICE_CRASH_FILE"
)

func TestMain(m *testing.M) {
	switch os.Getenv(roleVariable) {
	case "":
		os.Exit(m.Run())
	case "writer":
		write(os.Getenv(fileVariable))
	case "neighbour":
		neighbour(os.Getenv(fileVariable))
	}
}

// count is how often a suite repeats: a small number, or COPPICE_CRASHES.
func count(t *testing.T, small int) int {
	t.Helper()
	if s := os.Getenv("COPPICE_CRASHES"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	return small
}

// write appends turns, groups and compactions without end and prints on standard
// output what has been acknowledged.
func write(file string) {
	s, err := open(file)
	if err != nil {
		fmt.Println("error", err)
		return
	}
	c := &compaction.Compactor{Session: s, Summarizer: &summarize.Ladder{Extract: true}, Settings: compaction.Settings{}}
	for i := 0; ; i++ {
		drafts := []session.Draft{user(strings.Repeat(fmt.Sprintf("line %d 한é🏷 ", i), 50)), answer()}
		for range i % 3 {
			drafts = append(drafts, session.NameDraft(fmt.Sprint(i)))
		}
		entries, err := s.Append(ctx, drafts...)
		if err != nil {
			fmt.Println("error", err)
			return
		}
		if i%5 == 4 {
			keep := int64(300)
			if out, err := c.Compact(ctx, compaction.Request{Keep: &keep}); err == nil && out.Status == compaction.Applied {
				entries = append(entries, out.Entry)
			}
		}
		for _, e := range entries {
			fmt.Println("ack", e.ID)
		}
	}
}

func user(text string) session.Draft {
	return session.MessageDraft(&message.Message{Role: message.RoleUser, Content: []message.Block{message.Text{Text: text}}})
}

func answer() session.Draft {
	return session.MessageDraft(&message.Message{Role: message.RoleAssistant, Provider: "p", Model: "m", StopReason: message.StopEnd,
		Content: []message.Block{message.Text{Text: "done"}}})
}

func open(file string) (*session.Session, error) {
	log, err := filestore.New(filepath.Dir(file), filestore.Options{}).Open(ctx, file, session.Mode{Write: true})
	if err != nil {
		return nil, err
	}
	return session.New(log, session.Options{}), nil
}

const header = `{"type":"session","version":3,"id":"019b0000-0000-7000-8000-000000000001","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/srv/p"}` + "\n" +
	`{"type":"message","id":"00000000","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":"hello"}}` + "\n"

func newFile(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "s.jsonl")
	if err := os.WriteFile(file, []byte(header), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func child(role, file string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleVariable+"="+role, fileVariable+"="+file)
	cmd.Stderr = os.Stderr
	return cmd
}

// A writer that is killed at any moment has lost nothing that it
// acknowledged, and the next one goes on.
func TestKilledWriters(t *testing.T) {
	file := newFile(t)
	acked := map[string]bool{}
	random := rand.New(rand.NewPCG(1, 2))
	for range count(t, 25) {
		killed := child("writer", file)
		out, err := killed.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := killed.Start(); err != nil {
			t.Fatal(err)
		}
		lines, left := bufio.NewScanner(out), 1+random.IntN(40)
		for lines.Scan() {
			kind, id, _ := strings.Cut(lines.Text(), " ")
			if kind != "ack" {
				t.Fatalf("the writer says: %s", lines.Text())
			}
			acked[id] = true
			if left--; left == 0 {
				// Kill it wherever it is now; then read what it still
				// acknowledged.
				if err := killed.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		_ = killed.Wait() // it was killed
	}
	s, err := open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	there := map[string]bool{}
	for e, err := range s.Log().All(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		there[e.ID] = true
	}
	for id := range acked {
		if !there[id] {
			t.Fatalf("%s was acknowledged and is gone", id)
		}
	}
	path, err := s.Path(ctx, nil)
	if err != nil || path[0].ID != "00000000" {
		t.Fatalf("the path begins at %v, %v", path[0], err)
	}
	if _, err := s.Append(ctx, user("still here")); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d entries acknowledged", len(acked))
}

// neighbour appends 500 entries of 8 KB, under the lock if it gets it, else
// straight to the file, like a program that knows no locks.
func neighbour(file string) {
	s, err := open(file)
	var locked *session.LockedError
	switch {
	case errors.As(err, &locked):
		fmt.Println("told", locked.PID)
		blind(file)
		return
	case err != nil:
		fmt.Println("error", err)
		return
	}
	defer s.Close()
	fmt.Println("writing")
	for i := range 500 {
		if _, err := s.Append(ctx, user(fmt.Sprintf("ours %d %s", i, strings.Repeat("x", 8000)))); err != nil {
			fmt.Println("error", err)
			return
		}
	}
}

// blind appends as pi does: open, write, close, no lock, no sync.
func blind(file string) {
	parent := `"00000000"`
	for i := range 500 {
		id := fmt.Sprintf(`"blind%03d"`, i)
		line := `{"type":"message","id":` + id + `,"parentId":` + parent + `,"timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":"theirs ` + strings.Repeat("y", 8000) + `"}}` + "\n"
		f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
		if err == nil {
			_, err = f.WriteString(line)
			f.Close()
		}
		if err != nil {
			fmt.Println("error", err)
			return
		}
		parent = id
	}
}

// Two processes append to one file at once, one of them ignoring locks: every
// line parses, nothing is lost, and the other is notified.
func TestTwoProcesses(t *testing.T) {
	file := newFile(t)
	first, second := child("neighbour", file), child("neighbour", file)
	firstOut, err := first.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(firstOut)
	if !lines.Scan() || lines.Text() != "writing" {
		t.Fatalf("the first writer says: %s", lines.Text())
	}
	secondOut, err := second.Output()
	if err != nil {
		t.Fatal(err)
	}
	for lines.Scan() {
		t.Errorf("the first writer says: %s", lines.Text())
	}
	if err := first.Wait(); err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("told %d\n", first.Process.Pid); string(secondOut) != want {
		t.Errorf("the second writer says %q, want %q", secondOut, want)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for n, line := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n") {
		if line != "" && !rawjson.Valid([]byte(line)) {
			t.Errorf("line %d does not parse", n+1)
		}
	}
	s, err := open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ours, theirs := 0, 0
	for e, err := range s.Log().All(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		switch text := must.Get(e.Message()).Text(""); {
		case strings.HasPrefix(text, "ours"):
			ours++
		case strings.HasPrefix(text, "theirs"):
			theirs++
		}
	}
	if ours != 500 || theirs != 500 {
		t.Errorf("%d of our entries and %d of theirs, want 500 each", ours, theirs)
	}
	leaf, err := s.Leaf(ctx)
	if err != nil {
		t.Fatal(err)
	}
	path, err := s.Path(ctx, leaf)
	if err != nil || len(path) != 501 {
		t.Errorf("the path from the leaf has %d entries, want one writer's 500 and the first (%v)", len(path), err)
	}
}
