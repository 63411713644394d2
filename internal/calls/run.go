package calls

import (
	"github.com/coppice-dev/coppice/internal/lazy"
	"strings"

	"github.com/coppice-dev/coppice/internal/rawjson"
	"github.com/coppice-dev/coppice/internal/shell"
)

// shellTools run a command line, by name.
var shellTools = lazy.Words{"bash", "shell", "exec", "execcommand", "shellcommand",
	"localshell", "localshellcall", "runshellcommand", "runterminalcmd", "runcommand",
	"executecommand", "terminal", "executebash", "sh", "powershell"}

// Run is what a call of a shell tool runs.
type Run struct {
	Commands   []shell.Command
	Script     string // as written; "" where it was given as words
	Dir        string // working directory that the call names
	Background bool   // the tool was asked not to wait
}

// RunOf reads a call of a shell tool; false for others.
func RunOf(name string, a Args) (Run, bool) {
	if !shellTools.Has(name) {
		return Run{}, false
	}
	r := Run{Dir: a.First("workdir", "cwd", "dir_path", "directory", "working_directory"),
		Background: rawjson.Bool(a.Get("run_in_background")) || rawjson.Bool(a.Get("is_background")) || rawjson.Bool(a.Get("background"))}
	for _, member := range []string{"command", "cmd", "script"} {
		v := a.Get(member)
		switch rawjson.Kind(v) {
		case '"':
			r.Script = rawjson.String(v)
			r.Commands = shell.Commands(r.Script)
			return r, true
		case '[':
			r.Commands = shell.Argv(stringList(v))
			return r, true
		}
	}
	if v := rawjson.Get(a.Get("action"), "command"); rawjson.Kind(v) == '[' {
		r.Commands = shell.Argv(stringList(v))
		return r, true
	}
	r.Script = a.Text
	r.Commands = shell.Commands(a.Text)
	return r, true
}

// Poll is a call that asks about, writes to or ends a running command.
type Poll struct {
	ID   string
	Kill bool
}

// PollOf reads such a call: BashOutput, TaskOutput, KillShell and TaskStop of
// Claude Code, write_stdin of Codex, process of OpenClaw.
func PollOf(name string, a Args) (Poll, bool) {
	id := a.First("bash_id", "task_id", "shell_id", "session_id", "sessionId", "id", "pid")
	switch name {
	case "bashoutput", "taskoutput", "agentoutput", "readbackgroundoutput":
		return Poll{ID: id}, id != ""
	case "killshell", "killbash", "taskstop":
		return Poll{ID: id, Kill: true}, id != ""
	case "writestdin":
		return Poll{ID: id, Kill: strings.ContainsRune(a.Str("chars"), '\x03')}, id != ""
	case "process":
		action := a.Str("action")
		return Poll{ID: id, Kill: action == "kill" || action == "remove"}, id != "" && action != "list"
	}
	return Poll{}, false
}

// Asks reports whether a tool puts a question to the user.
func Asks(name string) bool {
	switch name {
	case "askuserquestion", "requestuserinput", "askuser", "askfollowupquestion", "question", "askquestion":
		return true
	}
	return false
}
