// Package outcome reads how a tool call ended off its result: exit code,
// whether it was refused, stopped or goes on in the background, what test
// runners and checkers count, and the lines that say what went wrong.
//
// Results are text that anybody may have written. Only their edges are read,
// nothing in them is taken for an instruction, and every function accepts any
// text.
package outcome

import (
	"slices"
	"strconv"
	"strings"

	"github.com/coppice-dev/coppice/internal/rawjson"
)

// Result is a tool's result without what the agent wrote around it.
type Result struct {
	Body    string
	Code    int
	Known   bool // an exit code was told
	Failed  bool
	Stopped bool   // by the user, or by a time limit
	Refused bool   // the user did not allow the call
	Skipped bool   // the agent never made the call
	Words   string // what the user said when refusing
	Running string // id under which the command goes on; "": it ended
	PID     string // process id that a shell printed for a job
	Log     string // file that its output is written to
}

// window is how much of a result's edges an agent may have written, in bytes.
const window = 500

// Read reads a result. isError is what the agent says of it.
func Read(text string, isError bool) Result {
	r := Result{Body: text, Failed: isError}
	if r.refusal(text, isError) {
		return r
	}
	if isError && notMade(text) {
		return Result{Skipped: true}
	}
	if strings.HasPrefix(text, "{") {
		r.object(text)
	}
	r.frame()
	if r.Running == "" && !r.Known {
		r.exitAtEdges()
	}
	if r.Known {
		r.Failed = r.Code != 0
	}
	if isError {
		last := strings.ToLower(strings.TrimSpace(text[max(0, len(text)-window):]))
		head := strings.ToLower(text[:min(len(text), window)])
		r.Stopped = strings.HasSuffix(last, "command aborted") || strings.Contains(last, "timed out") ||
			strings.Contains(head, "interrupted by user") || strings.Contains(last, "cancelled by user") ||
			strings.HasPrefix(head, "aborted by user") || strings.HasPrefix(head, "tool execution aborted") || strings.HasPrefix(head, "operation aborted")
	}
	return r
}

// refusalMarks begin results of calls that the user did not allow.
var refusalMarks = []string{"The user doesn't want to", "The user doesn’t want to", "User denied", "User rejected", "user rejected", "The user rejected",
	"exec command rejected by user", "patch rejected by user", "Tool call rejected", "[Operation Cancelled]", "User cancelled", "Permission denied by user",
	"The user has denied", "Request was rejected by the user", "Tool execution denied", "Blocked by user", "The user declined"}

// skipMarks begin results of calls that the agent did not make: another call of
// the same answer failed, the user spoke first, or the arguments were no good.
var skipMarks = []string{"Sibling tool call errored", "Cancelled: parallel tool call", "Skipped due to queued user message", "InputValidationError:"}

// notMade tells a call that was never made.
func notMade(text string) bool {
	text = strings.TrimPrefix(strings.TrimSpace(text[:min(len(text), window)]), "<tool_use_error>")
	return slices.ContainsFunc(skipMarks, func(mark string) bool { return strings.HasPrefix(text, mark) })
}

// refusal tells a call that was not allowed, and takes the user's words out
// of it.
func (r *Result) refusal(text string, isError bool) bool {
	head := strings.TrimSpace(text[:min(len(text), window)])
	for _, mark := range refusalMarks {
		if !strings.HasPrefix(head, mark) && !(isError && strings.Contains(head, mark)) {
			continue
		}
		r.Refused, r.Failed, r.Body = true, false, ""
		for _, intro := range []string{"the user said:\n", "the user said: ", "reason: ", "feedback: ", "Feedback: ", "Reason: ", "following reason: "} {
			if _, words, ok := strings.Cut(text, intro); ok {
				r.Words = strings.TrimSpace(words)
				break
			}
		}
		return true
	}
	return false
}

// object reads results that are JSON: {"output", "metadata": {"exit_code"}} of
// Codex.
func (r *Result) object(text string) {
	raw := []byte(text)
	if !rawjson.Valid(raw) {
		return
	}
	code := rawjson.Get(rawjson.Get(raw, "metadata"), "exit_code")
	if code == nil {
		code = rawjson.Get(raw, "exit_code")
	}
	if rawjson.Kind(code) == '0' {
		r.Code, r.Known = int(rawjson.Int(code)), true
	}
	for _, name := range []string{"output", "stdout"} {
		if v := rawjson.Get(raw, name); rawjson.Kind(v) == '"' {
			r.Body = rawjson.String(v)
			break
		}
	}
}

// frame takes off what agents write before the output: the lines of Codex up
// to "Output:", the labels of Gemini CLI, the tags of Claude Code's polls.
func (r *Result) frame() {
	head := r.Body[:min(len(r.Body), window)]
	switch {
	case strings.HasPrefix(head, "Chunk ID:") || strings.HasPrefix(head, "Wall time:") || strings.HasPrefix(head, "Exit code: ") ||
		strings.HasPrefix(head, "Process exited") || strings.HasPrefix(head, "Process running"):
		r.codex()
	case strings.HasPrefix(head, "Command: ") || strings.HasPrefix(head, "Output: ") || strings.HasPrefix(head, "Error: "):
		r.gemini()
	case strings.HasPrefix(strings.TrimSpace(head), "<status>") || strings.HasPrefix(head, "<retrieval_status>"):
		r.poll()
	}
	r.background()
}

func (r *Result) codex() {
	for line := range strings.Lines(r.Body) {
		line = strings.TrimRight(line, "\r\n")
		if line == "Output:" {
			break
		}
		r.line(line)
	}
	if _, body, ok := strings.Cut(r.Body, "Output:\n"); ok {
		r.Body = body
	} else if strings.HasSuffix(r.Body, "Output:") {
		r.Body = ""
	}
}

