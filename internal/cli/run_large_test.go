package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/provider/fake"
)

// stored writes a session file: one message a line, each after the one before.
func stored(t *testing.T, dir string, messages ...map[string]any) string {
	t.Helper()
	file := filepath.Join(dir, "s.jsonl")
	lines := []string{`{"type":"session","version":3,"id":"019b0000-0000-7000-8000-0000000000c1","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/p"}`}
	parent := any(nil)
	for i, m := range messages {
		id := fmt.Sprintf("%08x", i+1)
		b, err := json.Marshal(map[string]any{"type": "message", "id": id, "parentId": parent, "timestamp": "2026-01-01T00:00:00.000Z", "message": m})
		if err != nil {
			t.Fatal(err)
		}
		lines, parent = append(lines, string(b)), id
	}
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func userSaid(content any) map[string]any { return map[string]any{"role": "user", "content": content} }

func modelSaid(content ...any) map[string]any {
	return map[string]any{"role": "assistant", "api": "openai-completions", "provider": "local", "model": "fake-1", "stopReason": "stop", "content": content}
}

func textBlock(text string) map[string]any { return map[string]any{"type": "text", "text": text} }

// A session that ends with a message near or above the window goes on: what was
// pasted is shown by its head, its tail and where to read the rest.
func TestRunAfterALargeMessage(t *testing.T) {
	large := "Here is the log:\n" + strings.Repeat("10:00 INFO nothing of note happened here\n", 10_000) + "That was the log."
	for name, said := range map[string]map[string]any{"of the user": userSaid(large), "of the model": modelSaid(textBlock(large))} {
		server := fake.New(fake.Say("I have read what there was."))
		server.Window = 32_000
		dir := t.TempDir()
		file := stored(t, dir, userSaid("Be short."), modelSaid(textBlock("I will.")), said)
		code, out, errs := runOn(t, server, dir, "run", "--session", file, "-p", "What is in it?")
		requests := server.Requests()
		if code != 0 || out != "I have read what there was.\n" || !strings.Contains(errs, "compacted (threshold") {
			t.Fatalf("%s: exit %d\n%s\n%s", name, code, out, errs)
		}
		last := requests[len(requests)-1] // after those for the summary
		for _, want := range []string{"Here is the log:", "That was the log.", "read en:00000003", "What is in it?"} {
			if !strings.Contains(last.Text(), want) {
				t.Errorf("%s: %q was not sent", name, want)
			}
		}
		if p := server.Problems(); len(p) > 0 || last.Tokens > 32_000 {
			t.Errorf("%s: %d tokens, problems %v", name, last.Tokens, p)
		}
		if code, out, _ := runOn(t, server, dir, "read", file, "en:00000003"); code != 0 || strings.Count(out, "nothing of note") < 10 {
			t.Errorf("%s: it cannot be read: exit %d\n%.300s", name, code, out)
		}
		server.Close()
	}
}
