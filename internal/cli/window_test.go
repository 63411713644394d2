package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/provider/fake"
)

// A model has the same number in every command. A server is asked once, and only
// if the settings name it.
func TestWindowOfTheServer(t *testing.T) {
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		if r.URL.Path == "/v1/models" {
			_, _ = io.WriteString(w, `{"data":[{"id":"m","max_model_len":32768}]}`)
		}
	}))
	defer server.Close()
	const session = `{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/p"}
{"type":"model_change","id":"a","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","provider":"local","modelId":"m"}
{"type":"message","id":"b","parentId":"a","timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":"hello"}}
`
	run := func(dir, settings string, args ...string) (int, string, string) {
		for name, text := range map[string]string{"settings.json": settings, "s.jsonl": session} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		env := map[string]string{"COPPICE_CONFIG_DIR": dir, "COPPICE_SESSION_DIR": filepath.Join(dir, "sessions"), "HOME": dir, "LOCAL_API_KEY": "k"}
		var out, errs bytes.Buffer
		code := Run(context.Background(), Env{Args: args, In: strings.NewReader(""), Out: &out, Err: &errs,
			Getenv: func(name string) string { return env[name] }, Dir: dir, Now: time.Now})
		return code, out.String(), errs.String()
	}
	for _, tt := range []struct {
		name, settings, want string
		asked                int
		warns                string
	}{
		{"named", `{"providers":{"local":{"type":"openai","baseUrl":%q,"models":[{"id":"m"}]}}}`, `"window":32768,"windowSource":"server"`, 1, ""},
		{"named as the model to use", `{"model":"local/m","providers":{"local":{"type":"openai","baseUrl":%q}}}`, `"window":32768,"windowSource":"server"`, 1, ""},
		{"a larger one is set", `{"providers":{"local":{"type":"openai","baseUrl":%q,"models":[{"id":"m","contextWindow":64000}]}}}`, `"window":64000,"windowSource":"setting"`, 1,
			"the settings give local/m a window of 64,000 tokens, but its server says 32,768"},
		{"not named", `{"providers":{"other":{"type":"openai","baseUrl":%q}}}`, `"window":128000,"windowSource":"default"`, 0, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			asked = 0
			dir := t.TempDir()
			settings := fmt.Sprintf(tt.settings, server.URL+"/v1")
			warned := ""
			for _, args := range [][]string{{"context", "s.jsonl", "--json"}, {"models", "local/m", "--json"}, {"compact", "s.jsonl", "--plan", "--json"}, {"context", "s.jsonl", "--json"}} {
				code, out, errs := run(dir, settings, args...)
				warned += errs
				if args[0] == "compact" || args[0] == "models" && tt.asked == 0 {
					continue // the plan does not show the window; a model that no one names is not listed
				}
				if code != 0 || !strings.Contains(out, tt.want) {
					t.Errorf("%v: exit %d, want %s\n%s\n%s", args, code, tt.want, out, errs)
				}
			}
			if asked != tt.asked {
				t.Errorf("asked %d times, want %d", asked, tt.asked)
			}
			if n := strings.Count(warned, "its server says"); (n == 1) != (tt.warns != "") || !strings.Contains(warned, tt.warns) {
				t.Errorf("warned %d times:\n%s", n, warned)
			}
		})
	}
}

