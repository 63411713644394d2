package tools

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/coppice-dev/coppice/agent"
	"github.com/coppice-dev/coppice/internal/safetext"
)

const (
	maxMatches = 200
	maxNames   = 500
	maxLine    = 400 // characters of a line to show
)

// skipped are folders without source text.
var skipped = []string{".git", ".hg", ".svn", "node_modules"}

func (b box) grep() agent.Tool {
	return agent.Tool{Name: "grep", Parallel: true, Description: "Search files for a regular expression (RE2). Returns lines of the form path:line: text.",
		Parameters: parameters([3]string{"pattern", "string", "the expression"}, [3]string{"path?", "string", "file or folder to search"},
			[3]string{"glob?", "string", "only files whose name matches, e.g. *.go or cmd/**/*.go"}),
		Run: func(ctx context.Context, c agent.Call) (agent.Result, error) {
			var in struct {
				Pattern string `json:"pattern"`
				Path    string `json:"path"`
				Glob    string `json:"glob"`
			}
			if err := arguments(c.Arguments, &in); err != nil {
				return agent.Result{}, err
			}
			re, err := regexp.Compile(in.Pattern)
			if err != nil {
				return agent.Result{}, err
			}
			out := lister{max: maxMatches}
			out.passed, err = b.walk(ctx, "grep", in.Path, in.Glob, func(path, name string) error { return grepFile(path, name, re, &out) })
			return out.result(err)
		}}
}

// errEnough ends a walk that has found enough.
var errEnough = errors.New("enough")

// lister collects lines up to a limit.
type lister struct {
	max    int
	lines  []string
	passed int // files that the rules do not let read
}

func (l *lister) add(line string) error {
	if len(l.lines) == l.max {
		return errEnough
	}
	l.lines = append(l.lines, line)
	return nil
}

// nothingFound is the result of a search without a hit.
func nothingFound() agent.Result {
	r := agent.Text("nothing found")
	r.Empty = true
	return r
}

func (l *lister) result(err error) (agent.Result, error) {
	switch {
	case errors.Is(err, errEnough):
		l.lines = append(l.lines, fmt.Sprintf("[the first %d; there are more: narrow the search]", l.max))
	case err != nil:
		return agent.Result{}, err
	case len(l.lines)+l.passed == 0:
		return nothingFound(), nil
	}
	if l.passed > 0 {
		l.lines = append(l.lines, fmt.Sprintf("[not looked at, because the settings do not allow it: %d]", l.passed))
	}
	return agent.Text(strings.Join(l.lines, "\n")), nil
}

// grepFile adds the lines of a text file that match.
func grepFile(path, name string, re *regexp.Regexp, out *lister) error {
	f, err := os.Open(path)
	if err != nil {
		return nil // what cannot be read has no matches
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 64<<10)
	if start, _ := r.Peek(8 << 10); bytes.IndexByte(start, 0) >= 0 {
		return nil // not text
	}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 4<<20)
	for n := 1; lines.Scan(); n++ {
		if !re.Match(lines.Bytes()) {
			continue
		}
		text := safetext.Sanitize(strings.TrimRight(lines.Text(), "\r"))
		if err := out.add(fmt.Sprintf("%s:%d: %s", name, n, safetext.CutHead(text, maxLine))); err != nil {
			return err
		}
	}
	return nil // a line above four megabytes ends the search in the file: it is not source text
}

func (b box) find() agent.Tool {
	return agent.Tool{Name: "find", Parallel: true, Description: "List files by name, e.g. *.go or cmd/**/*_test.go.",
		Parameters: parameters([3]string{"pattern", "string", "the name; ** stands for any folders"}, [3]string{"path?", "string", "folder to look in"}),
		Run: func(ctx context.Context, c agent.Call) (agent.Result, error) {
			var in struct {
				Pattern string `json:"pattern"`
				Path    string `json:"path"`
			}
			if err := arguments(c.Arguments, &in); err != nil {
				return agent.Result{}, err
			}
			out := lister{max: maxNames}
			var err error
			out.passed, err = b.walk(ctx, "find", in.Path, in.Pattern, func(_, name string) error { return out.add(name) })
			return out.result(err)
		}}
}

// walk visits the regular files below path whose name matches glob ("": all),
// in the order of their names. name is relative to the project if the file is
// in it. Folders that cannot be read are skipped, and files that the rules do not
// let tool or read look at, which are counted.
func (b box) walk(ctx context.Context, tool, path, glob string, visit func(path, name string) error) (passed int, err error) {
	root := b.path(path)
	if _, err := os.Stat(root); err != nil {
		return 0, err
	}
	fits, err := matcher(glob)
	if err != nil {
		return 0, err
	}
	closed := b.closed(tool, root)
	err = filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			return nil //nolint:nilerr // passed over
		case d.IsDir() && p != root && isSkipped(d.Name()):
			return fs.SkipDir
		case !d.Type().IsRegular():
			return nil
		}
		rel, err := filepath.Rel(root, p)
		if err != nil || !fits(filepath.ToSlash(rel), d.Name()) {
			return nil //nolint:nilerr // passed over
		}
		name := p
		if in, err := filepath.Rel(b.Dir, p); err == nil && filepath.IsLocal(in) {
			name = filepath.ToSlash(in)
		}
		if closed(p) {
			passed++
			return nil
		}
		return visit(p, name)
	})
	return passed, err
}

// closed returns a function that reports whether the rules keep a file from a
// tool that walks: they deny it, or would ask about it.
func (b box) closed(tool, named string) func(path string) bool {
	rules := slices.DeleteFunc(slices.Concat(b.Rules.Deny, b.Rules.Ask), func(r Rule) bool { // those for whole tools are about the call
		_, pattern, _ := strings.Cut(strings.TrimSpace(string(r)), " ")
		return pattern == ""
	})
	return func(path string) bool {
		for _, t := range []string{tool, "read"} {
			if t == tool && path == named { // the call itself was decided by these
				continue
			}
			if _, found := (subject{tool: t, what: path, isPath: true, dir: b.Dir}).first(rules, false); found {
				return true
			}
		}
		return false
	}
}

func isSkipped(name string) bool {
	for _, s := range skipped {
		if s == name {
			return true
		}
	}
	return false
}

// matcher returns a function that matches files with a glob: by name, or by
// path if the glob has a slash.
func matcher(glob string) (func(rel, name string) bool, error) {
	if glob == "" {
		return func(string, string) bool { return true }, nil
	}
	var re strings.Builder
	re.WriteString(`^`)
	for rest := glob; rest != ""; {
		switch {
		case strings.HasPrefix(rest, "**/"):
			re.WriteString(`(?:.*/)?`)
			rest = rest[3:]
		case strings.HasPrefix(rest, "**"):
			re.WriteString(`.*`)
			rest = rest[2:]
		case rest[0] == '*':
			re.WriteString(`[^/]*`)
			rest = rest[1:]
		case rest[0] == '?':
			re.WriteString(`[^/]`)
			rest = rest[1:]
		default:
			n := strings.IndexAny(rest, "*?")
			if n < 0 {
				n = len(rest)
			}
			re.WriteString(regexp.QuoteMeta(rest[:n]))
			rest = rest[n:]
		}
	}
	compiled, err := regexp.Compile(re.String() + `$`)
	if err != nil {
		return nil, err
	}
	byPath := strings.Contains(glob, "/")
	return func(rel, name string) bool {
		if byPath {
			return compiled.MatchString(rel)
		}
		return compiled.MatchString(name)
	}, nil
}
