//go:build !race

// Under the race detector a sync.Pool drops some of what is put back, at random,
// so counts of allocated bytes mean nothing there.

package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// A very long line is not copied more often than it has to be. The limits are
// the bytes that a command allocates, as multiples of the line's length: it is
// read and decoded, and for some commands read again.
func TestLongLines(t *testing.T) {
	const head = `{"type":"session","version":3,"id":"long","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"}` + "\n"
	entry := func(id, parent, m string) string {
		return fmt.Sprintf(`{"type":"message","id":%q,"parentId":%s,"timestamp":"2026-01-01T00:00:00.000Z","message":%s}`+"\n", id, parent, m)
	}
	long := strings.Repeat(`the quick brown fox jumps over \"the\" lazy dog and goes home;\n`, 12<<20/64)
	for name, file := range map[string]string{
		"a user's message": head + entry("a", "null", `{"role":"user","content":"hi"}`) +
			entry("b", `"a"`, `{"role":"user","content":[{"type":"text","text":"`+long+`"}]}`) +
			entry("c", `"b"`, `{"role":"assistant","content":[{"type":"text","text":"ok"}],"stopReason":"stop"}`),
		"a tool result": head + entry("a", "null", `{"role":"assistant","content":[{"type":"toolCall","id":"1","name":"bash","arguments":{"command":"x"}}],"stopReason":"toolUse"}`) +
			entry("b", `"a"`, `{"role":"toolResult","toolCallId":"1","toolName":"bash","content":[{"type":"text","text":"`+long+`"}],"isError":false}`) +
			entry("c", `"b"`, `{"role":"assistant","content":[{"type":"text","text":"ok"}],"stopReason":"stop"}`),
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "s.jsonl"), []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, tt := range []struct {
			most float64
			args []string
		}{
			{6, []string{"check", "s.jsonl"}},
			{3, []string{"context", "s.jsonl"}},
			{4.75, []string{"stats", "s.jsonl"}},
			{4.5, []string{"compact", "s.jsonl", "--plan"}},
		} {
			var before, after runtime.MemStats
			var out, errs bytes.Buffer
			runtime.ReadMemStats(&before)
			code := Run(t.Context(), Env{Args: append([]string{"--session-dir", dir}, tt.args...), In: strings.NewReader(""), Out: &out, Err: &errs,
				Getenv: func(string) string { return "" }, Dir: dir, Now: func() time.Time { return time.Unix(1767225600, 0) }})
			runtime.ReadMemStats(&after)
			times := float64(after.TotalAlloc-before.TotalAlloc) / float64(len(long))
			if code != 0 || times > tt.most {
				t.Errorf("%s: %q: exit %d, %.1f times the line, want at most %.1f\n%.300s%.300s", name, tt.args, code, times, tt.most, out.String(), errs.String())
			}
		}
	}
}
