package tools

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coppice-dev/coppice/agent"
	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/message"
	"github.com/coppice-dev/coppice/session"
	"github.com/coppice-dev/coppice/session/memstore"
)

// project is a folder with a few files.
func project(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"main.go":             "package main\n\nfunc main() {}\n",
		"cmd/tool/run.go":     "package tool\n// run runs\n",
		"dos.txt":             "one\r\ntwo\r\n",
		"binary":              "a\x00b",
		"node_modules/x/a.go": "package hidden\n",
	} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o640)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func find(t *testing.T, o Options, name string) agent.Tool {
	t.Helper()
	for _, tool := range All(o) {
		if tool.Name == name {
			return tool
		}
	}
	t.Fatalf("no tool %s", name)
	return agent.Tool{}
}

// call runs a tool and returns its text followed by its error.
func call(t *testing.T, o Options, name, args string) string {
	t.Helper()
	res, err := find(t, o, name).Run(context.Background(), agent.Call{ID: "1", Name: name, Arguments: []byte(args), Update: func(string) {}})
	text := (&message.Message{Content: res.Content}).Text("")
	if err != nil {
		text += "!" + err.Error()
	}
	return strings.ReplaceAll(text, o.Dir, "DIR")
}

func TestTools(t *testing.T) {
	o := Options{Dir: project(t)}
	tests := []struct{ tool, args, want string }{
		{"read", `{"path":"main.go"}`, "package main\n\nfunc main() {}\n"},
		{"read", `{"path":"main.go","offset":1,"limit":1}`, "package main\n[2 more lines in file; use offset=2]"},
		{"read", `{"path":"main.go","offset":3}`, "func main() {}\n"},
		{"read", `{"path":"main.go","offset":9}`, "!the file has 3 lines"},
		{"read", `{"path":"cmd"}`, "!DIR/cmd is a folder; find lists files"},
		{"read", `{"path":"binary"}`, "!binary is not a text file"},
		{"write", `{"path":"new/deep.txt","content":"hello"}`, "wrote 5 bytes to new/deep.txt"},
		{"read", `{"path":"new/deep.txt"}`, "hello"},
		{"edit", `{"path":"main.go","oldText":"main","newText":"x"}`, "!main.go: oldText occurs 2 times in the file; include more of the text around it, or set all"},
		{"edit", `{"path":"main.go","oldText":"nope","newText":"x"}`, "!main.go: oldText is not in the file; read the file again"},
		{"edit", `{"path":"main.go","oldText":"func main","newText":"func run"}`, "replaced 1 in main.go"},
		{"edit", `{"path":"dos.txt","oldText":"one\ntwo","newText":"1\n2"}`, "replaced 1 in dos.txt"},
		{"read", `{"path":"dos.txt"}`, "1\r\n2\r\n"},
		{"grep", `{"pattern":"^package"}`, "cmd/tool/run.go:1: package tool\nmain.go:1: package main"},
		{"grep", `{"pattern":"package","glob":"cmd/**/*.go"}`, "cmd/tool/run.go:1: package tool"},
		{"grep", `{"pattern":"nowhere"}`, "nothing found"},
		{"find", `{"pattern":"*.go"}`, "cmd/tool/run.go\nmain.go"},
		{"find", `{"pattern":"**/run.go"}`, "cmd/tool/run.go"},
		{"bash", `{"command":"echo out; echo err >&2; exit 3"}`, "out\nerr\n!command exited with code 3"},
		{"bash", `{"command":"pwd"}`, "DIR\n"},
		{"bash", `{"command":"true","timeout":1e300}`, "!timeout must be more than 0 and at most 86400 seconds"},
		{"bash", `{"command":"true","timeout":-1}`, "!timeout must be more than 0 and at most 86400 seconds"},
		{"bash", `{"command":"sleep 100 & sleep 100","timeout":0.05}`, "!stopped: it ran too long"},
	}
	for _, tt := range tests {
		if got := call(t, o, tt.tool, tt.args); got != tt.want {
			t.Errorf("%s %s:\n%q\nwant\n%q", tt.tool, tt.args, got, tt.want)
		}
	}
	if info, err := os.Stat(filepath.Join(o.Dir, "main.go")); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the edit changed the mode: %v, %v", info.Mode(), err)
	}
	for _, tool := range All(o) {
		if _, err := tool.Run(context.Background(), agent.Call{Arguments: []byte(`{"path":7,"pattern":7,"command":7}`), Update: func(string) {}}); err == nil {
			t.Errorf("%s takes numbers for text", tool.Name)
		}
		if !rawjson.Valid(tool.Parameters) {
			t.Errorf("%s: %s", tool.Name, tool.Parameters)
		}
	}
}

