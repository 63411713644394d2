package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/coppice-dev/coppice"
	"github.com/coppice-dev/coppice/agent"
	"github.com/coppice-dev/coppice/internal/terminal"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/provider/fake"
)

// steering is a text that would copy to the clipboard, colour and retitle a
// terminal, and turn the direction of writing.
const steering = "x\x1b]52;c;aGk=\a\x1b[31m\x1b]0;t\x1b\\\u009b2J\u202e\u2066\r\x1b[2Ky"

// hostileSession has steering in every string of every kind of entry, but for
// those that say what it is; ids only if they are asked for: then nothing finds
// them by the names of this file.
func hostileSession(t *testing.T, file string, ids bool) {
	t.Helper()
	assistant := `"role":"assistant","api":"a","provider":"p","model":"m","usage":{"input":10,"output":5,"cacheRead":0,"cacheWrite":0,"totalTokens":15,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"timestamp":1767225600000`
	var lines []string
	add := func(typ, rest string) {
		parent := "null"
		if n := len(lines); n > 1 {
			parent = fmt.Sprintf(`"e%d"`, n-1)
		}
		lines = append(lines, fmt.Sprintf(`{"type":%q,"id":"e%d","parentId":%s,"timestamp":"2026-01-01T00:00:00.000Z",%s}`, typ, len(lines), parent, rest))
	}
	lines = append(lines, `{"type":"session","version":3,"id":"s1","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/p"}`)
	add("session_info", `"name":"a name"`)
	add("model_change", `"provider":"p","modelId":"m"`)
	add("thinking_level_change", `"thinkingLevel":"high"`)
	for i := range 2 {
		add("message", `"message":{"role":"user","content":[{"type":"text","text":"Please fix the test in a.go. Never push."}],"timestamp":1767225600000}`)
		add("message", fmt.Sprintf(`"message":{%s,"content":[{"type":"thinking","thinking":"hm","thinkingSignature":"c2ln"},{"type":"text","text":"I decided to use a map because it is fast."},{"type":"toolCall","id":"c%d","name":"edit","arguments":{"path":"a.go","oldText":"a","newText":"b"}},{"type":"toolCall","id":"d%d","name":"bash","arguments":{"command":"go test ./..."}}],"stopReason":"toolUse"}`, assistant, i, i))
		add("message", fmt.Sprintf(`"message":{"role":"toolResult","toolCallId":"c%d","toolName":"edit","content":[{"type":"text","text":"edited a.go"}],"isError":false,"details":{"diff":"-a"},"timestamp":1767225600000}`, i))
		add("message", fmt.Sprintf(`"message":{"role":"toolResult","toolCallId":"d%d","toolName":"bash","content":[{"type":"text","text":"FAIL a.go:1: error: broken\nexit 1"},{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"}],"isError":true,"timestamp":1767225600000}`, i))
		add("message", fmt.Sprintf(`"message":{%s,"content":[{"type":"text","text":"It fails."}],"stopReason":"error","errorMessage":"overloaded"}`, assistant))
		add("message", `"message":{"role":"bashExecution","command":"ls","output":"a.go","exitCode":0,"cancelled":false,"truncated":false,"timestamp":1767225600000}`)
		add("message", fmt.Sprintf(`"message":{%s,"content":[{"type":"text","text":"Done: the test passes now."}],"stopReason":"stop"}`, assistant))
	}
	add("branch_summary", `"fromId":"e4","summary":"the branch tried a list","details":{"readFiles":["r.go"],"modifiedFiles":["m.go"]}`)
	add("custom", `"customType":"ext","data":{"a":"b"}`)
	add("custom_message", `"customType":"note","content":"a note","display":true`)
	add("label", `"targetId":"e5","label":"a label"`)
	add("compaction", `"summary":"## Goal\nfix it\n## Done\n- a.go","firstKeptEntryId":"e11","tokensBefore":100,"details":{"readFiles":["r.go"],"modifiedFiles":["a.go"]}`)
	add("message", `"message":{"role":"user","content":"And now?","timestamp":1767225600000}`)
	var out bytes.Buffer
	for _, l := range lines {
		var v map[string]any
		if err := json.Unmarshal([]byte(l), &v); err != nil {
			t.Fatalf("%s: %v", l, err)
		}
		b, err := json.Marshal(poisoned(v, ids))
		if err != nil {
			t.Fatal(err)
		}
		out.Write(append(b, '\n'))
	}
	out.WriteString("{\"type\":\"message\",\x1b]0;t\a torn\n")
	if err := os.WriteFile(file, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

func poisoned(v any, ids bool) any {
	switch v := v.(type) {
	case string:
		return v + steering
	case []any:
		for i := range v {
			v[i] = poisoned(v[i], ids)
		}
	case map[string]any:
		for k := range v {
			switch k {
			case "type", "role", "timestamp", "stopReason", "version", "data":
				continue
			case "id", "parentId", "targetId", "fromId", "firstKeptEntryId", "toolCallId":
				if !ids {
					continue
				}
			}
			v[k] = poisoned(v[k], ids)
		}
	}
	return v
}

// ours is what the program itself sends to a terminal.
var ours = regexp.MustCompile("\x1b\\[38;5;[0-9]+m|\x1b\\[m|\r\x1b\\[K")

// Whatever wrote a text, it does not steer the terminal: each command on a
// session with escapes in every string, and a run with a hostile model.
func TestNothingSteersTheTerminal(t *testing.T) {
	commands := map[string][][]string{
		"run":           {{"-p", "hi", "--session", "S", "--model", "local/fake-1", "--yolo"}, {"-p", "hi", "--yolo", "--json"}},
		"context":       {{"S"}, {"S", "--json"}, {"S", "--as", "openai-chat"}},
		"compact":       {{"S", "--plan", "--keep-recent", "0"}, {"S", "--summarizer", "extract", "--keep-recent", "0"}, {"S", "--json"}},
		"uncompact":     {{"S"}},
		"prune":         {{"S", "--plan"}, {"S"}},
		"hide":          {{"S", "e20"}},
		"unhide":        {{"S", "e5"}},
		"pin":           {{"S", "e20"}},
		"unpin":         {{"S", "e5"}},
		"go":            {{"S", "e5"}},
		"merge":         {{"S", "--from", "e5"}},
		"tree":          {{"S"}, {"S", "--json"}},
		"compare":       {{"S", "e5", "e20"}},
		"search":        {{"S", "test"}, {"S", "test", "--json"}},
		"read":          {{"S", "en:e5"}, {"S", "en:e7"}},
		"serialize":     {{"S"}},
		"sessions":      {{}, {"--json"}},
		"fork":          {{"S", "e11"}},
		"clone":         {{"S"}},
		"import":        {{"S"}},
		"export":        {{"S", "-o", "-"}, {"S", "--format", "markdown", "-o", "-"}, {"S", "--format", "jsonl", "-o", "-"}},
		"delete":        {{"S"}},
		"stats":         {{"S"}, {"S", "--json"}},
		"state":         {{"S"}, {"S", "--json"}},
		"check":         {{"S"}, {"S", "--json"}},
		"label":         {{"S", "e20", steering}},
		"name":          {{"S", steering}},
		"explain-error": {{}, {"--json"}},
		"models":        {{}, {steering}},
		"settings":      {{}, {"set", "session.dir", steering}},
		"doctor":        {{}},
		"version":       {{}},
	}
	for _, v := range verbs {
		if len(commands[v.name]) == 0 {
			t.Errorf("%s is not tried", v.name)
		}
		for _, args := range commands[v.name] {
			for _, ids := range []bool{false, true} {
				t.Run(strings.TrimSpace(v.name+" "+terminal.Clean(strings.Join(args, " "))), func(t *testing.T) {
					t.Parallel()
					code, out, errs := onTerminal(t, ids, v.name, args)
					for _, got := range []string{out, errs} {
						if rest := ours.ReplaceAllString(got, ""); terminal.Clean(rest) != rest {
							t.Errorf("steers: %q", rest)
						}
					}
					if out+errs == "" {
						t.Error("printed nothing")
					}
					if !ids && code == int(codeUsage) {
						t.Errorf("not tried: %s", errs)
					}
				})
			}
		}
	}
}

// onTerminal runs a command in a folder with a hostile session and a hostile
// model. S among the arguments is the session.
func onTerminal(t *testing.T, ids bool, name string, args []string) (code int, stdout, stderr string) {
	t.Helper()
	server := fake.New(fake.Call("1"+steering, "read", `{"path":"a\u001b]0;t\u0007"}`), fake.Call("2", "none"+steering, "{}"), fake.Say("said "+steering),
		fake.Step{Refuse: &fake.Refusal{Status: 400, Message: "refused " + steering}})
	t.Cleanup(server.Close)
	dir := t.TempDir()
	sessions := filepath.Join(dir, "sessions")
	if err := os.MkdirAll(sessions, 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(sessions, "s.jsonl")
	hostileSession(t, file, ids)
	settings := fmt.Appendf(nil, `{"model":"local/fake-1","providers":{"local":{"type":"openai","baseUrl":%q,"models":[{"id":"fake-1","contextWindow":32000}]}}}`, server.BaseURL("openai-chat"))
	if err := os.WriteFile(filepath.Join(dir, "settings.json"), settings, 0o600); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"COPPICE_CONFIG_DIR": dir, "COPPICE_SESSION_DIR": sessions, "HOME": dir, "TERM": "xterm"}
	words := []string{name}
	for _, a := range args {
		if a == "S" {
			a = file
		}
		words = append(words, a)
	}
	var out, errs bytes.Buffer
	code = Run(t.Context(), Env{Args: words, In: strings.NewReader("context length exceeded: " + steering + "\n"), Out: &out, Err: &errs, Getenv: func(name string) string { return env[name] },
		Dir: dir, Now: time.Now, Terminal: true, ErrTerminal: true, Width: 100})
	return code, out.String(), errs.String()
}

// A note that comes while an answer streams neither clears the answer's line nor
// goes on in it.
func TestNotesLeaveTheAnswer(t *testing.T) {
	var screen bytes.Buffer
	a := &app{Env: Env{Out: &screen, Err: &screen, Terminal: true, ErrTerminal: true}, term: terminal.New(func(string) string { return "" })}
	p := &runPrinter{app: a}
	for _, e := range []agent.Event{
		{Type: agent.EventMessageUpdate, TextDelta: "First line.\n"},
		{Type: agent.EventMessageUpdate, TextDelta: "The answer "},
		{Type: agent.EventMessageUpdate, TextDelta: "is 42."},
		{Type: coppice.EventWarning, Warning: "odd usage"},
		{Type: agent.EventMessageEnd, Role: message.RoleAssistant, Text: "First line.\nThe answer is 42."},
		{Type: agent.EventMessageUpdate, TextDelta: "Another.\n"},
		{Type: agent.EventMessageEnd, Role: message.RoleAssistant, Text: "Another.\n"},
	} {
		p.print(e)
	}
	if want := "First line.\nThe answer is 42.\ncoppice: odd usage\nAnother.\n"; screen.String() != want {
		t.Errorf("%q, want %q", screen.String(), want)
	}
}
