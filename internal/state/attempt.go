package state

import (
	"github.com/coppice-dev/coppice/internal/lazy"
	"path"
	"slices"
	"strings"

	"github.com/coppice-dev/coppice/internal/shell"
)

// attempt is what a command is an attempt at: two runs of the same program on
// the same things are attempts at the same, however they are spelled.
type attempt struct {
	prog  string
	sub   string   // the subcommand or script: test, install, run build
	ops   []string // what it works on
	flags []string // those that change what it does
	dir   string
	env   []string
}

// key is what identifies an attempt.
func (a attempt) key() string {
	return strings.Join([]string{a.dir, strings.Join(a.env, " "), a.prog, a.sub, strings.Join(a.ops, " "), strings.Join(a.flags, " ")}, "\x1f")
}

// runners start another program: what they start counts.
var runners = table[int]{{"npx", 0}, {"bunx", 0}, {"pnpx", 0}, {"xvfb-run", 0}, {"cross-env", 0}, {"env", 0}, {"dotenv", 0}, {"watch", 0}, {"chronic", 0}, {"ionice", 0}, {"taskset", 1}, {"time", 0}}

// runnersOf start another program by a subcommand.
var runnersOf = table[[]string]{{"poetry", []string{"run"}}, {"uv", []string{"run"}}, {"pipenv", []string{"run"}}, {"pdm", []string{"run"}}, {"hatch", []string{"run"}}, {"rye", []string{"run"}}, {"bundle", []string{"exec"}},
	{"pnpm", []string{"exec", "dlx"}}, {"yarn", []string{"exec", "dlx"}}, {"npm", []string{"exec"}}, {"bun", []string{"x"}}, {"mise", []string{"exec", "x"}}, {"direnv", []string{"exec"}}, {"conda", []string{"run"}}, {"nix", []string{"run"}}}

// managers run the scripts of a JavaScript project; one stands for the other.
var managers = table[[]string]{
	{"npm", []string{"install", "i", "ci", "publish", "pack", "link", "audit", "outdated", "view", "ls", "init", "login", "whoami", "uninstall", "update", "config", "cache", "version"}},
	{"pnpm", []string{"install", "i", "add", "remove", "publish", "audit", "outdated", "why", "ls", "update", "store", "approve-builds"}},
	{"yarn", []string{"install", "add", "remove", "publish", "audit", "outdated", "why", "up", "upgrade"}},
	{"bun", []string{"install", "i", "add", "remove", "publish", "update", "link", "pm", "build"}},
}

// multi are programs whose first operand is a subcommand.
var multi = lazy.Words{"git", "cargo", "go", "docker", "podman", "kubectl", "gh", "pip", "uv", "poetry",
	"terraform", "dotnet", "mvn", "gradle", "gradlew", "swift", "deno", "composer", "mix", "helm", "aws",
	"gcloud", "az", "brew", "apt", "apt-get", "dnf", "yum", "apk", "pacman", "systemctl", "make", "just", "mise",
	"rake", "rails", "artisan", "bazel", "nx", "turbo", "lerna", "wrangler", "fly", "flyctl", "heroku",
	"vercel", "supabase", "prisma", "alembic", "flask", "pm2", "snap", "gem", "conda", "ansible", "vault", "redis-cli", "bundle",
	"ruff", "biome", "hg", "jj", "svn", "sl", "gt", "zig", "stack", "cabal", "sbt", "lein", "opam", "dune", "elixir"}

var aliases = table[string]{{"python3", "python"}, {"python2", "python"}, {"pip3", "pip"}, {"nodejs", "node"}, {"docker-compose", "docker"}, {"gmake", "make"}, {"py.test", "pytest"},
	{"gradlew", "gradle"}, {"mvnw", "mvn"}, {"pipx", "pip"}, {"py", "python"}}

// attemptOf reads what a command is an attempt at, from a working directory.
func attemptOf(c shell.Command, dir string) attempt {
	a := attempt{dir: dir, env: c.Env}
	words := make([]string, len(c.Words))
	for i, w := range c.Words {
		words[i] = w.Text
	}
	words = a.assigned(unrun(words))
	if len(words) == 0 {
		return a
	}
	a.prog = program(words[0])
	rest := words[1:]
	rest = a.script(rest)
	if multi.Has(a.prog) && a.sub == "" {
		for i, w := range rest {
			if (w == "-C" || w == "-c") && a.prog == "git" {
				continue
			}
			if !strings.HasPrefix(w, "-") && (i == 0 || rest[i-1] != "-C" && rest[i-1] != "-c") {
				a.sub, rest = w, slices.Concat(rest[:i:i], rest[i+1:])
				break
			}
		}
	}
	a.words(rest)
	return a
}

