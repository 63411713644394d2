package tools

import (
	"path"
	"slices"
	"strings"

	"github.com/coppice-dev/coppice/internal/lazy"
)

// starters are programs whose work is to run what their arguments, or files of
// the project, say.
var starters = lazy.Words{
	"env", "xargs", "ssh", "sudo", "doas", "su", "runuser", "sh", "bash", "dash", "zsh", "ksh", "fish", "nohup", "nice", "ionice", "chrt", "taskset",
	"timeout", "time", "watch", "setsid", "stdbuf", "unbuffer", "script", "strace", "ltrace", "gdb", "lldb", "valgrind", "perf", "parallel", "entr",
	"flock", "chroot", "unshare", "nsenter", "systemd-run", "busybox", "toybox", "at", "batch", "crontab", "tmux", "screen", "expect", "eval", "exec",
	"command", "builtin", "source", ".", "trap", "alias", "make", "gmake", "cmake", "ninja", "meson", "bazel", "just", "task", "rake", "ant", "mvn",
	"mvnw", "gradle", "gradlew", "sbt", "npm", "npx", "yarn", "pnpm", "bun", "bunx", "deno", "node", "ts-node", "tsx", "python", "python2", "python3",
	"uv", "uvx", "pipx", "poetry", "pip", "pip3", "tox", "nox", "perl", "ruby", "bundle", "irb", "php", "composer", "lua", "Rscript", "julia", "awk",
	"gawk", "mawk", "nawk", "vi", "vim", "nvim", "emacs", "ed", "ex", "osascript", "pwsh", "powershell", "cmd", "docker", "podman", "kubectl", "nix",
	"nix-shell", "direnv", "ansible", "ansible-playbook", "terraform", "vagrant",
	"!", "setarch", "linux32", "linux64", "x86_64", "i386", "capsh", "setpriv", "prlimit", "run-parts", "start-stop-daemon", "sqlite3", "gcc", "cc", "g++", "clang", "split", "install", "dpkg", "scp", "sftp", "wget",
}

// starterWords returns the arguments by which another program starts some: words,
// and beginnings that end in "*".
func starterWords(program string) []string {
	switch program {
	case "find":
		return []string{"-exec", "-execdir", "-ok", "-okdir"}
	case "fd":
		return []string{"-x", "--exec", "-X", "--exec-batch"}
	case "go":
		return []string{"run", "test", "generate", "tool", "-exec*", "-toolexec*", "-vettool*"}
	case "cargo":
		return []string{"run", "test", "bench", "build", "check", "install", "r", "t", "b", "c"}
	case "tar":
		return []string{"--to-command*", "--checkpoint-action*", "-I*", "--use-compress-program*", "--rsh-command*", "-F*", "--info-script*", "--new-volume-script*"}
	case "rsync":
		return []string{"-e*", "--rsh*", "--rsync-path*"}
	case "sort":
		return []string{"--compress-program*"}
	case "rg":
		return []string{"--pre*", "--hostname-bin*"}
	case "man":
		return []string{"-P*", "--pager*", "-H*", "--html*"}
	case "zip":
		return []string{"-T*", "-TT*", "--unzip-command*"}
	case "curl":
		return []string{"-K*", "--config*"}
	case "gh":
		return []string{"alias", "extension", "codespace"}
	}
	return nil
}

// plainSed is a script of sed that prints, deletes or replaces and nothing else:
// sed can run commands, too.
var plainSed = lazy.Expr{Of: `^(?:[0-9$]+(?:,[0-9$]+)?)?(?:[pdq=]|s/[^/]*/[^/]*/[gpI0-9]*)$`}

// starts reports whether a command that is simple by the shell's syntax can
// still start another program, by what its own program does.
func starts(command string) bool {
	words := strings.Fields(command)
	if len(words) == 0 {
		return false
	}
	program := words[0]
	if strings.ContainsAny(program, `=\"'*?[{~`) { // a variable may change what is started; the rest hides a name
		return true
	}
	program = path.Base(program)
	switch program {
	case "sed":
		return !sedIsPlain(words[1:])
	case "git":
		return gitStarts(words[1:])
	}
	return starters.Has(program) || slices.ContainsFunc(words[1:], func(w string) bool { return startsBy(program, unquoted(w)) })
}