// line reads one line of an agent's frame.
func (r *Result) line(line string) {
	if id, ok := strings.CutPrefix(line, "Process running with session ID "); ok {
		r.Running = strings.TrimSpace(id)
		return
	}
	for _, mark := range []string{"Process exited with code ", "Exit code: ", "Exit Code: "} {
		if rest, ok := strings.CutPrefix(line, mark); ok {
			r.code(rest)
		}
	}
}

func (r *Result) code(s string) {
	s = strings.TrimSpace(s)
	end := 0
	for end < len(s) && end < 9 && (s[end] >= '0' && s[end] <= '9' || end == 0 && s[end] == '-') {
		end++
	}
	if n, err := strconv.Atoi(s[:end]); err == nil {
		r.Code, r.Known = n, true
	}
}

// geminiLabels begin the lines of Gemini CLI's results.
var geminiLabels = []string{"Command: ", "Directory: ", "Output: ", "Error: ", "Exit Code: ", "Signal: ", "Background PIDs: ", "Process Group PGID: "}

func (r *Result) gemini() {
	body, inside := []string{}, false
	for line := range strings.SplitSeq(r.Body, "\n") {
		label := ""
		for _, l := range geminiLabels {
			if strings.HasPrefix(line, l) {
				label = l
			}
		}
		value := strings.TrimSpace(strings.TrimPrefix(line, label))
		switch label {
		case "":
			if inside {
				body = append(body, line)
			}
			continue
		case "Exit Code: ":
			r.code(value)
		case "Background PIDs: ":
			if value != "(none)" {
				r.Running, r.PID = value, value
			}
		}
		if inside = label == "Output: " || label == "Error: "; inside && value != "(none)" && value != "(empty)" {
			body = append(body, value)
		}
	}
	r.Body = strings.Join(body, "\n")
}

// poll reads what Claude Code tells of a command in the background.
func (r *Result) poll() {
	status := between(r.Body, "<status>", "</status>")
	if code := between(r.Body, "<exit_code>", "</exit_code>"); code != "" {
		r.code(code)
	}
	switch status {
	case "running":
		r.Running = "?"
	case "failed":
		r.Failed = true
	case "killed", "stopped":
		r.Stopped = true
	}
	var parts []string
	for _, tag := range []string{"output", "stdout", "stderr"} {
		if s := strings.TrimSpace(between(r.Body, "<"+tag+">", "</"+tag+">")); s != "" {
			parts = append(parts, s)
		}
	}
	r.Body = strings.Join(parts, "\n")
}

// Between is the text between two marks, or "".
func between(s, open, shut string) string {
	_, rest, ok := strings.Cut(s, open)
	if !ok {
		return ""
	}
	inner, _, ok := strings.Cut(rest, shut)
	if !ok {
		return ""
	}
	return strings.TrimSpace(inner)
}

// background tells commands that go on after the call.
func (r *Result) background() {
	head := r.Body[:min(len(r.Body), window)]
	for _, mark := range []string{"running in background with ID: ", "running in the background with ID: ", "moved to the background with ID: ",
		"Background task started with ID: ", "still running (session ", "Started background process "} {
		if _, rest, ok := strings.Cut(head, mark); ok && r.Running == "" {
			r.Running = strings.TrimRight(firstWord(rest), ".,)")
		}
	}
	if r.Running != "" {
		if _, rest, ok := strings.Cut(head, "written to: "); ok {
			r.Log = strings.TrimRight(firstWord(rest), ".")
		}
	}
	// "[1] 40213", as shells tell a job
	first, _, _ := strings.Cut(strings.TrimSpace(head), "\n")
	if job, pid, ok := strings.Cut(first, "] "); ok && strings.HasPrefix(job, "[") && isNumber(job[1:]) && isNumber(strings.TrimSpace(pid)) {
		r.PID = strings.TrimSpace(pid)
	}
}

func firstWord(s string) string {
	if fields := strings.Fields(s); len(fields) > 0 {
		return fields[0]
	}
	return ""
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// codeMarks come before the exit code in what shells of agents print, in lower
// case: Claude Code and mini-swe-agent at the beginning, pi and OpenClaw at
// the end.
var codeMarks = []string{"process exited with code ", "command exited with code ", "exit code: ", "exit code ", `"exit_code":`,
	"<returncode>", "exited with code "}

// exitAtEdges finds the exit code that an agent wrote before or after the
// output, and takes that line off.
func (r *Result) exitAtEdges() {
	body := strings.TrimSpace(r.Body)
	first, rest, _ := strings.Cut(body[:min(len(body), window)], "\n")
	if n, ok := exitCode(strings.ToLower(first), true); ok {
		r.Code, r.Known = n, true
		r.Body = strings.TrimPrefix(body, first)
		_ = rest
		return
	}
	last := body[strings.LastIndexByte(body, '\n')+1:]
	if len(last) > window {
		return
	}
	if n, ok := exitCode(strings.ToLower(last), false); ok {
		r.Code, r.Known = n, true
		r.Body = strings.TrimSuffix(body, last)
	}
}

// exitCode finds a number after a mark: at the beginning of the first line, or
// anywhere on the last one.
func exitCode(line string, front bool) (int, bool) {
	for _, mark := range codeMarks {
		i := strings.Index(line, mark)
		if i < 0 || front && i > 0 && mark[0] != '"' && mark[0] != '<' {
			continue
		}
		var r Result
		if r.code(line[i+len(mark):]); r.Known {
			return r.Code, true
		}
	}
	return 0, false
}