// A server that cuts prompts to half of the window that it gave for itself is
// caught at the first one, whatever the settings say: the answer stays, and the
// window is known from then on, with its evidence, until it is forgotten. The
// setting may insist.
func TestCutPromptIsProved(t *testing.T) {
	for _, tt := range []struct {
		name, model, more string
		counted           int64
		warns             string
		window            string // of the model afterwards
	}{
		{"a larger setting", `{"id":"fake-1","contextWindow":32000}`, "", 2050, "its window is 4096", `"window":4096,"windowSource":"learned"`},
		{"a setting that insists", `{"id":"fake-1","contextWindow":32000}`, `,"windows":{"trustSettings":true}`, 2050, "its window is 4096", `"window":32000,"windowSource":"setting"`},
		{"another number", `{"id":"fake-1","contextWindow":32000}`, "", 3900, "", `"window":32000,"windowSource":"setting"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			model := fake.New(fake.Step{Text: "The log is fine.", Usage: &message.Usage{Input: tt.counted, Output: 8}})
			defer model.Close()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/api/ps" {
					_, _ = io.WriteString(w, `{"models":[{"name":"fake-1","context_length":4096}]}`)
					return
				}
				model.ServeHTTP(w, r)
			}))
			defer server.Close()
			dir := t.TempDir()
			settings := fmt.Sprintf(`{"model":"local/fake-1","providers":{"local":{"type":"openai","baseUrl":%q,"models":[%s]}}%s}`, server.URL+"/v1", tt.model, tt.more)
			if err := os.WriteFile(filepath.Join(dir, "settings.json"), []byte(settings), 0o600); err != nil {
				t.Fatal(err)
			}
			file := stored(t, dir, userSaid("Be short."), modelSaid(textBlock("I will.")), userSaid(strings.Repeat("10:00 INFO nothing of note happened here\n", 700)), modelSaid(textBlock("Seen.")))
			run := func(args ...string) (int, string, string) {
				env := map[string]string{"COPPICE_CONFIG_DIR": dir, "COPPICE_SESSION_DIR": filepath.Join(dir, "sessions"), "HOME": dir, "COPPICE_COMPACTION_ENABLED": "false"}
				var out, errs bytes.Buffer
				code := Run(t.Context(), Env{Args: args, In: strings.NewReader(""), Out: &out, Err: &errs, Getenv: func(name string) string { return env[name] }, Dir: dir, Now: time.Now})
				return code, out.String(), errs.String()
			}
			code, out, errs := run("run", "--session", file, "-p", "Is it fine?")
			if code != 0 || out != "The log is fine.\n" || strings.Contains(errs, "its window is") != (tt.warns != "") || !strings.Contains(errs, tt.warns) {
				t.Errorf("exit %d\n%s\n%s", code, out, errs)
			}
			if _, out, _ = run("models", "local/fake-1", "--json"); !strings.Contains(out, tt.window) || strings.Contains(out, `"learned":{"number":4096,"text":"the server says it has read 20`) != (tt.warns != "") {
				t.Errorf("models: %s", out)
			}
			run("models", "forget", "local/fake-1")
			if _, out, _ = run("models", "local/fake-1", "--json"); strings.Contains(out, "learned") {
				t.Errorf("not forgotten: %s", out)
			}
		})
	}
}

// A request is rendered for the session's model, else for that of the settings,
// else for a common one, which is named. Parameters of the call stay out.
func TestRequestsAreForAModel(t *testing.T) {
	const session = `{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/p"}
{"type":"model_change","id":"a","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","provider":%[1]q,"modelId":%[2]q}
{"type":"message","id":"b","parentId":"a","timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":"look"}}
{"type":"message","id":"c","parentId":"b","timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"read","arguments":{}}],"stopReason":"toolUse","provider":%[1]q,"model":%[2]q}}
{"type":"message","id":"d","parentId":"c","timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"toolResult","toolCallId":"c1","toolName":"read","content":[{"type":"text","text":"x"}]}}
`
	for _, tt := range []struct {
		provider, id, model string // the session's, and the settings'
		signed              bool   // calls of other models get the documented signature
		named               string
	}{
		{"google", "gemini-3-pro-preview", "", true, ""},
		{"google", "gemini-2.5-pro", "", false, ""},
		{"anthropic", "claude-opus-4-5", "gemini/gemini-2.5-pro", false, ""},
		{"anthropic", "claude-opus-4-5", "", true, "gemini/gemini-3"},
		{"missing", "nothing", "openai/gpt-5.5", true, "gemini/gemini-3"},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "s.jsonl"), fmt.Appendf(nil, session, tt.provider, tt.id), 0o600); err != nil {
			t.Fatal(err)
		}
		env := map[string]string{"COPPICE_CONFIG_DIR": dir, "HOME": dir, "COPPICE_MODEL": tt.model}
		var out, errs bytes.Buffer
		code := Run(t.Context(), Env{Args: []string{"context", "s.jsonl", "--as", "gemini", "--json"}, In: strings.NewReader(""), Out: &out, Err: &errs,
			Getenv: func(name string) string { return env[name] }, Dir: dir, Now: time.Now})
		if code != 0 || strings.Contains(out.String(), "skip_thought_signature_validator") != tt.signed || strings.Contains(out.String(), "generationConfig") {
			t.Errorf("%+v: exit %d\n%s", tt, code, out.String())
		}
		if (errs.Len() > 0) != (tt.named != "") || !strings.Contains(errs.String(), tt.named) {
			t.Errorf("%+v: said %q", tt, errs.String())
		}
	}
}