func startsBy(program, word string) bool {
	return slices.ContainsFunc(starterWords(program), func(s string) bool {
		beginning, open := strings.CutSuffix(s, "*")
		return word == s || open && strings.HasPrefix(word, beginning) || shortened(word, beginning)
	})
}

// gitStarters returns the arguments by which a subcommand of git starts
// programs. always: whatever its arguments are.
func gitStarters(subcommand string) (by []string, always bool) {
	switch subcommand {
	case "bisect":
		return []string{"run"}, false
	case "submodule":
		return []string{"foreach"}, false
	case "rebase":
		return []string{"-x", "--exec"}, false
	case "clone":
		return []string{"-u", "-c", "--config"}, false
	case "grep":
		return []string{"-O"}, false
	case "config", "notes", "replace", "archive", "ls-remote", "push", "fetch", "pull", "filter-branch", "difftool", "mergetool", "hook", "maintenance", "send-email", "daemon", "instaweb":
		return nil, true
	}
	return nil, false
}

// isGitOption reports whether a word starts programs whatever the subcommand is.
func isGitOption(word string) bool {
	return begins(word, []string{"--ext-diff", "--textconv", "--upload-pack", "--receive-pack", "--open-files-in-pager", "--exec-path", "--config-env"})
}

func begins(word string, options []string) bool {
	word = unquoted(word)
	return slices.ContainsFunc(options, func(o string) bool {
		return strings.HasPrefix(word, o) || shortened(word, o) || clusters(word, o)
	})
}

// gitStarts reports whether git may start a program. Before the subcommand,
// options that set the configuration can name any.
func gitStarts(args []string) bool {
	for i := 0; i < len(args); i++ {
		switch word := unquoted(args[i]); {
		case word == "-c" || isGitOption(word):
			return true
		case word == "-C" || word == "--git-dir" || word == "--work-tree" || word == "--namespace":
			i++
		case !strings.HasPrefix(word, "-"):
			rest := args[i+1:]
			by, always := gitStarters(word)
			return always || slices.ContainsFunc(rest, func(w string) bool { return isGitOption(w) || begins(w, by) })
		}
	}
	return false
}

// clusters reports whether a word joins short options, one of which is the given
// one: -nO for -O.
func clusters(word, option string) bool {
	return len(option) == 2 && option[0] == '-' && len(word) > 2 && word[0] == '-' && word[1] != '-' && strings.IndexByte(word, option[1]) > 0
}

// shortened reports whether a word is a long option without its end, as most
// programs accept it: --compress-prog for --compress-program.
func shortened(word, option string) bool {
	word, _, _ = strings.Cut(word, "=")
	return len(word) > len("--")+1 && strings.HasPrefix(word, "--") && strings.HasPrefix(option, word)
}

// unquoted removes what a shell removes from a word.
func unquoted(word string) string {
	return strings.NewReplacer(`"`, "", `'`, "", `\`, "").Replace(word)
}

// sedIsPlain reports whether each argument of sed is an option without effect on
// others, a plain script or, after one, a file.
func sedIsPlain(args []string) bool {
	script := false
	for _, a := range args {
		switch a = strings.Trim(a, `'"`); {
		case a == "-n" || a == "-E" || a == "-r" || a == "-i" || a == "-e":
		case strings.HasPrefix(a, "-"):
			return false
		case plainSed.Get().MatchString(a):
			script = true
		case !script:
			return false
		}
	}
	return script
}

// names reports whether a pattern names the program and the subcommand of a
// command literally: what a program that starts others is meant to start.
func names(pattern, command string) bool {
	p, c := strings.Fields(pattern), strings.Fields(command)
	return len(p) > 1 && len(c) > 1 && p[0] == c[0] && p[1] == c[1] && !strings.ContainsAny(p[0]+p[1], "*")
}
