package cli

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/provider/fake"
)

// runOn runs the program in dir with a model of the server, and returns the
// exit code and both outputs.
func runOn(t *testing.T, server *fake.Server, dir string, args ...string) (int, string, string) {
	t.Helper()
	return runSet(t, server, dir, "", args...)
}

// runSet is runOn with more members for the settings file.
func runSet(t *testing.T, server *fake.Server, dir, more string, args ...string) (int, string, string) {
	t.Helper()
	return runWith(t, server, dir, t.TempDir(), more, args...)
}

// runWith is runSet with the folder of the settings.
func runWith(t *testing.T, server *fake.Server, dir, config, more string, args ...string) (int, string, string) {
	t.Helper()
	return runModel(t, server, dir, config, `{"id":"fake-1","contextWindow":32000}`, more, args...)
}

// runModel is runWith with what the settings say of the model.
func runModel(t *testing.T, server *fake.Server, dir, config, model, more string, args ...string) (int, string, string) {
	t.Helper()
	settings := fmt.Sprintf(`{"model":"local/fake-1","providers":{"local":{"type":"openai","baseUrl":%q,"models":[%s]}},%s}`,
		server.BaseURL("openai-chat"), model, more)
	if err := os.WriteFile(filepath.Join(config, "settings.json"), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"COPPICE_CONFIG_DIR": config, "COPPICE_SESSION_DIR": filepath.Join(dir, "sessions"), "HOME": dir}
	var out, errs bytes.Buffer
	code := Run(context.Background(), Env{Args: args, In: strings.NewReader(""), Out: &out, Err: &errs,
		Getenv: func(name string) string { return env[name] }, Dir: dir, Now: time.Now})
	return code, out.String(), errs.String()
}

// One prompt with tools: reading runs, writing is refused because no one can be
// asked, and the next run continues the session.
func TestRunWithAModel(t *testing.T) {
	server := fake.New(fake.Call("1", "read", `{"path":"a.txt"}`), fake.Call("2", "write", `{"path":"b.txt","content":"x"}`), fake.Say("It says hello."),
		fake.Say("As I said."), fake.Call("3", "write", `{"path":"b.txt","content":"x"}`), fake.Say("Written."))
	defer server.Close()
	dir := t.TempDir()
	for name, text := range map[string]string{"a.txt": "hello from the file", "AGENTS.md": "Speak plainly."} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	code, out, errs := runOn(t, server, dir, "run", "-p", "what is in a.txt?")
	if code != 0 || out != "It says hello.\n" || !strings.Contains(errs, "write failed: not run: write") {
		t.Fatalf("exit %d\n%s\n%s", code, out, errs)
	}
	if _, err := os.Stat(filepath.Join(dir, "b.txt")); err == nil {
		t.Error("a file was written unasked")
	}
	if first := server.Requests()[0].Text(); !strings.Contains(first, "Speak plainly.") {
		t.Errorf("the project's instructions are missing: %s", first)
	}
	if code, out, errs = runOn(t, server, dir, "run", "--session", "-", "-p", "again", "--json"); code != 0 || !strings.Contains(out, `"text":"As I said."`) {
		t.Fatalf("exit %d\n%s\n%s", code, out, errs)
	}
	if text := server.Requests()[3].Text(); !strings.Contains(text, "hello from the file") {
		t.Error("the second run does not go on with the session")
	}
	if code, _, errs = runOn(t, server, dir, "run", "--session", "-", "-p", "write it", "--yolo"); code != 0 {
		t.Fatalf("exit %d\n%s", code, errs)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "b.txt")); err != nil || string(text) != "x" {
		t.Errorf("%q, %v", text, err)
	}
	if p := server.Problems(); len(p) > 0 {
		t.Errorf("invalid requests: %v", p)
	}
}

// A window named by a refusal applies to later runs.
func TestRunLearnsAWindow(t *testing.T) {
	server := fake.New(fake.Step{Refuse: &fake.Refusal{Status: 400, Message: "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."}},
		fake.Say("Hello."))
	defer server.Close()
	dir, config := t.TempDir(), t.TempDir()
	runWith(t, server, dir, config, `"compaction":{"enabled":true}`, "run", "-p", "hi")
	code, out, errs := runWith(t, server, dir, config, `"compaction":{"enabled":true}`, "models", "fake-1", "--json")
	if code != 0 || !strings.Contains(out, `"window":8192,"windowSource":"learned"`) {
		t.Errorf("exit %d\n%s\n%s", code, out, errs)
	}
}

// An answer that breaks off is requested again as the settings say, and its
// received part does not reach a script.
func TestRunAsksAgain(t *testing.T) {
	for _, tt := range []struct {
		settings string
		code     int
		out      string
		requests int
	}{
		{`"retry":{"baseDelayMs":1}`, 0, "the whole answer\n", 2},
		{`"retry":{"enabled":false}`, 1, "", 1},
	} {
		server := fake.New(fake.Cut("half an ans"), fake.Say("the whole answer"))
		defer server.Close()
		code, out, errs := runSet(t, server, t.TempDir(), tt.settings, "run", "-p", "hi")
		if code != tt.code || out != tt.out || len(server.Requests()) != tt.requests {
			t.Errorf("%s: exit %d, %d requests\n%s\n%s", tt.settings, code, len(server.Requests()), out, errs)
		}
		if n := strings.Count(errs, "trying again"); n != tt.requests-1 {
			t.Errorf("%s: told %d times\n%s", tt.settings, n, errs)
		}
	}
}

func TestRunFails(t *testing.T) {
	server := fake.New(fake.Step{Refuse: &fake.Refusal{Status: 401, Message: "invalid api key"}})
	defer server.Close()
	code, out, errs := runOn(t, server, t.TempDir(), "run", "-p", "hi", "--json")
	if code != 1 || !strings.Contains(out, `"type":"error","error":"auth`) {
		t.Errorf("exit %d\n%s\n%s", code, out, errs)
	}
}

// If automatic compaction is off and a request is too large, the user is told to
// compact only if that would help.
func TestRunSaysWhenToCompact(t *testing.T) {
	const off = `"compaction":{"enabled":false,"keepRecentTokens":100}`
	for name, tt := range map[string]struct {
		steps   []fake.Step // of an earlier run
		advises string
	}{
		"much was said":    {[]fake.Step{fake.Call("1", "read", `{"path":"a.txt"}`), fake.Say("Read.")}, "try: coppice compact "},
		"nothing was said": {nil, "try: a model with a larger context window"},
	} {
		t.Run(name, func(t *testing.T) {
			server := fake.New(append(tt.steps, fake.Overflow())...)
			defer server.Close()
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte(strings.Repeat("a line of words\n", 1200)), 0o600); err != nil {
				t.Fatal(err)
			}
			args := []string{"run", "-p", "go on"}
			if tt.steps != nil {
				if code, _, errs := runSet(t, server, dir, off, "run", "-p", "read a.txt"); code != 0 {
					t.Fatalf("exit %d\n%s", code, errs)
				}
				args = []string{"run", "--session", "-", "-p", "go on"}
			}
			code, _, errs := runSet(t, server, dir, off, args...)
			if code != 1 || !strings.Contains(errs, coppice.ErrPaused.Error()) || !strings.Contains(errs, tt.advises) {
				t.Errorf("exit %d\n%s", code, errs)
			}
		})
	}
}
