package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coppice-dev/coppice/internal/testkit/amount"
)

// countdown is a context that ends after it was checked a number of times: a
// Ctrl-C at each place where a command checks for it.
type countdown struct {
	context.Context
	end  context.CancelFunc
	mu   sync.Mutex
	left int
}

func newCountdown(n int) *countdown {
	ctx, cancel := context.WithCancel(context.Background())
	return &countdown{Context: ctx, end: cancel, left: n}
}

func (c *countdown) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left--; c.left < 0 {
		c.end()
	}
	return c.Context.Err()
}

func (c *countdown) Done() <-chan struct{} {
	_ = c.Err()
	return c.Context.Done()
}

// sample writes a session of sixty messages and returns its file.
func sample(t *testing.T, dir string) string {
	t.Helper()
	return sampleOf(t, dir, 60)
}

func sampleOf(t *testing.T, dir string, n int) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(`{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"` + filepath.ToSlash(dir) + `"}` + "\n")
	parent := "null"
	for i := range n {
		role, stop := "user", ""
		if i%2 == 1 {
			role, stop = "assistant", `,"stopReason":"stop"`
		}
		id := fmt.Sprintf(`"%08d"`, i)
		fmt.Fprintf(&b, `{"type":"message","id":%s,"parentId":%s,"timestamp":"2026-01-01T00:00:00.000Z","message":{"role":%q,"content":[{"type":"text","text":%q}]%s}}`+"\n",
			id, parent, role, strings.Repeat("some words of a session ", 200), stop)
		parent = id
	}
	file := filepath.Join(dir, "s.jsonl")
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// Ctrl-C ends a command that reads a session wherever it comes, with exit code
// 130, and nothing is left over.
func TestCtrlCEndsLooks(t *testing.T) {
	commands := [][]string{
		{"context", "s.jsonl", "--json"},
		{"context", "s.jsonl", "--as", "anthropic"},
		{"check", "s.jsonl", "--json"},
		{"compact", "s.jsonl", "--plan", "--json"},
		{"search", "s.jsonl", "words"},
		{"export", "s.jsonl", "-o", "out.md"},
		{"export", "s.jsonl", "-o", "out.html"},
		{"export", "s.jsonl", "-o", "out.jsonl"},
		{"import", "s.jsonl", "-o", "imported.jsonl"},
	}
	for _, args := range commands {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			sampleOf(t, dir, 24) // the command is run once for each look
			interrupted := 0
			for n := 0; ; n += amount.Of(3, 1) {
				ctx := newCountdown(n)
				var out, errs bytes.Buffer
				code := Run(ctx, Env{Args: append([]string{"--session-dir", filepath.Join(dir, "sessions")}, args...), In: strings.NewReader(""), Out: &out, Err: &errs,
					Getenv: func(string) string { return "" }, Dir: dir, Now: func() time.Time { return time.Unix(1767225600, 0) }})
				ended := ctx.Context.Err() != nil
				ctx.end()
				if code == int(codeInterrupted) {
					interrupted++
					if files, _ := filepath.Glob(filepath.Join(dir, "*")); len(files) != 1 {
						t.Fatalf("after %d: files left over: %v", n, files)
					}
					continue
				}
				if code != int(codeDone) {
					t.Fatalf("after %d: exit code %d: %s", n, code, errs.String())
				}
				if !ended {
					break // it was never looked at again
				}
				for _, f := range []string{"out.md", "out.html", "out.jsonl", "imported.jsonl"} {
					_ = os.Remove(filepath.Join(dir, f))
				}
			}
			if interrupted == 0 {
				t.Error("never interrupted")
			}
		})
	}
}

// A Ctrl-C ends a compaction before anything is written, or comes too late: then
// its report is the one of a compaction that nobody interrupted.
func TestCtrlCNeverHalvesAReport(t *testing.T) {
	source := sampleOf(t, t.TempDir(), 24)
	was, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "s.jsonl")
	compact := func(ctx context.Context) (code int, report map[string]any, now []byte) {
		if err := os.WriteFile(file, was, 0o600); err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		code = Run(ctx, Env{Args: []string{"--session-dir", filepath.Join(dir, "sessions"), "compact", "s.jsonl", "--summarizer", "extract", "--json", "--keep-recent", "1000"},
			In: strings.NewReader(""), Out: &out, Err: &errs, Getenv: func(string) string { return "" }, Dir: dir, Now: func() time.Time { return time.Unix(1767225600, 0) }})
		_ = json.Unmarshal(out.Bytes(), &report)
		delete(report, "entryId") // drawn anew
		now, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return code, report, now
	}
	code, want, _ := compact(t.Context())
	if code != int(codeDone) || want["outcome"] != "applied" {
		t.Fatalf("exit code %d, %v", code, want)
	}
	interrupted := 0
	for n := 0; ; n++ {
		ctx := newCountdown(n)
		code, got, now := compact(ctx)
		ended := ctx.Context.Err() != nil
		ctx.end()
		switch {
		case code == int(codeInterrupted):
			if interrupted++; !bytes.Equal(now, was) {
				t.Fatalf("after %d: interrupted, and the file has changed", n)
			}
		case code != int(codeDone):
			t.Fatalf("after %d: exit code %d", n, code)
		case !ended:
			if interrupted == 0 {
				t.Error("never interrupted")
			}
			return
		}
		for key := range want {
			if code == int(codeDone) && !reflect.DeepEqual(got[key], want[key]) {
				t.Fatalf("after %d: %s is %.200v, want %.200v", n, key, got[key], want[key])
			}
		}
	}
}
