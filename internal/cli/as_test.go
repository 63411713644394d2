package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A request shows the reasoning of the model that it is for, and none of another
// vendor's or another model's.
func TestContextAsAnotherModel(t *testing.T) {
	const said = `{"type":"session","version":3,"id":"019b0000-0000-7000-8000-000000000001","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/srv/p"}
{"type":"model_change","id":"m1","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","provider":%[1]q,"modelId":%[2]q}
{"type":"message","id":"u1","parentId":"m1","timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":"q"}}
{"type":"message","id":"a1","parentId":"u1","timestamp":"2026-01-01T00:00:01.000Z","message":{"role":"assistant","provider":%[1]q,"model":%[2]q,"stopReason":"toolUse","content":[{"type":"thinking","thinking":"a secret thought","thinkingSignature":%[3]q},{"type":"toolCall","id":"c1","name":"read","arguments":{"path":"a"},"thoughtSignature":"c2lnbmVk"}]}}
{"type":"message","id":"r1","parentId":"a1","timestamp":"2026-01-01T00:00:02.000Z","message":{"role":"toolResult","toolCallId":"c1","toolName":"read","isError":false,"content":"ok"}}
`
	const item = `{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"gAAA"}`
	models := []struct{ provider, id, dialect, signature string }{
		{"openai", "gpt-5.1", "openai-responses", item},
		{"anthropic", "claude-sonnet-4-5", "anthropic", "EqQBCg=="},
		{"gemini", "gemini-3-pro-preview", "gemini", "c2lnbmVk"},
		{"deepseek", "deepseek-v4", "openai-chat", ""},
	}
	dir := t.TempDir()
	env := map[string]string{"COPPICE_CONFIG_DIR": dir, "HOME": dir}
	for _, from := range models {
		if err := os.WriteFile(filepath.Join(dir, "s.jsonl"), fmt.Appendf(nil, said, from.provider, from.id, from.signature), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, to := range models {
			for _, as := range []string{to.dialect, to.provider + "/" + to.id} {
				var out, errs bytes.Buffer
				code := Run(t.Context(), Env{Args: []string{"context", "s.jsonl", "--as", as, "--json"}, In: strings.NewReader(""), Out: &out, Err: &errs,
					Getenv: func(name string) string { return env[name] }, Dir: dir, Now: time.Now})
				shows := strings.Contains(out.String(), "a secret thought") || strings.Contains(out.String(), "gAAA") || strings.Contains(out.String(), "c2lnbmVk")
				if code != 0 || shows != (from == to) {
					t.Errorf("%s as %s: exit %d, shows its reasoning: %v\n%s%s", from.id, as, code, shows, out.String(), errs.String())
				}
			}
		}
	}
}
