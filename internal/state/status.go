package state

import (
	"slices"
	"strconv"
	"strings"

	"github.com/coppice-dev/coppice/internal/outcome"
	"github.com/coppice-dev/coppice/internal/shell"
)

// status is how one command of a script ended.
type status int

const (
	unknown status = iota // hidden by a pipe, a sign or the background
	succeeded
	failedRun
	notRun
	background
)

// statuses tells from the result of a script how each of its commands ended.
// The exit code is that of the last command that ran; what came before it is
// known only as far as the signs between them tell.
func statuses(commands []shell.Command, r outcome.Result) []status {
	out := make([]status, len(commands))
	if len(commands) == 0 || r.Stopped || r.Running != "" {
		return out
	}
	pipefail, errexit := options(commands)
	last := len(commands) - 1
	for last > 0 && len(commands[last].Words) == 0 { // a redirection alone
		last--
	}
	ends := pipelines(commands[:last+1])
	final := len(ends) - 1
	begin := chainStart(commands, ends, final)
	for p, end := range ends {
		start := 0
		if p > 0 {
			start = ends[p-1] + 1
		}
		s := unknown
		switch {
		case commands[end].Then == "&":
			for i := start; i <= end; i++ {
				out[i] = background
			}
			continue
		case p >= begin && !r.Failed:
			s = succeeded
		case p < begin && errexit && !r.Failed:
			s = succeeded
		}
		if s == succeeded && (commands[end].Then == "||" || p > 0 && commands[ends[p-1]].Then == "||") {
			s = unknown // a || b: one of them failed, or b did not run
		}
		for i := start; i <= end; i++ {
			if i == end || pipefail {
				out[i] = s
			}
		}
	}
	if r.Failed {
		blame(commands, out, ends, begin, pipefail, r)
	}
	return out
}

// options reads what set tells the shell: pipefail, and to end at the first
// failure.
func options(commands []shell.Command) (pipefail, errexit bool) {
	for _, c := range commands {
		if c.Name() != "set" {
			continue
		}
		for _, w := range c.Args() {
			pipefail = pipefail || w.Text == "pipefail"
			errexit = errexit || strings.HasPrefix(w.Text, "-") && strings.Contains(w.Text, "e") && !strings.HasPrefix(w.Text, "--")
		}
	}
	return pipefail, errexit
}

// pipelines returns the index of the last command of each pipeline.
func pipelines(commands []shell.Command) []int {
	var ends []int
	for i, c := range commands {
		if !c.Piped() || i == len(commands)-1 {
			ends = append(ends, i)
		}
	}
	return ends
}

// chainStart is the first pipeline of the chain of && and || that the last one
// ends.
func chainStart(commands []shell.Command, ends []int, final int) int {
	p := final
	for p > 0 {
		then := commands[ends[p-1]].Then
		if then != "&&" && then != "||" {
			break
		}
		p--
	}
	return p
}

// blame finds which command of a failed chain failed: the one that speaks in
// the output, else the last that does not just look around. Those before it were done,
// those after it were not.
func blame(commands []shell.Command, out []status, ends []int, begin int, pipefail bool, r outcome.Result) {
	guilty := -1
	lines := strings.Split(outcome.Plain(outcome.Edges(r.Body)), "\n")
	for p := len(ends) - 1; p >= begin && guilty < 0; p-- {
		if name := commands[ends[p]].Name(); name != "" && speaks(name, lines) {
			guilty = p
		}
	}
	if guilty < 0 {
		guilty = lastRun(commands, ends, begin, r.Body)
	}
	if guilty < 0 {
		guilty = len(ends) - 1
	}
	for p := begin; p < len(ends); p++ {
		start := 0
		if p > 0 {
			start = ends[p-1] + 1
		}
		for i := start; i <= ends[p]; i++ {
			switch {
			case p < guilty && commands[ends[p]].Then == "&&":
				if i == ends[p] || pipefail {
					out[i] = succeeded
				}
			case p == guilty && (i == ends[p] || pipefail):
				out[i] = failedRun
			case p > guilty && commands[ends[guilty]].Then == "&&":
				out[i] = notRun
			}
		}
	}
}

// lastRun is the last notable command of a chain of which the output shows that
// it ran; where it shows nothing, the last one, or the first of several runs of
// one program.
func lastRun(commands []shell.Command, ends []int, begin int, body string) int {
	var all []int
	same := true
	for p := begin; p < len(ends); p++ {
		if c := commands[ends[p]]; notable(c) {
			all = append(all, p)
			same = same && c.Name() == commands[ends[all[0]]].Name()
		}
	}
	if len(all) == 0 {
		return -1
	}
	tally, counted := outcome.Count(body)
	tested := counted && (tally.Tests || len(tally.Failing) > 0)
	text := outcome.Plain(outcome.Edges(body))
	for _, p := range slices.Backward(all) {
		a := attemptOf(commands[ends[p]], "")
		switch {
		case tests(a) && (tested || strings.Contains(text, "FAIL")), !tests(a) && a.sub != "" && speaksOf(text, a.sub):
			return p
		case tests(a) || same:
			continue
		}
		return p
	}
	return all[0]
}

