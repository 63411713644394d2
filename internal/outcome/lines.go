package outcome

import (
	"slices"
	"strings"
	"unicode"

	"github.com/coppice-dev/coppice/internal/lazy"
)

// Edges bounds how much of an output is read: its beginning and its end.
func Edges(s string) string {
	const head, tail = 32 << 10, 32 << 10
	if len(s) <= head+tail {
		return s
	}
	return s[:head] + "\n" + s[len(s)-tail:]
}

var escapes = lazy.Regexp(`\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07]*\x07`)

// Plain takes the escape sequences of terminals out, and of lines that were
// written over keeps the last text.
func Plain(s string) string {
	if strings.IndexByte(s, '\x1b') >= 0 {
		s = escapes().ReplaceAllString(s, "")
	}
	if strings.IndexByte(s, '\r') < 0 {
		return s
	}
	lines := strings.Split(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
	for i, l := range lines {
		l = strings.TrimRight(l, "\r")
		lines[i] = l[strings.LastIndexByte(l, '\r')+1:]
	}
	return strings.Join(lines, "\n")
}

const (
	maxTelling = 3    // lines of one failure
	maxLine    = 1000 // bytes; what is longer is generated
)

var (
	// strongLine is a line that says by its form what went wrong: a panic, an
	// exception, a compiler's complaint, a failed test.
	strongLine = lazy.Regexp(`^\s*(?:panic: |fatal(?: error)?: |--- FAIL|FAIL[: \t]|FAILED |E   +\S|not ok |[Ee]rror(?:\[\w+\])?: |ERROR[: ]+\S|✗ |✖ |× |✕ |❌ |BUILD FAILED|CONFLICT |npm ERR! )` +
		`|\b[A-Z]\w*(?:Error|Exception)\b(?::| \[)|\berror (?:TS|CS|C|LNK)\d+|^\S+?[:(]\d+(?:[:,]\d+)?\)?: |^\S+\.\w+:\d+:\d+|\b[Aa]ssert(?:ion)?\b.*\bfail|: command not found$|\*\*\* \[| \.\.\. FAILED$|has overflowed its stack`)
	// weakLine speaks of a failure.
	weakLine = lazy.Regexp(`(?i)\berror\b|\bfail(?:ed|ure|s|ing)?\b|cannot |can't |could not |couldn't |unable to|not found|no such |denied|undefined|unexpected|invalid|mismatch|refused|missing|does not exist|unresolved|unmatched|timed out|\bblocked\b|no matches|must be|\bexpected\b|issues? found|would reformat|exceeded|quota|rejected|too many|out of memory|killed`)
	// happyLine speaks of failures that there are not, or only says that a
	// command failed.
	happyLine = lazy.Regexp(`(?i)\b(?:0|no) (?:errors?|fail\w*|problems?|issues?)\b|command (?:failed|exited)|exit(?:ed with)? (?:code|status)|^npm (?:ERR!|error) (?:code|path|location|workspace|errno|A complete|command|in workspace|lifecycle)|ELIFECYCLE|test result: ok|^\s*at |Warning\b|:\d+: in \S+$|potentially fixable|^!!!|fail 0$`)
)

// mayBeWeak reports whether a line has what each line has that weakLine matches.
var mayBeWeak = lazy.AnyOf("error", "fail", "cannot ", "can't ", "n't ", "not ", "unable", "no such", "denied", "undefined", "unexpected", "invalid", "mismatch",
	"refused", "missing", "unresolved", "unmatched", "timed out", "blocked", "no matches", "must be", "expected", "issue", "reformat", "exceeded", "quota",
	"rejected", "too many", "out of memory", "killed")

// mayBeHappy is the same for happyLine.
var mayBeHappy = lazy.AnyOf("0 error", "no error", "0 fail", "no fail", "0 problem", "no problem", "0 issue", "no issue", "command failed", "command exited", "exit",
	"npm err", "elifecycle", "test result: ok", "at ", "warning", ": in ", "potentially fixable", "!!!", "fail 0")

func happy(line string) bool { return mayBeHappy(line) && happyLine().MatchString(line) }

// Telling returns the lines of a failed output that say what went wrong, in
// their order. Where speakers are named, only their messages count: the rest
// is the text of files that they print. Otherwise, if no line is telling, it
// is the last one where lastAnyway says so.
func Telling(output string, speakers []string, lastAnyway bool) []string {
	var strong, weak, rest []string
	for raw := range strings.SplitSeq(Plain(Edges(output)), "\n") {
		line := strings.TrimSpace(raw)
		line = strings.TrimSuffix(strings.TrimPrefix(line, "<tool_use_error>"), "</tool_use_error>")
		if len(line) < 4 || len(line) > maxLine || strings.IndexFunc(line, unicode.IsLetter) < 0 ||
			len(speakers) > 0 && !Spoken(line, speakers) {
			continue
		}
		rest = append(rest, line)
		switch {
		case mayBeStrong(line) && strongLine().MatchString(line):
			strong = append(strong, line)
		case mayBeWeak(line) && weakLine().MatchString(line):
			weak = append(weak, line)
		}
	}
	if lines := pick(unhappy(strong)); len(lines) > 0 {
		return lines
	}
	if lines := pick(unhappy(weak)); len(lines) > 0 {
		return lines
	}
	for _, line := range slices.Backward(rest) {
		if lastAnyway && !happy(line) {
			return []string{line}
		}
	}
	return nil
}

func unhappy(lines []string) []string { return slices.DeleteFunc(lines, happy) }

// mayBeStrong is the same for strongLine.
var mayBeStrong = lazy.AnyOf("panic: ", "fatal", "fail", "e   ", "not ok ", "error", "exception", "✗ ", "✖ ", "× ", "✕ ", "❌ ", "conflict ", "npm err! ",
	"assert", "command not found", "*** [", "overflowed its stack",
	":0", ":1", ":2", ":3", ":4", ":5", ":6", ":7", ":8", ":9", "(0", "(1", "(2", "(3", "(4", "(5", "(6", "(7", "(8", "(9")

// Spoken reports whether a line is a message of one of the programs, like
// "sed: can't read x" or "/bin/bash: line 2: …".
func Spoken(line string, speakers []string) bool {
	head, _, ok := strings.Cut(line, ":")
	return ok && slices.Contains(speakers, head[strings.LastIndexByte(head, '/')+1:])
}

// pick takes the first line and the last ones: compilers say the cause first,
// test runners and tracebacks last.
func pick(lines []string) []string {
	var out []string
	for _, l := range lines {
		if !slices.Contains(out, l) {
			out = append(out, l)
		}
		if len(out) > 2*maxTelling {
			out = slices.Delete(out, 1, 2)
		}
	}
	if n := len(out); n > maxTelling {
		out = append(out[:1:1], out[n-maxTelling+1:]...)
	}
	return out
}

// LastLine is the last line of an output that says something.
func LastLine(output string) string {
	plain := Plain(Edges(output))
	for {
		plain = strings.TrimRight(plain, " \t\r\n")
		i := strings.LastIndexByte(plain, '\n')
		line := strings.TrimSpace(plain[i+1:])
		if strings.IndexFunc(line, unicode.IsLetter) >= 0 && len(line) <= maxLine || i < 0 {
			return line
		}
		plain = plain[:i]
	}
}
