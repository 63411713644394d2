package tools

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/coppice-dev/coppice/internal/valid"
)

// Rules decide about calls before anyone is asked. Deny beats Ask, and Ask
// beats Allow.
//
// A rule is the name of a tool, "*" standing for any characters in it, or a
// tool and a pattern with a space between them:
//
//	bash git *        commands that begin with the word git
//	write docs/**     files below docs in the project
//	read *.env        files of such a name
//	read /etc/*       files in a folder outside the project
//
// In a command "*" stands for anything. In a path "*" and "?" stay within a
// folder and "**" does not; a pattern without a slash is for names. For other
// tools the pattern is for the JSON of the arguments.
//
// To allow, a rule has to hold in every reading of the call: a path with and
// without its links followed, inside the project unless the pattern is
// absolute; a command only where nothing in it can start another one, or word
// for word. Programs that start others (make, env, git -c, find -exec, go run)
// need a rule that names program and subcommand, such as "bash make test". To ask or
// deny, one reading is enough, so each part of a command is
// looked at. That catches mistakes; what a shell can be talked into is only
// stopped by denying bash.
type Rules struct {
	Default Verdict `json:"default"` // for calls that need permission and match no rule
	Allow   []Rule  `json:"allow"`
	Ask     []Rule  `json:"ask"`
	Deny    []Rule  `json:"deny"`

	// HiddenEnv names environment variables that commands do not get, "*" standing
	// for any characters.
	HiddenEnv []string `json:"hiddenEnv"`
}

// EnsureDefaults sets every unset field to its default.
func (r *Rules) EnsureDefaults() {
	r.Default = cmp.Or(r.Default, Asked)
	if r.HiddenEnv == nil {
		r.HiddenEnv = []string{"*_API_KEY"}
	}
}

// Validate returns an error that names the fields with wrong values.
func (r Rules) Validate() error {
	errs := []error{valid.OneOf("default", r.Default, r.Default.Values())}
	for _, list := range []struct {
		name  string
		rules []Rule
	}{{"allow", r.Allow}, {"ask", r.Ask}, {"deny", r.Deny}} {
		for i, rule := range list.rules {
			errs = append(errs, valid.Below(fmt.Sprintf("%s[%d]", list.name, i), rule.Validate()))
		}
	}
	return errors.Join(errs...)
}

// Rule matches calls.
type Rule string

// Validate says what is wrong with the rule.
func (r Rule) Validate() error {
	if strings.TrimSpace(string(r)) == "" {
		return valid.Wrong("", "must name a tool")
	}
	return nil
}

// subject is what rules compare of a call.
type subject struct {
	tool, what string
	isPath     bool
	dir        string // the project
}

// first returns the first rule that matches a call.
func (s subject) first(rules []Rule, allow bool) (string, bool) {
	i := slices.IndexFunc(rules, func(rule Rule) bool { return s.fits(string(rule), allow) })
	if i < 0 {
		return "", false
	}
	return strings.TrimSpace(string(rules[i])), true
}

func (s subject) fits(rule string, allow bool) bool {
	tool, pattern, _ := strings.Cut(strings.TrimSpace(rule), " ")
	pattern = strings.TrimSpace(pattern)
	switch ok, err := path.Match(tool, s.tool); {
	case err != nil || !ok:
		return false
	case pattern == "" || pattern == "*":
		return true
	case s.isPath:
		return s.fitsPath(pattern, allow)
	case s.tool == "bash":
		return fitsCommand(pattern, s.what, allow)
	}
	return fitsText(pattern, s.what)
}

// fitsPath compares the path as written and with its links followed.
func (s subject) fitsPath(pattern string, allow bool) bool {
	if strings.HasSuffix(pattern, "/") {
		pattern += "**"
	}
	fits, err := matcher(strings.TrimPrefix(filepath.ToSlash(pattern), "./"))
	if err != nil {
		return false
	}
	one := func(dir, p string) bool {
		name := filepath.ToSlash(p)
		if filepath.IsAbs(pattern) {
			return fits(name, path.Base(name))
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil || !filepath.IsLocal(rel) {
			return !allow && !strings.Contains(pattern, "/") && fits("", path.Base(name))
		}
		return fits(filepath.ToSlash(rel), path.Base(name))
	}
	written := one(s.dir, s.what)
	realDir, ok := follow(s.dir)
	realPath, ok2 := follow(s.what)
	if !ok || !ok2 {
		return !allow && written
	}
	if allow {
		return written && one(realDir, realPath)
	}
	return written || one(realDir, realPath)
}

func fitsCommand(pattern, command string, allow bool) bool {
	command = strings.TrimSpace(command)
	if command == pattern {
		return true
	}
	if allow {
		return simple(command) && fitsText(pattern, command) && (!starts(command) || names(pattern, command))
	}
	parts := strings.FieldsFunc(command, func(c rune) bool { return strings.ContainsRune(joints, c) })
	return slices.ContainsFunc(append(parts, command), func(part string) bool { return fitsText(pattern, strings.TrimSpace(part)) })
}

// joints are the characters that separate commands in a shell.
const joints = ";&|`$()<>\n\r"

// simple reports whether a command cannot start others by the shell's syntax.
func simple(command string) bool { return !strings.ContainsAny(command, joints) }

// fitsText matches with "*" for anything; at the end after a space also for
// nothing.
func fitsText(pattern, text string) bool {
	pattern, open := strings.CutSuffix(pattern, " *")
	parts := strings.Split(pattern, "*")
	for i, p := range parts {
		parts[i] = regexp.QuoteMeta(p)
	}
	end := "$"
	if open {
		end = `(?:\s.*)?$`
	}
	re, err := regexp.Compile(`(?s)^` + strings.Join(parts, ".*") + end)
	return err == nil && re.MatchString(text)
}