func TestRecall(t *testing.T) {
	log, err := memstore.New(nil).Create(context.Background(), session.Header{})
	if err != nil {
		t.Fatal(err)
	}
	s := session.New(log, session.Options{})
	entries, err := s.Append(context.Background(), session.MessageDraft(&message.Message{Role: message.RoleUser,
		Content: []message.Block{message.Text{Text: "the harbour is blue"}}}))
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Dir: t.TempDir(), Log: log}
	if got := call(t, o, "recall", `{"query":"harbour"}`); !strings.Contains(got, "en:"+entries[0].ID) || !strings.Contains(got, "the harbour is blue") {
		t.Errorf("search: %q", got)
	}
	if got := call(t, o, "recall", `{"path":"en:`+entries[0].ID+`"}`); !strings.Contains(got, "lines 1-1 of 1]\nthe harbour is blue") {
		t.Errorf("read: %q", got)
	}
	if got := call(t, o, "recall", `{}`); got != "!query or path is missing" {
		t.Errorf("nothing asked: %q", got)
	}
}

// A command that is aborted is stopped with what it has started.
func TestBashStopsWithTheTurn(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	o := Options{Dir: t.TempDir()}
	start := time.Now()
	res, err := find(t, o, "bash").Run(ctx, agent.Call{Arguments: []byte(`{"command":"echo begun; sleep 600 & wait"}`),
		Update: func(string) { cancel(agent.ErrAborted) }})
	if !errors.Is(err, agent.ErrAborted) || (&message.Message{Content: res.Content}).Text("") != "begun\n" {
		t.Errorf("%v, %v", res, err)
	}
	if d := time.Since(start); d > time.Minute {
		t.Errorf("it took %s", d)
	}
}

func TestGuardQuestions(t *testing.T) {
	dir := project(t)
	if err := errors.Join(os.Symlink("/", filepath.Join(dir, "out")), os.Symlink("nowhere/at/all", filepath.Join(dir, "dangling"))); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		tool, args string
		ask        bool
		rule       string
	}{
		{"read", `{"path":"main.go"}`, false, ""},
		{"grep", `{"pattern":"x"}`, false, ""},
		{"find", `{"pattern":"x","path":"cmd"}`, false, ""},
		{"read", `{"path":"../secret"}`, true, "read " + filepath.Dir(dir) + "/*"},
		{"read", `{"path":"/etc/passwd"}`, true, "read /etc/*"},
		{"read", `{"path":"out/etc/passwd"}`, true, "read " + filepath.Join(dir, "out/etc/*")},
		{"write", `{"path":"dangling","content":""}`, true, "write " + dir + "/*"},
		{"write", `{"path":"new.txt","content":""}`, true, "write"},
		{"edit", `{"path":"main.go"}`, true, "edit"},
		{"bash", `{"command":"git status"}`, true, "bash git *"},
		{"bash", `{"command":"git status; rm -rf /"}`, true, "bash git status; rm -rf /"},
	}
	for _, tt := range tests {
		q, ask := question(dir, find(t, Options{Dir: dir}, tt.tool), agent.Call{Name: tt.tool, Arguments: []byte(tt.args)})
		if ask != tt.ask || ask && q.Rule != tt.rule {
			t.Errorf("%s %s: ask %v, rule %q, want %v, %q", tt.tool, tt.args, ask, q.Rule, tt.ask, tt.rule)
		}
	}
}

func TestGuardRemembers(t *testing.T) {
	dir := t.TempDir()
	write := find(t, Options{Dir: dir}, "write")
	c := agent.Call{Name: "write", Arguments: []byte(`{"path":"a","content":"b"}`)}
	ctx := context.Background()
	if err := (&Guard{Dir: dir}).Permit(ctx, write, c); err == nil {
		t.Error("no one was asked, and it may run")
	}
	if err := (&Guard{Dir: dir, Yolo: true}).Permit(ctx, write, c); err != nil {
		t.Errorf("yolo: %v", err)
	}
	if err := (&Guard{Dir: dir, Rules: Rules{Allow: []Rule{"write"}}}).Permit(ctx, write, c); err != nil {
		t.Errorf("allowed by rule: %v", err)
	}
	asked := 0
	answers := []Answer{Deny, AllowOnce, AllowSession}
	g := &Guard{Dir: dir, Ask: func(context.Context, Question) (Answer, error) { asked++; return answers[asked-1], nil }}
	for i, wantErr := range []bool{true, false, false, false, false} {
		if err := g.Permit(ctx, write, c); (err != nil) != wantErr {
			t.Errorf("call %d: %v", i, err)
		}
	}
	if asked != 3 {
		t.Errorf("asked %d times", asked)
	}
}

