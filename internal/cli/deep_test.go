package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/provider/fake"
)

// deepSession writes a session in which arguments, details, a block and an
// unknown entry are nested so many levels deep, and returns its lines.
func deepSession(t *testing.T, file string, depth int) []string {
	t.Helper()
	deep := strings.Repeat("[", depth) + strings.Repeat("]", depth)
	said := []string{`{"role":"user","content":"begin"}`}
	for i := range 30 {
		args := "1"
		if i == 2 || i == 29 {
			args = deep
		}
		said = append(said,
			fmt.Sprintf(`{"role":"assistant","content":[{"type":"toolCall","id":"c%d","name":"write","arguments":{"path":"a.txt","x":%s}}],"stopReason":"toolUse"}`, i, args),
			fmt.Sprintf(`{"role":"toolResult","toolCallId":"c%d","toolName":"write","content":"%s","details":%s}`, i, strings.Repeat("out ", 1000), args),
			fmt.Sprintf(`{"role":"user","content":"and step %d %s"}`, i, strings.Repeat("words ", 100)))
	}
	said = append(said, fmt.Sprintf(`{"role":"user","content":[{"type":"shape","x":%s},{"type":"text","text":"go on"}]}`, deep[depth-min(depth, 12_000):depth+min(depth, 12_000)]))
	out := []string{`{"type":"session","version":3,"id":"deep","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"}`,
		fmt.Sprintf(`{"type":"strange","id":"s0","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","data":%s}`, deep)}
	for i, m := range said {
		out = append(out, fmt.Sprintf(`{"type":"message","id":"s%d","parentId":"s%d","timestamp":"2026-01-01T00:00:00.000Z","message":%s}`, i+1, i, m))
	}
	if err := os.WriteFile(file, []byte(strings.Join(out, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return out
}

// An entry may be nested as deeply as it may be long: no command takes it for
// damage, changes its bytes, or sends what a server cannot read.
func TestDeepEntries(t *testing.T) {
	for _, depth := range []int{999, 9_999, 10_001, 12_000, 200_000} {
		dir := t.TempDir()
		file := filepath.Join(dir, "s.jsonl")
		lines := deepSession(t, file, depth)
		before, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		server := fake.New()
		hooks := fmt.Sprintf(`"hooks":{"session_before_compact":[{"name":"r","command":[%q,%q,%q]}]},"compaction":{"keepRecentTokens":2000}`,
			os.Args[0], asRecorder, filepath.Join(dir, "events.jsonl"))
		do := func(want int, args ...string) string {
			t.Helper()
			code, out, errs := runSet(t, server, dir, hooks, args...)
			if code != want {
				t.Errorf("depth %d: %q: exit %d, want %d\n%.500s\n%.500s", depth, args, code, want, out, errs)
			}
			now, err := os.ReadFile(file)
			if err != nil || !bytes.HasPrefix(now, before) {
				t.Errorf("depth %d: %q changed the file, %v", depth, args, err)
			}
			return out
		}
		whole := func(what, file string) {
			t.Helper()
			got, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			have := map[string]bool{}
			for line := range bytes.Lines(got) {
				have[string(bytes.TrimSuffix(line, []byte("\n")))] = true
			}
			for i, line := range lines[1:] {
				if !have[line] {
					t.Errorf("depth %d: %s lost entry s%d or changed it", depth, what, i)
				}
			}
		}
		do(0, "check", "s.jsonl")
		do(0, "stats", "s.jsonl")
		do(0, "context", "s.jsonl")
		do(0, "tree", "s.jsonl")
		do(0, "compact", "s.jsonl", "--plan")
		do(0, "export", "s.jsonl", "-o", "out.jsonl")
		whole("export", filepath.Join(dir, "out.jsonl"))
		do(0, "clone", "s.jsonl")
		clones, err := filepath.Glob(filepath.Join(dir, "sessions", "*", "*.jsonl"))
		if err != nil || len(clones) != 1 {
			t.Fatalf("clones %q, %v", clones, err)
		}
		whole("clone", clones[0])
		for _, as := range []string{"anthropic", "openai-chat", "openai-responses", "gemini"} {
			if out := do(0, "context", "s.jsonl", "--as", as); strings.Contains(out, strings.Repeat("[", 3000)) {
				t.Errorf("depth %d: %s: what a server cannot read is sent", depth, as)
			}
		}
		do(0, "hide", "s.jsonl", "s89") // the newest of the deep calls
		do(0, "compact", "s.jsonl")
		do(0, "check", "s.jsonl")
		if p := server.Problems(); len(p) > 0 {
			t.Errorf("depth %d: invalid requests: %v", depth, p)
		}
		server.Close()
	}
}