// tests reports whether an attempt runs tests, and says how many.
func tests(a attempt) bool {
	return a.sub == "test" || contains([]string{"pytest", "jest", "vitest", "mocha", "rspec", "phpunit", "ctest", "ava"}, a.prog)
}

// named finds commands whose outcome nothing tells but the output, by their
// names: "make: *** [Makefile:7: lint] Error 1".
func named(commands []shell.Command, body string, out []status) {
	for i, c := range commands {
		if out[i] != unknown || len(c.Args()) == 0 {
			continue
		}
		sub := attemptOf(c, "").sub
		for line := range strings.Lines(body) {
			if c.Name() == "make" && sub != "" && strings.HasPrefix(line, "make: *** [") && strings.Contains(line, ": "+sub+"] Error") {
				out[i] = failedRun
			}
		}
	}
}

// speaks reports whether a program says in the output what is wrong: "rm:
// cannot remove …".
func speaks(name string, lines []string) bool {
	for _, l := range lines {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(l), name+": "); ok && rest != "" {
			return true
		}
		if name == "git" && (strings.HasPrefix(l, "fatal: ") || strings.HasPrefix(l, "error: ") || strings.HasPrefix(l, "CONFLICT ")) {
			return true
		}
	}
	return false
}

// echoed reads exit codes that a script prints itself: echo "exit: $?".
func echoed(commands []shell.Command, body string, out []status) {
	for i, c := range commands {
		if i == 0 || c.Name() != "echo" && c.Name() != "printf" {
			continue
		}
		for _, w := range c.Args() {
			variable := "$?"
			if strings.Contains(w.Text, "${PIPESTATUS[0]}") {
				variable = "${PIPESTATUS[0]}"
			}
			before, after, ok := strings.Cut(w.Text, variable)
			if !ok {
				continue
			}
			if n, ok := printed(body, before, after); ok {
				at := i - 1
				if variable != "$?" {
					for at > 0 && commands[at-1].Piped() {
						at--
					}
				}
				if out[at] = succeeded; n != 0 {
					out[at] = failedRun
				}
			}
		}
	}
}

// printed finds the number between two texts on a line of its own.
func printed(body, before, after string) (int, bool) {
	for line := range strings.Lines(body) {
		line = strings.TrimSpace(line)
		rest, ok := strings.CutPrefix(line, strings.TrimSpace(before))
		if !ok {
			continue
		}
		rest = strings.TrimSpace(strings.TrimSuffix(rest, strings.TrimSpace(after)))
		if n, err := strconv.Atoi(rest); err == nil {
			return n, true
		}
	}
	return 0, false
}

// checkers are programs whose output tells of failures whatever their code.
var checkers = []string{"go", "cargo", "npm", "pnpm", "yarn", "bun", "npx", "pytest", "tox", "nox", "tsc", "tsgo", "eslint", "biome", "jest", "prettier", "stylelint",
	"vitest", "mocha", "ava", "make", "cmake", "ninja", "ctest", "gradle", "mvn", "dotnet", "ruff", "mypy", "pyright", "flake8", "pylint", "golangci-lint", "staticcheck", "rspec", "rubocop",
	"rake", "phpunit", "phpstan", "pest", "swift", "xcodebuild", "bazel", "deno", "mise", "just", "rustc", "gcc", "g++", "clang", "javac", "unittest", "playwright", "cypress", "mix", "sbt", "zig",
	"shellcheck", "hadolint", "terraform", "docker", "node", "python", "ruby", "php", "perl", "nx", "turbo", "vite", "webpack", "rollup", "esbuild", "next", "astro", "black", "isort", "tape"}

// bad and good are what programs print at the end whatever became of their
// exit code.
var (
	badSigns = []string{"make: ***", "make[1]: ***", "npm ERR!", "npm error", "ELIFECYCLE", "BUILD FAILED", "FAILURE: Build failed", "Traceback (most recent call last)", "panic: ",
		"Command failed with exit code", "Segmentation fault", "fatal: ", "error: could not compile", "error TS", "Build failed", "build failed", "ERROR: ", "\nError: ", "\nerror: ", "\nerror[", "\nFAIL", "--- FAIL", "CONFLICT (", "SyntaxError: ", "AssertionError", ": command not found", ": error: ", ": fatal error: ", "Failed\n"}
	goodSigns = []string{"BUILD SUCCESS", "All checks passed", "no issues found", "Success: ", "0 errors", "All files pass", "All matched files use", "Compiled successfully", "Build succeeded", "build finished", "Finished `", "    Finished ", "Done in ", "Already up to date", "built in "}
)

// verdict reads off an output whether a check failed; known is false where it
// does not tell.
func verdict(body string) (bad, known bool) {
	if t, ok := outcome.Count(body); ok && (t.Tests || t.Bad()) {
		return t.Bad(), true
	}
	text := "\n" + outcome.Plain(outcome.Edges(body)) + "\n"
	for _, s := range badSigns {
		if strings.Contains(text, s) {
			return true, true
		}
	}
	for _, s := range goodSigns {
		if strings.Contains(text, s) {
			return false, true
		}
	}
	return false, false
}
