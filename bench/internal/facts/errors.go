package facts

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/coppice-dev/coppice/internal/lazy"
	"github.com/coppice-dev/coppice/internal/safetext"
	"github.com/coppice-dev/coppice/internal/shell"
)

// maxErrorLine bounds a line of an error, in UTF-16 units; maxErrorLines says
// how many lines of one failure are kept.
const (
	maxErrorLine  = 240
	maxErrorLines = 3
	maxLine       = 1000 // bytes; longer lines are generated text
)

var (
	// A strong line shows by its form what went wrong: a panic, an exception,
	// a compiler error, a failed test.
	strong = lazy.Regexp(`^\s*(?:panic: |fatal(?: error)?: |--- FAIL|FAIL[: \t]|FAILED |E   +\S|not ok |[Ee]rror(?:\[\w+\])?: |ERROR[: ]+\S|[✗✖×✕❌] )` +
		`|\b[A-Z]\w*(?:Error|Exception)\b(?::| \[)|\berror (?:TS|CS|C|LNK)\d+|\b[Aa]ssert(?:ion)?\b.*\bfail|: command not found$|^\S+?[:(]\d+(?:[:,]\d+)?\)?: |^\S+\.\w+:\d+:\d+`)
	// weakLine mentions a failure.
	weakLine = lazy.Regexp(`(?i)\berror\b|\bfail(?:ed|ure|s|ing)?\b|cannot |can't |could not |couldn't |unable to|not found|no such |denied|undefined|unexpected|invalid|mismatch|refused|missing|does not exist|unresolved|unmatched|timed out|\bblocked\b|no matches|must be|\bexpected\b|issues? found|would reformat`)
	// A harmless line says that there were no failures, or only that a command
	// failed.
	harmless = lazy.Regexp(`(?i)\b(?:0|no) (?:errors?|fail\w*|problems?|issues?)\b|command (?:failed|exited)|exit(?:ed with)? (?:code|status)|^npm (?:ERR!|error) (?:code|path|location|workspace|errno|A complete|command|in workspace|lifecycle)|ELIFECYCLE|test result: ok|Warning\b|^\s*at |:\d+: in \S+$`)
	escapes  = lazy.Regexp(`\x1b\[[0-9;?]*[ -/]*[@-~]`)
	// failedTests is what test runners print even if a pipe hid their exit
	// code.
	failedTests = lazy.Regexp(`(?m)^--- FAIL|^FAIL\b|^FAILED |\b[1-9]\d* (?:failed|failing|errors?)\b|error TS\d+|^panic: |^error(?:\[E\d+\])?: |: error: |\bAssertionError\b|Tests?:? .*\b[1-9]\d* failed`)
)

// checkers are programs whose output reports failures even if their exit code
// does not.
var checkers = []string{"go", "cargo", "npm", "pnpm", "yarn", "bun", "npx", "pytest", "tox", "tsc", "tsgo", "eslint", "biome", "jest",
	"vitest", "mocha", "make", "cmake", "ctest", "gradle", "gradlew", "mvn", "dotnet", "ruff", "mypy", "pyright", "golangci-lint", "rspec",
	"rake", "phpunit", "swift", "xcodebuild", "bazel", "uv", "poetry", "deno", "mise", "just", "rustc", "gcc", "g++", "clang", "javac"}

// checksFail reports whether a check printed that it failed, although a pipe
// hid its exit code.
func checksFail(commands []shell.Command, output string) bool {
	for _, c := range commands {
		if c.Piped() && slices.Contains(checkers, c.Name()) {
			return failedTests().MatchString(edges(output))
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

// spoken reports whether a line is a message from one of the programs, like
// "sed: can't read x" or "/bin/bash: line 2: …".
func spoken(line string, speakers []string) bool {
	head, _, ok := strings.Cut(line, ":")
	return ok && slices.Contains(speakers, path.Base(head))
}

// telling returns the lines of a failed output that say what went wrong, in
// order. If speakers are given, only their messages count, because the rest is
// the text of files that they print. Otherwise, if no line says it, the last
// one is returned if lastAnyway is set.
func telling(output string, speakers []string, lastAnyway bool) []string {
	var form, words []string // the lines that say it by their form, and the ones that say it by their words
	all := outputLines(output, speakers)
	for _, line := range all {
		switch {
		case strong().MatchString(line):
			if !harmless().MatchString(line) {
				form = append(form, line)
			}
		case weakLine().MatchString(line):
			if !harmless().MatchString(line) {
				words = append(words, line)
			}
		}
	}
	lines := pick(form)
	if len(lines) == 0 {
		lines = pick(words)
	}
	last := lastUnhappy(all)
	lines = withTally(lines, last)
	if len(lines) == 0 && lastAnyway && last != "" {
		lines = []string{last}
	}
	for i, l := range lines {
		lines[i] = safetext.CutHead(l, maxErrorLine)
	}
	return lines
}

// outputLines are the lines of an output that may be worth quoting.
func outputLines(output string, speakers []string) []string {
	var out []string
	for raw := range strings.SplitSeq(edges(output), "\n") {
		line := strings.TrimSpace(raw)
		if strings.IndexByte(line, '\x1b') >= 0 {
			line = strings.TrimSpace(escapes().ReplaceAllString(line, ""))
		}
		line = strings.TrimSuffix(strings.TrimPrefix(line, "<tool_use_error>"), "</tool_use_error>")
		if len(line) >= 4 && len(line) <= maxLine && strings.IndexFunc(line, unicode.IsLetter) >= 0 && (len(speakers) == 0 || spoken(line, speakers)) {
			out = append(out, line)
		}
	}
	return out
}

// lastUnhappy returns the last line that does not report success.
func lastUnhappy(lines []string) string {
	for _, line := range slices.Backward(lines) {
		if !harmless().MatchString(line) {
			return line
		}
	}
	return ""
}

// tally matches a test runner's final count of failures.
var tally = lazy.Regexp(`\b[1-9]\d* (?:failed|failing|failures?|errors?|problems?)\b`)

// withTally adds the count of failures after the lines, replacing one from the
// middle if there is no room.
func withTally(lines []string, last string) []string {
	if len(lines) == 0 || slices.Contains(lines, last) || !tally().MatchString(last) {
		return lines
	}
	if len(lines) >= maxErrorLines {
		lines = slices.Delete(lines, 1, len(lines)-maxErrorLines+2)
	}
	return append(lines, last)
}

// pick takes the first line and the last ones: compilers print the cause
// first, test runners and tracebacks print it last.
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