func FuzzMatcher(f *testing.F) {
	for _, s := range []string{"*.go", "**/x", "a?b", "[", "a/**", "\\"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, glob string) {
		if m, err := matcher(glob); err == nil {
			m("a/b.go", "b.go")
		}
	})
}

// Commands do not get the keys that the program itself has.
func TestCommandsHaveNoKeys(t *testing.T) {
	t.Setenv("SOMEBODY_API_KEY", "k1")
	t.Setenv("DEPLOY_TOKEN", "k2")
	t.Setenv("HARMLESS", "h")
	env := `{"command":"env"}`
	for _, tt := range []struct {
		o    Options
		has  []string
		lack []string
	}{
		{Options{}, []string{"DEPLOY_TOKEN=k2", "HARMLESS=h"}, []string{"SOMEBODY_API_KEY"}},
		{Options{Rules: Rules{HiddenEnv: []string{"*TOKEN*", "SOMEBODY_API_KEY"}}}, []string{"HARMLESS=h"}, []string{"DEPLOY_TOKEN", "SOMEBODY_API_KEY"}},
		{Options{Rules: Rules{HiddenEnv: []string{}}}, []string{"SOMEBODY_API_KEY=k1"}, nil},
		{Options{Env: []string{"SOMEBODY_API_KEY=k3"}}, []string{"SOMEBODY_API_KEY=k3"}, []string{"HARMLESS"}},
	} {
		tt.o.Dir = t.TempDir()
		got := call(t, tt.o, "bash", env)
		for _, want := range tt.has {
			if !strings.Contains(got, want) {
				t.Errorf("%+v: lacks %s", tt.o, want)
			}
		}
		for _, no := range tt.lack {
			if strings.Contains(got, no) {
				t.Errorf("%+v: has %s", tt.o, no)
			}
		}
	}
}

// What may not be read is not searched either.
func TestRulesBindWalks(t *testing.T) {
	dir := project(t)
	for name, text := range map[string]string{".env": "package KEY=1", "sub/.env": "package KEY=2"} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	const note = "[not looked at, because the settings do not allow it: 2]"
	const one = "[not looked at, because the settings do not allow it: 1]"
	for _, tt := range []struct {
		rules      Rules
		tool, args string
		want       string
	}{
		{Rules{}, "grep", `{"pattern":"KEY"}`, ".env:1: package KEY=1\nsub/.env:1: package KEY=2"},
		{Rules{Deny: []Rule{"read .env"}}, "grep", `{"pattern":"KEY"}`, note},
		{Rules{Deny: []Rule{"grep .env"}}, "grep", `{"pattern":"KEY"}`, note},
		{Rules{Deny: []Rule{"read .env"}}, "grep", `{"pattern":"KEY","path":".env"}`, one},
		{Rules{Deny: []Rule{"read .env"}}, "grep", `{"pattern":"KEY","path":"./sub/../.env/"}`, one},
		{Rules{Deny: []Rule{"read **"}}, "find", `{"pattern":".env","path":".env"}`, one},
		{Rules{Ask: []Rule{"read .env"}}, "grep", `{"pattern":"KEY"}`, note},
		{Rules{Ask: []Rule{"grep"}}, "grep", `{"pattern":"KEY","glob":"*/.env"}`, "sub/.env:1: package KEY=2"},
		{Rules{Deny: []Rule{"write .env"}}, "find", `{"pattern":".env"}`, ".env\nsub/.env"},
		{Rules{Deny: []Rule{"read .env"}}, "find", `{"pattern":".env"}`, note},
		{Rules{Deny: []Rule{"read sub/**"}}, "grep", `{"pattern":"KEY"}`, ".env:1: package KEY=1\n[not looked at, because the settings do not allow it: 1]"},
	} {
		if got := call(t, Options{Dir: dir, Rules: tt.rules}, tt.tool, tt.args); got != tt.want {
			t.Errorf("%+v %s %s: %q, want %q", tt.rules, tt.tool, tt.args, got, tt.want)
		}
	}
}
