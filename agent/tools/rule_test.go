package tools

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/agent"
	"github.com/coppice-dev/coppice/internal/rawjson"
)

// What rules decide about a call: allowed, asked about (the zero value) or
// denied.
func TestRules(t *testing.T) {
	dir := project(t)
	if err := errors.Join(os.Symlink("/", filepath.Join(dir, "out")), os.Symlink("main.go", filepath.Join(dir, "inside.go"))); err != nil {
		t.Fatal(err)
	}
	allow := func(r ...Rule) Rules { return Rules{Allow: r} }
	deny := func(r ...Rule) Rules { return Rules{Deny: r} }
	tests := []struct {
		name, tool, about string
		rules             Rules
		fallback, want    Verdict
	}{
		{"no rule, free", "read", "main.go", Rules{}, Asked, Allowed},
		{"no rule", "write", "main.go", Rules{}, Asked, Asked},
		{"allowed by default", "write", "main.go", Rules{}, Allowed, Allowed},
		{"denied by default", "write", "main.go", Rules{}, Denied, Denied},
		{"free, whatever the default", "read", "main.go", Rules{}, Denied, Allowed},
		{"a tool", "write", "main.go", allow("write"), Asked, Allowed},
		{"another tool", "write", "main.go", allow("edit"), Asked, Asked},
		{"any tool", "bash", "rm -rf /", deny("*"), Allowed, Denied},
		{"tools by pattern", "write", "main.go", allow("w*"), Asked, Allowed},
		{"deny beats ask", "write", "main.go", Rules{Allow: []Rule{"write"}, Ask: []Rule{"write"}, Deny: []Rule{"write"}}, Asked, Denied},
		{"ask beats allow", "write", "main.go", Rules{Allow: []Rule{"write"}, Ask: []Rule{"write main.go"}}, Allowed, Asked},
		{"ask about what is free", "read", "main.go", Rules{Ask: []Rule{"read *.go"}}, Asked, Asked},

		{"a program", "bash", "git status", allow("bash git *"), Asked, Allowed},
		{"a program alone", "bash", "git", allow("bash git *"), Asked, Allowed},
		{"a longer word", "bash", "gitk", allow("bash git *"), Asked, Asked},
		{"with quotes", "bash", `git commit -m "a b"`, allow("bash git commit *"), Asked, Allowed},
		{"one more command", "bash", "git status; rm -rf /", allow("bash git *"), Asked, Asked},
		{"one more line", "bash", "git status\nrm -rf /", allow("bash git *"), Asked, Asked},
		{"a command inside", "bash", "git $(rm -rf /)", allow("bash git *"), Asked, Asked},
		{"word for word", "bash", "make && make test", allow("bash make && make test"), Asked, Allowed},
		{"a program that starts others", "bash", "make clean", allow("bash make *"), Asked, Asked},
		{"the same, named", "bash", "make test V=1", allow("bash make test *"), Asked, Allowed},
		{"the same, another target", "bash", "make clean", allow("bash make test *"), Asked, Asked},
		{"by its path", "bash", "/usr/bin/env rm x", allow("bash /usr/bin/env *"), Asked, Asked},
		{"a pattern for the subcommand", "bash", "npm run x", allow("bash npm r*"), Asked, Asked},
		{"git, with a configuration", "bash", "git -c alias.x=!rm x", allow("bash git *"), Asked, Asked},
		{"git, with a configuration in quotes", "bash", `git "-c" alias.x=!rm x`, allow("bash git *"), Asked, Asked},
		{"git in another folder, with a configuration", "bash", "git -C . -c core.pager=rm log", allow("bash git *"), Asked, Asked},
		{"git in another folder", "bash", "git -C sub log -p", allow("bash git *"), Asked, Allowed},
		{"git switch -c", "bash", "git switch -c new", allow("bash git *"), Asked, Allowed},
		{"git rebase", "bash", "git rebase main", allow("bash git *"), Asked, Allowed},
		{"git rebase that runs", "bash", "git rebase main --exec=rm", allow("bash git *"), Asked, Asked},
		{"git bisect", "bash", "git bisect run ./x", allow("bash git *"), Asked, Asked},
		{"git grep in a pager", "bash", "git grep -Orm x", allow("bash git *"), Asked, Asked},
		{"git that sets what it starts", "bash", "git config core.pager ./x", allow("bash git *"), Asked, Asked},
		{"git grep, options in a cluster", "bash", "git grep -nO./x a", allow("bash git *"), Asked, Asked},
		{"git, a long option without its end", "bash", "git log --ext", allow("bash git *"), Asked, Asked},
		{"git rebase, a long option without its end", "bash", "git rebase --exe=x HEAD", allow("bash git *"), Asked, Asked},
		{"git push", "bash", "git push --exec=./x . HEAD", allow("bash git *"), Asked, Asked},
		{"sort, a long option without its end", "bash", "sort --compress-prog=./x a", allow("bash sort *"), Asked, Asked},
		{"find", "bash", "find . -name x", allow("bash find *"), Asked, Allowed},
		{"find that runs", "bash", "find . -name x -exec rm {} +", allow("bash find *"), Asked, Asked},
		{"go vet", "bash", "go vet ./...", allow("bash go *"), Asked, Allowed},
		{"go run", "bash", "go run ./x", allow("bash go *"), Asked, Asked},
		{"go run, named", "bash", "go run ./x", allow("bash go run *"), Asked, Allowed},
		{"go vet with a tool", "bash", "go vet -vettool=./x ./...", allow("bash go *"), Asked, Asked},
		{"ssh", "bash", "ssh host rm", allow("bash ssh *"), Asked, Asked},
		{"a variable before it", "bash", "PAGER=rm git log", allow("bash PAGER=rm *"), Asked, Asked},
		{"tar that runs", "bash", "tar xf a --to-command=rm", allow("bash tar *"), Asked, Asked},
		{"tar", "bash", "tar xf a.tar", allow("bash tar *"), Asked, Allowed},
		{"sed", "bash", "sed -n 1,5p main.go", allow("bash sed *"), Asked, Allowed},
		{"sed that replaces", "bash", "sed -i 's/a/b/g' main.go", allow("bash sed *"), Asked, Allowed},
		{"sed that runs", "bash", "sed 1e main.go", allow("bash sed *"), Asked, Asked},
		{"sed that runs what it replaces", "bash", "sed 's/a/rm/e' main.go", allow("bash sed *"), Asked, Asked},
		{"word for word, whatever it starts", "bash", "xargs rm", allow("bash xargs rm"), Asked, Allowed},
		{"all of bash", "bash", "a | b", allow("bash *"), Asked, Allowed},
		{"a part is denied", "bash", "cd x && git push --force", deny("bash git push *"), Allowed, Denied},
		{"denied in quotes", "bash", "echo $(git push)", deny("bash git push *"), Allowed, Denied},
		{"another part", "bash", "git pull", deny("bash git push *"), Allowed, Allowed},

		{"below a folder", "write", "cmd/tool/run.go", allow("write cmd/**"), Asked, Allowed},
		{"below a folder, shorter", "write", "cmd/tool/run.go", allow("write cmd/"), Asked, Allowed},
		{"not below it", "write", "main.go", allow("write cmd/**"), Asked, Asked},
		{"in a folder only", "write", "cmd/tool/run.go", allow("write cmd/*"), Asked, Asked},
		{"a way around", "write", "cmd/../main.go", allow("write cmd/**"), Asked, Asked},
		{"a way out", "write", "../x.go", allow("write *.go"), Asked, Asked},
		{"by a link out", "write", "out/tmp/x.go", allow("write out/**", "write *.go"), Asked, Asked},
		{"by a link inside", "write", "inside.go", allow("write *.go"), Asked, Allowed},
		{"by a link to what is not allowed", "write", "inside.go", allow("write inside.go"), Asked, Asked},
		{"outside", "read", "/etc/passwd", allow("read /etc/*"), Asked, Allowed},
		{"outside, elsewhere", "read", "/etc/ssh/key", allow("read /etc/*"), Asked, Asked},
		{"a name is denied", "read", "cmd/tool/.env", deny("read .env"), Allowed, Denied},
		{"a name is denied anywhere", "read", "/srv/.env", deny("read .env"), Allowed, Denied},
		{"what a link leads to is denied", "read", "inside.go", deny("read main.go"), Allowed, Denied},
		{"what a link leads to outside is denied", "read", "out/etc/passwd", deny("read /etc/**"), Allowed, Denied},
	}
	for _, tt := range tests {
		name := "path"
		if tt.tool == "bash" {
			name = "command"
		}
		c := agent.Call{Name: tt.tool, Arguments: []byte(`{"` + name + `":` + string(rawjson.Quote(tt.about)) + `}`)}
		tt.rules.Default = tt.fallback
		g := &Guard{Dir: dir, Rules: tt.rules}
		if _, got := g.judge(find(t, Options{Dir: dir}, tt.tool), c); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// Rules also apply to third-party tools, by their arguments.
func TestRulesForOtherTools(t *testing.T) {
	deploy := agent.Tool{Name: "deploy"}
	c := agent.Call{Name: "deploy", Arguments: []byte(`{"to":"production"}`)}
	for rule, want := range map[Rule]Verdict{"deploy": Denied, `deploy *"production"*`: Denied, `deploy *"staging"*`: Asked} {
		g := &Guard{Rules: Rules{Deny: []Rule{rule}}}
		if _, got := g.judge(deploy, c); got != want {
			t.Errorf("%s: %s, want %s", rule, got, want)
		}
	}
}

// What is allowed for the rest of a session does not extend to commands that
// start others.
func TestSimilarCommands(t *testing.T) {
	for command, want := range map[string]string{"git log": "git *", "git -c a=!b x": "git -c a=!b x", "make test": "make test", "ls; rm x": "ls; rm x",
		"find . -exec rm {} +": "find . -exec rm {} +", "sed 1e x": "sed 1e x", "ls -l": "ls *"} {
		if got := like(command); got != want {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
}

// With yolo no one is asked, and what is denied stays denied.
func TestYoloFollowsDeny(t *testing.T) {
	dir := t.TempDir()
	write := find(t, Options{Dir: dir}, "write")
	g := &Guard{Dir: dir, Yolo: true, Rules: Rules{Deny: []Rule{"write *.lock"}, Ask: []Rule{"write"}}}
	for path, denied := range map[string]bool{"a.go": false, "go.lock": true} {
		err := g.Permit(context.Background(), write, agent.Call{Name: "write", Arguments: []byte(`{"path":"` + path + `"}`)})
		if (err != nil) != denied || denied && !strings.HasPrefix(err.Error(), "the settings do not allow write ") {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// A question caused by a rule allows what the rule names, and no more.
func TestAllowedForTheSession(t *testing.T) {
	dir := project(t)
	asked := 0
	g := &Guard{Dir: dir, Rules: Rules{Ask: []Rule{"read *.go", "read *.txt"}},
		Ask: func(context.Context, Question) (Answer, error) { asked++; return AllowSession, nil }}
	for _, path := range []string{"main.go", "cmd/tool/run.go", "dos.txt", "binary"} {
		if err := g.Permit(context.Background(), find(t, Options{Dir: dir}, "read"), agent.Call{Name: "read", Arguments: []byte(`{"path":"` + path + `"}`)}); err != nil {
			t.Error(err)
		}
	}
	if asked != 2 {
		t.Errorf("asked %d times, want 2", asked)
	}
}

// No rule panics, and what it allows is inside the project or an absolute path.
func FuzzRules(f *testing.F) {
	for _, s := range [][2]string{{"write **", "../x"}, {"bash *", "a;b"}, {"write /", "/"}, {"w[", "x"}, {"write ./a/", "a/b"}, {"write \\", ""}} {
		f.Add(s[0], s[1])
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, rule, what string) {
		p := resolve(dir, what)
		s := subject{tool: "write", what: p, isPath: true, dir: dir}
		_, pattern, _ := strings.Cut(strings.TrimSpace(rule), " ")
		pattern = strings.TrimSpace(pattern)
		if s.fits(rule, true) && pattern != "" && pattern != "*" && !filepath.IsAbs(pattern) && !inside(dir, p) {
			t.Errorf("%q allows %q", rule, what)
		}
		subject{tool: "bash", what: what, dir: dir}.fits(rule, false)
	})
}
