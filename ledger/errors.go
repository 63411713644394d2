package ledger

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/coppice-dev/coppice/internal/prefilter"
	"github.com/coppice-dev/coppice/internal/shell"
	"github.com/coppice-dev/coppice/message"
)

// maxErrorLine bounds a line of an error, in UTF-16 units; maxErrorLines says
// how many lines of one failure are kept.
const (
	maxErrorLine  = 240
	maxErrorLines = 3
	maxLine       = 1000 // bytes; what is longer is generated
)

var (
	// strongLine is a line that says by its form what went wrong: a panic, an
	// exception, a compiler's complaint, a failed test.
	strongLine = prefilter.MustCompile(`^\s*(?:panic: |fatal(?: error)?: |--- FAIL|FAIL[: \t]|FAILED |E   +\S|not ok |[Ee]rror(?:\[\w+\])?: |ERROR[: ]+\S|✗ |✖ |× |✕ |❌ )` +
		`|\b[A-Z]\w*(?:Error|Exception)\b(?::| \[)|\berror (?:TS|CS|C|LNK)\d+|^\S+?[:(]\d+(?:[:,]\d+)?\)?: |^\S+\.\w+:\d+:\d+|\b[Aa]ssert(?:ion)?\b.*\bfail|: command not found$`)
	// weakLine speaks of a failure.
	weakLine = prefilter.MustCompile(`(?i)\berror\b|\bfail(?:ed|ure|s|ing)?\b|cannot |can't |could not |couldn't |unable to|not found|no such |denied|undefined|unexpected|invalid|mismatch|refused|missing|does not exist|unresolved|unmatched|timed out|\bblocked\b|no matches|must be|\bexpected\b|issues? found|would reformat`)
	// happyLine speaks of failures that there are not, or only says that a
	// command failed.
	happyLine = prefilter.MustCompile(`(?i)\b(?:0|no) (?:errors?|fail\w*|problems?|issues?)\b|command (?:failed|exited)|exit(?:ed with)? (?:code|status)|^npm (?:ERR!|error) (?:code|path|location|workspace|errno|A complete|command|in workspace|lifecycle)|ELIFECYCLE|test result: ok|^\s*at |Warning\b|:\d+: in \S+$`)
	escapes   = regexp.MustCompile(`\x1b\[[0-9;?]*[ -/]*[@-~]`)
	// failedTests is what test runners print although a pipe hid their code.
	failedTests = prefilter.MustCompile(`(?m)^--- FAIL|^FAIL\b|^FAILED |\b[1-9]\d* (?:failed|failing|errors?)\b|error TS\d+|^panic: |^error(?:\[E\d+\])?: |: error: |\bAssertionError\b|Tests?:? .*\b[1-9]\d* failed`)
)

// checkers are programs whose output tells of failures whatever their code.
var checkers = []string{"go", "cargo", "npm", "pnpm", "yarn", "bun", "npx", "pytest", "tox", "tsc", "tsgo", "eslint", "biome", "jest",
	"vitest", "mocha", "make", "cmake", "ctest", "gradle", "gradlew", "mvn", "dotnet", "ruff", "mypy", "pyright", "golangci-lint", "rspec",
	"rake", "phpunit", "swift", "xcodebuild", "bazel", "uv", "poetry", "deno", "mise", "just", "rustc", "gcc", "g++", "clang", "javac"}

// checksFail reports whether a check, whose exit code a pipe hid, printed
// that it failed.
func checksFail(commands []shell.Command, output string) bool {
	for _, c := range commands {
		if c.Piped() && slices.Contains(checkers, c.Name()) {
			return failedTests.MatchString(edges(output))
		}
	}
	return false
}

// edges bounds how much of an output is read: its beginning and its end.
func edges(s string) string {
	const head, tail = 64 << 10, 64 << 10
	if len(s) <= head+tail {
		return s
	}
	return s[:head] + "\n" + s[len(s)-tail:]
}

// programs returns the names of the programs that commands run, and of the
// shells that may speak for them.
func programs(commands []shell.Command) []string {
	if len(commands) == 0 {
		return nil
	}
	names := []string{"bash", "zsh", "sh"}
	for _, c := range commands {
		if name := c.Name(); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// spoken reports whether a line is a message of one of the programs, like
// "sed: can't read x" or "/bin/bash: line 2: …".
func spoken(line string, speakers []string) bool {
	head, _, ok := strings.Cut(line, ":")
	return ok && slices.Contains(speakers, path.Base(head))
}

// telling returns the lines of a failed output that say what went wrong, in
// their order. Where speakers are named, only their messages count: the rest
// is the text of files that they print. Otherwise, if no line is telling,
// it is the last one where lastAnyway says so.
func telling(output string, speakers []string, lastAnyway bool) []string {
	var strong, weak []string
	last := ""
	for raw := range strings.SplitSeq(edges(output), "\n") {
		line := strings.TrimSpace(raw)
		if strings.IndexByte(line, '\x1b') >= 0 {
			line = strings.TrimSpace(escapes.ReplaceAllString(line, ""))
		}
		line = strings.TrimSuffix(strings.TrimPrefix(line, "<tool_use_error>"), "</tool_use_error>")
		if len(line) < 4 || len(line) > maxLine || strings.IndexFunc(line, isLetter) < 0 || happyLine.MatchString(line) ||
			len(speakers) > 0 && !spoken(line, speakers) {
			continue
		}
		last = line
		switch {
		case strongLine.MatchString(line):
			strong = append(strong, line)
		case weakLine.MatchString(line):
			weak = append(weak, line)
		}
	}
	lines := pick(strong)
	if len(lines) == 0 {
		lines = pick(weak)
	}
	lines = withTally(lines, last)
	if len(lines) == 0 && lastAnyway && last != "" {
		lines = []string{last}
	}
	for i, l := range lines {
		lines[i] = message.CutHead(l, maxErrorLine)
	}
	return lines
}

// tally is how a test runner counts at the end what failed.
var tally = prefilter.MustCompile(`\b[1-9]\d* (?:failed|failing|failures?|errors?|problems?)\b`)

// withTally puts the count of failures behind the lines, in the place of one
// from the middle where there is no room.
func withTally(lines []string, last string) []string {
	if len(lines) == 0 || slices.Contains(lines, last) || !tally.MatchString(last) {
		return lines
	}
	if len(lines) >= maxErrorLines {
		lines = slices.Delete(lines, 1, len(lines)-maxErrorLines+2)
	}
	return append(lines, last)
}

// pick takes the first line and the last ones: compilers say the cause first,
// test runners and tracebacks last.
func pick(lines []string) []string {
	var out []string
	for _, l := range lines {
		if !slices.Contains(out, l) {
			out = append(out, l)
		}
		if len(out) > 2*maxErrorLines {
			out = slices.Delete(out, 1, 2)
		}
	}
	if n := len(out); n > maxErrorLines {
		out = append(out[:1:1], out[n-maxErrorLines+1:]...)
	}
	return out
}
