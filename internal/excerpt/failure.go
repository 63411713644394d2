package excerpt

import (
	"strconv"
	"strings"

	"github.com/coppice-dev/coppice/internal/safetext"
)

// lastLines is how many lines at the end are kept if no line describes the
// failure.
const lastLines = 3

// Failure returns what describes the failure in the output of a failed call:
// the lines that look like errors or have the exit code, and the last line, or
// the last few if there are no such lines. It has about maxBytes at most; a
// line "…" marks what is left out in the middle.
func Failure(text string, maxBytes int) string {
	var telling, last []string
	var of teller
	for l := range strings.SplitSeq(text, "\n") {
		if l = strings.TrimSpace(l); l == "" {
			continue
		}
		if at := of.find(l); at >= 0 {
			telling, last = append(telling, around(l, at)), last[:0]
		} else if at := exitLine.find(l); at >= 0 {
			telling, last = append(telling, around(l, at)), last[:0]
		} else if last = append(last, l); len(last) > lastLines {
			last = last[1:]
		}
	}
	for i, l := range last {
		last[i] = around(l, len(l))
	}
	if len(telling) > 0 && len(last) > 1 {
		last = last[len(last)-1:]
	}
	return bounded(append(telling, last...), maxBytes)
}

// around returns a line; if it is too long, the part around a place.
func around(line string, at int) string {
	const before, after = 100, 200 // UTF-16 units
	from, to := safetext.CutTail(line[:at], before), safetext.CutHead(line[at:], after)
	if len(from) < at {
		from = "…" + from
	}
	if len(to) < len(line)-at {
		to += "…"
	}
	return from + to
}

// bounded keeps lines from both ends.
func bounded(lines []string, maxBytes int) string {
	first, n := 0, 0
	for first < len(lines) && n+len(lines[first]) < maxBytes/2 {
		n += len(lines[first]) + 1
		first++
	}
	end := len(lines)
	for end > first && n+len(lines[end-1]) < maxBytes {
		end--
		n += len(lines[end]) + 1
	}
	if end > first {
		lines = append(append(lines[:first:first], "…"), lines[end:]...)
	}
	return strings.Join(lines, "\n")
}

// codeMarks introduce the exit code in what shells of agents print: Codex,
// Claude Code and Gemini CLI at the beginning, pi and OpenClaw at the end.
var codeMarks = []string{"process exited with code ", "command exited with code ", "exit code: ", "exit code ", `"exit_code":`,
	"<returncode>", "exited with code "}

// ExitCode finds the exit code in the output of a command, if the harness that
// ran it wrote one at either end.
func ExitCode(text string) (code int, ok bool) {
	const window = 400 // bytes that the harness may have written
	if code, ok = exitCode(strings.ToLower(text[:min(len(text), window)]), true); ok {
		return code, true
	}
	return exitCode(strings.ToLower(text[max(0, len(text)-window):]), false)
}

// exitCode finds a number after a mark: at the beginning of a line before,
// anywhere on the last line after.
func exitCode(s string, front bool) (int, bool) {
	s = strings.TrimSpace(s)
	if !front {
		s = s[strings.LastIndexByte(s, '\n')+1:]
	}
	for _, mark := range codeMarks {
		i := strings.Index(s, mark)
		if i < 0 || front && i > 0 && s[i-1] != '\n' && mark[0] != '"' && mark[0] != '<' {
			continue
		}
		if front && i > 200 {
			continue
		}
		digits := strings.TrimLeft(s[i+len(mark):], " ")
		end := 0
		for end < len(digits) && end < 9 && (digits[end] >= '0' && digits[end] <= '9' || end == 0 && digits[end] == '-') {
			end++
		}
		if n, err := strconv.Atoi(digits[:end]); err == nil {
			return n, true
		}
	}
	return 0, false
}