// assigned takes variables off that env or cross-env sets.
func (a *attempt) assigned(words []string) []string {
	for len(words) > 1 && strings.Contains(words[0], "=") && !strings.HasPrefix(words[0], "-") {
		a.env = append(slices.Clip(a.env), words[0])
		words = words[1:]
	}
	return unrun(words)
}

// program is a program's name without its folder and its version.
func program(word string) string {
	name := path.Base(strings.ReplaceAll(word, `\`, "/"))
	name = strings.TrimSuffix(strings.TrimSuffix(name, ".exe"), ".cmd")
	if strings.HasPrefix(name, "python") && strings.Trim(name[6:], "0123456789.") == "" {
		return "python"
	}
	if a := aliases.of(name); a != "" {
		return a
	}
	return name
}

// unrun takes programs off that start others: npx, poetry run, python -m.
func unrun(words []string) []string {
	for len(words) > 1 {
		name := program(words[0])
		skip, ok := runners.get(name)
		switch {
		case ok:
			words = words[1:]
			for len(words) > 0 && strings.HasPrefix(words[0], "-") || skip > 0 && len(words) > 0 {
				words, skip = words[1:], max(skip-1, 0)
			}
		case len(words) > 2 && slices.Contains(runnersOf.of(name), words[1]):
			words = words[2:]
			for len(words) > 1 && strings.HasPrefix(words[0], "-") {
				words = words[1:]
			}
		case name == "python" && words[1] == "-m" && len(words) > 2:
			return words[2:]
		case managers.of(name) != nil && !builtin(name, words[1]) && known(words[1]):
			words = words[1:] // pnpm vitest
		default:
			return words
		}
	}
	return words
}

// known reports whether a word is a program that package managers start by
// name.
func known(word string) bool {
	return contains(checkers, word) || word == "playwright" || word == "prisma"
}

func builtin(manager, word string) bool {
	return word == "run" || word == "test" || word == "start" || contains(managers.of(manager), word)
}

// script reads npm run X, npm test and the like: one script, whichever
// manager runs it.
func (a *attempt) script(rest []string) []string {
	if managers.of(a.prog) == nil || len(rest) == 0 {
		return rest
	}
	i := 0
	for i < len(rest) && strings.HasPrefix(rest[i], "-") {
		i++
		if i < len(rest) && slices.Contains([]string{"--filter", "-F", "-w", "--workspace", "--prefix", "-C", "--dir"}, rest[i-1]) {
			a.ops = append(a.ops, rest[i])
			i++
		}
	}
	if i >= len(rest) {
		return rest
	}
	switch w := rest[i]; {
	case w == "run" && i+1 < len(rest):
		a.prog, a.sub = "npm", rest[i+1]
		return rest[i+2:]
	case w == "test" || w == "start" || w == "t":
		a.prog, a.sub = "npm", w
		return rest[i+1:]
	case contains(managers.of(a.prog), w):
		if w == "i" || w == "add" || w == "ci" {
			w = "install"
		}
		a.prog, a.sub = "npm", w
		return rest[i+1:]
	default:
		a.prog, a.sub = "npm", w
		return rest[i+1:]
	}
}

// neutral are flags that change only what is printed, or how fast; with those of
// neutralWith a value comes.
var (
	neutral = []string{"-v", "-vv", "-q", "-qq", "-s", "--verbose", "--quiet", "--silent", "--no-color", "--progress", "--no-progress", "--no-cache", "--no-header", "--no-summary",
		"--bail", "-x", "--ci", "-race", "--watch", "--watchAll", "--runInBand", "--forceExit", "--nologo", "--no-audit", "--no-fund", "--cov", "--show-error", "-S", "-f", "-u", "--update",
		"-update", "--updateSnapshot", "--yes", "-y", "--no-input", "--locked", "--frozen-lockfile", "--immutable", "--workspaces", "--if-present", "--pretty", "-rf", "-ra", "--no-verify-ssl",
		"--fix", "-l", "-L", "-cover", "--coverage", "-benchmem", "--ff", "--failed-first", "-json", "--json"}
	neutralWith = []string{"-o", "-count", "--count", "-timeout", "--timeout", "--reporter", "-W", "--format", "--maxWorkers", "--max-workers", "--log-level", "--loglevel", "-j", "--jobs", "--tb",
		"--durations", "--maxfail", "--color", "--colour", "-coverprofile", "-cpuprofile", "-memprofile", "-benchtime", "--retries", "--workers", "-parallel"}
)

// hollow are flags with which a program does not do what it does without.
var hollow = []string{"--dry-run", "--dryrun", "-n", "--help", "-h", "--version", "-V", "--list", "--collect-only", "--co", "--no-run", "--listTests", "--list-tests", "--noop",
	"--what-if", "-WhatIf", "--simulate", "--preview", "--plan", "--validate", "--check-only", "--just-print", "--recon", "--no-op", "-list", "--print-only", "--syntax-check", "--no-commit", "--abort", "--show-only"}

// narrowing are flags that select a part by themselves; with those of
// narrowingTo the name of the part comes.
var (
	narrowing   = []string{"--lf", "--last-failed", "--lib", "--exact", "--only-failures", "--onlyFailures", "--changed", "--related", "-short", "--bins"}
	narrowingTo = []string{"-k", "-t", "-run", "--run", "--filter", "--grep", "-g", "--only", "--testNamePattern", "--test", "--package", "-p", "--testsuite",
		"--spec", "--include", "--tests", "-Dtest", "--bin", "--example", "--skip", "--ignore", "--deselect", "--exclude", "-m", "--group", "--shard", "-bench"}
)

// settingTo are flags whose value comes as a word of its own, and that change
// what is done.
var settingTo = []string{"-tags", "--tags", "--features", "-F", "--target", "--config", "-c", "--env", "-e", "--profile", "--project", "--platform", "--arch", "--mode", "--build-arg",
	"--python", "--browser", "--manifest-path", "--toolchain", "--registry", "--otp", "--tag", "-std", "--environment", "--stage", "--context", "--namespace", "--host", "--port", "--user",
	"--database", "-ldflags", "-gcflags", "-modfile", "-mod", "--settings", "--configuration", "-Xms", "-Xmx"}

// inline is in the place of a script that is part of the command.
const inline = "-"

// words parts the words after the program into flags and what it works on.
func (a *attempt) words(rest []string) {
	for i := 0; i < len(rest); i++ {
		w := rest[i]
		if w == "--" {
			continue
		}
		if !strings.HasPrefix(w, "-") || w == "-" && !contains(interpreters, a.prog) {
			a.ops = append(a.ops, strings.TrimSuffix(w, "/"))
			continue
		}
		if i == len(a.ops) && (w == "-" || w == "-c" || w == "-e" || w == "--eval" || w == "-p") && contains(interpreters, a.prog) {
			a.ops = []string{inline} // whatever it says: one attempt after the other
			return
		}
		name, value, has := strings.Cut(w, "=")
		if !has && (contains(neutralWith, name) || contains(narrowingTo, name) || contains(settingTo, name)) && i+1 < len(rest) && !strings.HasPrefix(rest[i+1], "-") {
			i++
			w, value = name+"="+rest[i], rest[i]
		}
		switch {
		case contains(hollow, name) && a.isHollow(name), contains(narrowing, name), contains(narrowingTo, name):
		case contains(neutral, name), contains(neutralWith, name), len(w) > 2 && w[1] != '-' && contains(neutralWith, w[:2]) && value == "":
			continue
		}
		a.flags = append(a.flags, w)
	}
	slices.Sort(a.flags)
}

// isHollow reports whether a flag is one with this program: -n means something
// else with most.
func (a *attempt) isHollow(name string) bool {
	return name != "-n" || contains([]string{"git", "make", "rsync", "ansible-playbook"}, a.prog)
}

func flagName(flag string) string {
	name, _, _ := strings.Cut(flag, "=")
	return name
}

// hollow reports whether the program did not do what it does without the
// flag.
func (a attempt) hollow() bool {
	return slices.ContainsFunc(a.flags, func(w string) bool { return contains(hollow, flagName(w)) && a.isHollow(flagName(w)) })
}

// selects are the flags that narrow what is worked on.
func (a attempt) selects() []string {
	return slices.DeleteFunc(slices.Clone(a.flags), func(w string) bool { return !a.narrows(w) })
}

func (a attempt) narrows(flag string) bool {
	return contains(narrowing, flagName(flag)) || contains(narrowingTo, flagName(flag))
}

// settings are the flags and the variables that say what is done, rather than to
// which part of it.
func (a attempt) settings() []string {
	return append(slices.DeleteFunc(slices.Clone(a.flags), func(w string) bool { return a.narrows(w) || contains(hollow, flagName(w)) && a.isHollow(flagName(w)) }), a.variables()...)
}

// dullVariables change where programs are found and what they print. A part of a
// name is enough.
var dullVariables = []string{"PATH", "CI", "COLOR", "PYTHONUNBUFFERED", "PYTHONDONTWRITE", "PYTHONWARNINGS", "BACKTRACE", "TERM", "PAGER", "LOG", "DEBUG", "VERBOSE", "HOME", "CACHE", "LANG",
	"LC_ALL", "TMPDIR", "VIRTUAL_ENV", "NODE_OPTIONS", "COLUMNS", "EDITOR", "FRONTEND", "TIMEOUT", "JOBS", "THREADS", "MAXPROCS", "NONINTERACTIVE", "TELEMETRY"}

// variables are the variables that change what a program does.
func (a attempt) variables() []string {
	return slices.DeleteFunc(slices.Clone(a.env), func(e string) bool {
		name, _, _ := strings.Cut(e, "=")
		return slices.ContainsFunc(dullVariables, func(d string) bool { return name == d || len(d) > 3 && strings.Contains(name, d) })
	})
}

// implies are subcommands whose success shows that others would succeed.
var implies = table[table[[]string]]{
	{"cargo", table[[]string]{{"test", []string{"build", "check"}}, {"run", []string{"build", "check"}}, {"build", []string{"check"}}, {"clippy", []string{"check"}},
		{"nextest", []string{"build", "check", "test"}}}},
	{"go", table[[]string]{{"test", []string{"build", "vet"}}, {"run", []string{"build"}}, {"install", []string{"build"}}, {"vet", []string{"build"}}}},
	{"swift", table[[]string]{{"test", []string{"build"}}, {"run", []string{"build"}}}},
	{"dotnet", table[[]string]{{"test", []string{"build"}}, {"run", []string{"build"}}}},
	{"mvn", table[[]string]{{"test", []string{"compile"}}, {"verify", []string{"test", "compile", "package"}}, {"install", []string{"test", "compile", "package", "verify"}}}},
	{"make", table[[]string]{{"all", []string{""}}, {"test", []string{"", "all", "build"}}, {"check", []string{"", "all", "build"}}}},
	{"npm", table[[]string]{{"test", []string{"t"}}, {"t", []string{"test"}}}},
}

// covers reports whether the success of a shows that the failure of b is
// overcome. failing are the things that b named as failing.
func (a attempt) covers(b attempt, failing []string) bool {
	if a.prog != b.prog || a.hollow() && !b.hollow() || a.dir != b.dir && a.dir != "" && b.dir != "" {
		return false
	}
	if a.sub != b.sub && !contains(implies.of(a.prog).of(a.sub), b.sub) {
		return false
	}
	if !slices.Equal(a.settings(), b.settings()) {
		return false
	}
	for _, w := range a.selects() {
		if !contains(b.flags, w) && !namesAll([]string{w}, failing) {
			return false
		}
	}
	if len(a.ops) == 0 {
		return true
	}
	if len(b.ops) == 0 {
		return everything(a.ops) || namesAll(a.ops, failing)
	}
	for _, op := range b.ops {
		if !slices.ContainsFunc(a.ops, func(w string) bool { return holds(w, op) }) {
			return namesAll(a.ops, failing)
		}
	}
	return true
}

// everything reports whether operands name all there is.
func everything(ops []string) bool {
	return slices.ContainsFunc(ops, func(w string) bool { return w == "." || w == "./..." || w == "..." || w == "*" })
}

// holds reports whether what an operand names is within what another names.
func holds(outer, inner string) bool {
	outer, inner = strings.TrimPrefix(outer, "./"), strings.TrimPrefix(inner, "./")
	if outer == inner || everything([]string{outer}) || outer == "" {
		return true
	}
	outer, tree := strings.CutSuffix(outer, "/...")
	inner = strings.TrimSuffix(inner, "/...")
	if i := strings.Index(inner, "::"); i > 0 && inner[:i] == outer {
		return true
	}
	return (tree && outer == inner) || strings.HasPrefix(inner, strings.TrimSuffix(outer, "/")+"/")
}

// namesAll reports whether operands or selectors name everything that failed.
func namesAll(ops, failing []string) bool {
	if len(failing) == 0 {
		return false
	}
	for _, name := range failing {
		if !slices.ContainsFunc(ops, func(op string) bool {
			_, value, ok := strings.Cut(op, "=")
			if ok && strings.HasPrefix(op, "-") {
				op = strings.Trim(value, "^$'\"")
			}
			op = strings.TrimPrefix(op, "./")
			return op != "" && (strings.Contains(name, op) || strings.Contains(op, name))
		}) {
			return false
		}
	}
	return true
}
