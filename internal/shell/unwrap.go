package shell

import (
	"slices"
	"strings"
)

// maxNesting bounds scripts within scripts (bash -c "bash -c …").
const maxNesting = 3

// Commands returns the commands that a script runs, in order: Parse with
// keywords, assignments and wrappers (sudo, env, timeout 5) taken off the
// front of each command, and bash -c "…" replaced by what it runs.
func Commands(script string) []Command { return unwrap(Parse(script), 0) }

// Argv is Commands for a command that was given as a list of words.
func Argv(argv []string) []Command {
	c := Command{Source: strings.Join(argv, " ")}
	for _, w := range argv {
		c.Words = append(c.Words, Word{w, true})
	}
	return unwrap([]Command{c}, 0)
}

func unwrap(commands []Command, depth int) []Command {
	var out []Command
	for _, c := range commands {
		n := prefixLen(c.Words)
		for _, w := range c.Words[:n] {
			if name, _, ok := strings.Cut(w.Text, "="); ok && identifier(name) {
				c.Env = append(c.Env, w.Text)
			}
		}
		if c.Words = c.Words[n:]; n > 0 {
			c.Source = sourceFrom(c)
		}
		if script, ok := innerScript(c); ok && depth < maxNesting {
			inner := unwrap(Parse(script), depth+1)
			if len(inner) > 0 {
				inner[len(inner)-1].Then = c.Then
			}
			out = append(out, inner...)
			if len(c.Redirects) > 0 {
				out = append(out, Command{Redirects: c.Redirects, Then: c.Then})
			}
			continue
		}
		if len(c.Words) > 0 || len(c.Redirects) > 0 {
			out = append(out, c)
		}
	}
	return out
}

// sourceFrom finds the source of a command whose first words were taken off.
func sourceFrom(c Command) string {
	if len(c.Words) == 0 {
		return ""
	}
	if i := strings.Index(" "+c.Source, " "+c.Words[0].Text); i >= 0 {
		return c.Source[i:]
	}
	return c.Source
}

var keywords = []string{"if", "then", "else", "elif", "do", "while", "until", "!", "{", "}", "time", "sudo", "env", "nohup", "setsid",
	"command", "exec", "builtin", "nice", "fi", "done", "stdbuf", "timeout", "gtimeout", "unbuffer", "winpty"}

// valued are options of wrappers that take a word of their own.
var valued = map[string][]string{"sudo": {"-u", "-g"}, "nice": {"-n"}, "timeout": {"-s", "-k"}, "env": {"-u", "-C"}}

// prefixLen counts the words before the program.
func prefixLen(words []Word) int {
	i := 0
	for i < len(words) {
		w := words[i].Text
		name, _, assigned := strings.Cut(w, "=")
		switch {
		case assigned && identifier(name):
		case slices.Contains(keywords, w):
			for i+1 < len(words) && strings.HasPrefix(words[i+1].Text, "-") && w != "!" {
				if i++; slices.Contains(valued[w], words[i].Text) {
					i++
				}
			}
			if strings.HasSuffix(w, "timeout") && i+1 < len(words) {
				i++
			}
		default:
			return i
		}
		i++
	}
	return min(i, len(words))
}

// identifier reports whether s is a name as shells have them.
func identifier(s string) bool {
	for i, r := range s {
		if r != '_' && !(r >= 'a' && r <= 'z') && !(r >= 'A' && r <= 'Z') && !(i > 0 && r >= '0' && r <= '9') {
			return false
		}
	}
	return s != ""
}

// innerScript returns the script of bash -c and the like.
func innerScript(c Command) (string, bool) {
	if len(c.Words) < 3 || !slices.Contains([]string{"bash", "sh", "zsh", "dash", "ksh"}, c.Name()) {
		return "", false
	}
	for i, w := range c.Words[1 : len(c.Words)-1] {
		if !strings.HasPrefix(w.Text, "-") {
			return "", false
		}
		if !strings.HasPrefix(w.Text, "--") && strings.HasSuffix(w.Text, "c") {
			return c.Words[i+2].Text, true
		}
	}
	return "", false
}

// Operands returns the words that are not options; the value of a valued option
// is left out too.
func Operands(args []Word, valued ...string) []Word {
	var out []Word
	for i := 0; i < len(args); i++ {
		switch w := args[i]; {
		case w.Text == "--":
			return append(out, args[i+1:]...)
		case slices.Contains(valued, w.Text):
			i++
		case len(w.Text) > 1 && w.Text[0] == '-':
		default:
			out = append(out, w)
		}
	}
	return out
}
