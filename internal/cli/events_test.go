package cli

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coppice-dev/coppice/hook"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/provider/fake"
)

var update = flag.Bool("update", false, "write testdata anew")

// asRecorder is the first argument that makes the test binary a hook program,
// which adds the event that it gets to the file in the second one.
const asRecorder = "record-hook-event"

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == asRecorder {
		if err := record(os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Setenv("GORACE", "atexit_sleep_ms=0") // or each program would stay for a second at its end
	os.Exit(m.Run())
}

func record(file string) error {
	event, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if _, err := f.Write(event); err != nil {
		return err
	}
	return f.Close()
}

// Every declared event is fired by the agent or by a command, and has its
// envelope. The golden file lists, for each command, what programs get.
func TestEveryEventHasACaller(t *testing.T) {
	dir := t.TempDir()
	recorded := filepath.Join(t.TempDir(), "events.jsonl")
	programs := map[hook.Event]any{}
	for _, e := range hook.Events() {
		programs[e] = []any{map[string]any{"name": "recorder", "command": []string{os.Args[0], asRecorder, recorded}}}
	}
	settings, err := json.Marshal(programs)
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Repeat("word ", 400)
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte(words), 0o600); err != nil {
		t.Fatal(err)
	}
	server := fake.New(fake.Call("c1", "read", `{"path":"a.txt"}`), fake.Say("Words."), fake.Say("As I said."))
	defer server.Close()
	var got strings.Builder
	fired := map[hook.Event]bool{}
	do := func(want int, args ...string) string {
		t.Helper()
		code, out, errs := runSet(t, server, dir, `"hooks":`+string(settings), args...)
		if code != want || strings.Contains(errs, "hook ") {
			t.Fatalf("%q: exit %d\n%s", args, code, errs)
		}
		lines, err := os.ReadFile(recorded)
		if err != nil {
			return out // the command fires nothing
		}
		fmt.Fprintf(&got, "coppice %s\n", strings.Join(slices.DeleteFunc(args, func(s string) bool { return len(s) > 20 }), " "))
		for line := range bytes.Lines(lines) {
			e := hook.Event(rawjson.String(rawjson.Get(line, "type")))
			fired[e] = true
			checkEnvelope(t, e, line, dir)
			var keys []string
			for k := range rawjson.Members(line) {
				keys = append(keys, k)
			}
			fmt.Fprintf(&got, "  %s: %s\n", e, strings.Join(keys[1:], " "))
		}
		if err := os.Remove(recorded); err != nil {
			t.Fatal(err)
		}
		return out
	}
	do(0, "run", "-p", "Read it. "+words)
	do(0, "run", "--session", "-", "-p", "And again. "+words)
	do(0, "compact", "-", "--summarizer", "extract", "--keep-recent", "1")
	do(3, "compact", "-", "--summarizer", "extract", "--keep-recent", "1")
	var tree struct{ Entries []struct{ ID, Role string } }
	if err := json.Unmarshal([]byte(do(0, "tree", "-", "--json")), &tree); err != nil {
		t.Fatal(err)
	}
	answer := tree.Entries[slices.IndexFunc(tree.Entries, func(e struct{ ID, Role string }) bool { return e.Role == "assistant" })].ID
	do(0, "go", "-", "--summarize", answer)
	do(0, "fork", "-", answer)
	for _, e := range hook.Events() {
		if !fired[e] {
			t.Errorf("no one fires %s", e)
		}
	}
	events := strings.ReplaceAll(got.String(), answer, "ENTRY")
	golden := filepath.Join("testdata", "events.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(events), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), events); diff != "" {
		t.Errorf("go test -run %s -update writes %s anew\n%s", t.Name(), golden, diff)
	}
}

// checkEnvelope: each event names the session, its file and working directory,
// and the call if it is about one.
func checkEnvelope(t *testing.T, e hook.Event, line []byte, dir string) {
	t.Helper()
	text := func(key string) string { return rawjson.String(rawjson.Get(line, key)) }
	new := e == "session_before_switch" && text("target") == "" // there is no session yet
	if text("cwd") != dir || !new && (text("sessionId") == "" || !filepath.IsAbs(text("file"))) {
		t.Errorf("%s: the envelope is not whole: %.200s", e, line)
	}
	if about := e == "tool_call" || e == "tool_result"; about != (text("toolCallId") == "c1") {
		t.Errorf("%s: the call is %q", e, text("toolCallId"))
	}
}

// A hook may prevent a run in a session, also in a new one.
func TestHooksKeepARunFromASession(t *testing.T) {
	server := fake.New(fake.Say("Hello."))
	defer server.Close()
	dir := t.TempDir()
	veto := `"hooks":{"session_before_switch":[{"name":"guard","required":true,"command":["no-such-program-anywhere"]}]}`
	if code, _, errs := runSet(t, server, dir, `"retry":{}`, "run", "-p", "hi"); code != 0 {
		t.Fatal(errs)
	}
	for _, args := range [][]string{{"run", "-p", "hi"}, {"run", "--session", "-", "-p", "hi"}} {
		code, _, errs := runSet(t, server, dir, veto, args...)
		if code != 1 || !strings.Contains(errs, "coppice: run: the required hook guard failed") {
			t.Errorf("%q: exit %d: %s", args, code, errs)
		}
	}
	if n := len(server.Requests()); n != 1 {
		t.Errorf("%d requests", n)
	}
}
