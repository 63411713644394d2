package docs

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coppice-dev/coppice/internal/cli"
)

// go test ./docs -update writes what the commands print now into the documents.
var update = flag.Bool("update", false, "write the documents' outputs, tables and code anew")

// shell runs the commands that a document shows, one after the other in a
// folder with the sample session. Its home has a session of Claude Code.
type shell struct {
	t   *testing.T
	dir string
}

func newShell(t *testing.T) shell {
	t.Helper()
	dir := t.TempDir()
	sample, err := os.ReadFile(filepath.FromSlash("../examples/sample-session.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "examples"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "examples", "sample-session.jsonl"), sample, 0o600); err != nil {
		t.Fatal(err)
	}
	other, err := os.ReadFile(filepath.FromSlash("../convert/claudecode/testdata/answers.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	old := filepath.Join(dir, "home", ".claude", "projects", "-srv-shop")
	if err := errors.Join(os.MkdirAll(old, 0o700), os.WriteFile(filepath.Join(old, "7d1c2f34.jsonl"), other, 0o600)); err != nil {
		t.Fatal(err)
	}
	return shell{t, dir}
}

var words = regexp.MustCompile(`"[^"]*"|'[^']*'|\S+`)

// run runs a line as a reader would type it: coppice with arguments, or echo
// piped into it. It returns what both outputs get.
func (s shell) run(line string) string {
	s.t.Helper()
	out, _ := s.exec(line)
	return out
}

func (s shell) exec(line string) (output string, code int) {
	s.t.Helper()
	temp := s.t.TempDir()
	line = strings.ReplaceAll(line, "$(mktemp -d)", filepath.ToSlash(temp))
	input, command, piped := strings.Cut(line, " | ")
	if !piped {
		input, command = "", line
	}
	var args []string
	for _, w := range words.FindAllString(command, -1) {
		if rest, ok := strings.CutPrefix(w, "~/"); ok {
			w = filepath.Join(s.dir, "home", filepath.FromSlash(rest))
		}
		args = append(args, strings.Trim(w, `"'`))
	}
	switch {
	case len(args) > 0 && args[0] == "coppice":
		args = args[1:]
	case len(args) > 2 && slices.Equal(args[:3], []string{"go", "run", "./cmd/coppice"}):
		args = args[3:]
	default:
		s.t.Fatalf("%s: not a command of coppice", line)
	}
	var out bytes.Buffer
	home := map[string]string{"HOME": filepath.Join(s.dir, "home"), "XDG_DATA_HOME": filepath.Join(s.dir, "home", "data"),
		"XDG_CONFIG_HOME": filepath.Join(s.dir, "home", "config")}
	code = cli.Run(context.Background(), cli.Env{Args: args, In: strings.NewReader(strings.Trim(strings.TrimPrefix(input, "echo "), `"'`)),
		Out: &out, Err: &out, Getenv: func(k string) string { return home[k] }, Dir: s.dir, Now: time.Now, Version: "(devel)"})
	return strings.NewReplacer(temp, "/tmp/tmp.k3Vq9xLb0W", s.dir+string(filepath.Separator), "").Replace(out.String()), code
}

// What differs from run to run: durations and drawn ids.
var varying = []struct {
	re *regexp.Regexp
	as string
}{
	{regexp.MustCompile(`\bin [0-9.]+(ms|s)\b`), "in TIME"},
	{regexp.MustCompile(`\b(as|compaction) [0-9a-f]{16}\b`), "$1 ID"},
}

func steady(s string) string {
	for _, v := range varying {
		s = v.re.ReplaceAllString(s, v.as)
	}
	return strings.TrimRight(s, "\n ")
}

// matches compares an output with what a document shows; a line "…" stands
// for any lines.
func matches(shown, got string) bool {
	pattern := regexp.QuoteMeta(steady(shown))
	pattern = regexp.MustCompile(`(?m)^…$`).ReplaceAllString(pattern, `(?s:.*)`)
	return regexp.MustCompile(`\A` + pattern + `\z`).MatchString(steady(got))
}

// documents are all pages for people.
func documents(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	return append(files, filepath.FromSlash("../README.md"), filepath.FromSlash("../CONTRIBUTING.md"), filepath.FromSlash("../examples/README.md"))
}

var shownFile = regexp.MustCompile("(?ms)^<!-- file: (\\S+) -->\n```\\w+\n(.*?)^```$")

// writeFiles puts the files that a document shows into the shell's folder, as
// programs where they are scripts.
func (s shell) writeFiles(doc string) {
	s.t.Helper()
	for _, m := range shownFile.FindAllStringSubmatch(doc, -1) {
		path := filepath.Join(s.dir, filepath.FromSlash(m[1]))
		if runtime.GOOS == "windows" {
			s.t.Skip("needs a Unix shell, in which the document shows programs")
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(m[2]), 0o700)); err != nil {
			s.t.Fatal(err)
		}
	}
}

var console = regexp.MustCompile("(?ms)^```console\n(.*?)^```$")

// Each console block shows what its commands print.
func TestConsoleBlocks(t *testing.T) {
	for _, file := range documents(t) {
		t.Run(filepath.Base(filepath.Dir(file))+"/"+filepath.Base(file), func(t *testing.T) {
			sh := newShell(t)
			doc, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			sh.writeFiles(string(doc))
			rewrite(t, file, console, func(m []string) string {
				var out strings.Builder
				out.WriteString("```console\n")
				for _, step := range regexp.MustCompile(`(?m)^\$ `).Split(m[1], -1)[1:] {
					command, shown, _ := strings.Cut(step, "\n")
					got := sh.run(command)
					if matches(shown, got) {
						got = shown
					}
					fmt.Fprintf(&out, "$ %s\n%s", command, ending(got))
				}
				return out.String() + "```"
			})
		})
	}
}

var readmeCommand = regexp.MustCompile("(?m)^(go run \\./cmd/coppice .*)$|`(go run \\./cmd/coppice [^`]*)`")

// Every command of the README runs.
func TestReadmeCommands(t *testing.T) {
	readme, err := os.ReadFile(filepath.FromSlash("../README.md"))
	if err != nil {
		t.Fatal(err)
	}
	all := readmeCommand.FindAllStringSubmatch(string(readme), -1)
	if len(all) < 2 {
		t.Errorf("%d commands", len(all))
	}
	for _, m := range all {
		if out, code := newShell(t).exec(m[1] + m[2]); code != 0 {
			t.Errorf("%s: exit code %d: %s", m[0], code, out)
		}
	}
}

func ending(s string) string {
	if s = strings.TrimRight(s, "\n"); s == "" {
		return ""
	}
	var b strings.Builder
	for line := range strings.SplitSeq(s, "\n") {
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

var code = regexp.MustCompile("(?ms)^<!-- code: (\\S+)(?: (\\w+))? -->\n```go\n(.*?)^```$")

// Each block of code that names a file is that file, or a function in it.
func TestCodeBlocks(t *testing.T) {
	for _, file := range documents(t) {
		rewrite(t, file, code, func(m []string) string {
			src, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(m[1])))
			if err != nil {
				t.Fatal(err)
			}
			head := "<!-- code: " + m[1]
			text := strings.ReplaceAll(string(src), "\r\n", "\n")
			if m[2] != "" {
				text, head = function(t, m[1], text, m[2]), head+" "+m[2]
			}
			return head + " -->\n```go\n" + text + "```"
		})
	}
}

// function returns the body of a function as a program would hold it.
func function(t *testing.T, file, src, name string) string {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, src, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	obj := f.Scope.Lookup(name)
	if obj == nil {
		t.Fatalf("%s has no %s", file, name)
	}
	var body strings.Builder
	from := fset.Position(obj.Pos()).Line
	for _, line := range strings.Split(src, "\n")[from:] {
		if line == "}" || strings.HasPrefix(line, "\t// Output:") {
			break
		}
		body.WriteString(strings.TrimPrefix(line, "\t") + "\n")
	}
	return body.String()
}

// rewrite compares each match in a file with what it should be, or with -update
// writes it.
func rewrite(t *testing.T, file string, re *regexp.Regexp, want func(match []string) string) {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	doc := strings.ReplaceAll(string(raw), "\r\n", "\n")
	var out strings.Builder
	end := 0
	for _, at := range re.FindAllStringSubmatchIndex(doc, -1) {
		var m []string
		for i := 0; i < len(at); i += 2 {
			part := ""
			if at[i] >= 0 {
				part = doc[at[i]:at[i+1]]
			}
			m = append(m, part)
		}
		now := want(m)
		if now != m[0] && !*update {
			t.Errorf("%s:%d: the document shows\n%s\nand it should be (go test ./docs -update)\n%s", file, 1+strings.Count(doc[:at[0]], "\n"), m[0], now)
		}
		out.WriteString(doc[end:at[0]] + now)
		end = at[1]
	}
	out.WriteString(doc[end:])
	if *update && out.String() != doc {
		if err := os.WriteFile(file, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
