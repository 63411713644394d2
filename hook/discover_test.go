package hook

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

// script puts a shell script into a hook folder.
func script(t *testing.T, dir string, e Event, name, body string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs a Unix shell")
	}
	path := filepath.Join(dir, string(e), name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, path, "#!/bin/sh\n"+body+"\n", 0o700)
	return path
}

func write(t *testing.T, path, content string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
}

func TestDiscover(t *testing.T) {
	user, project := t.TempDir(), t.TempDir()
	script(t, user, eventToolCall, "20-second", "true")
	script(t, user, eventToolCall, "10-first", "true")
	script(t, user, eventToolCall, ".hidden", "true")
	script(t, user, eventToolCall, "README.md", "true")
	script(t, user, "tool_cal", "x", "true")
	script(t, project, eventToolCall, "05-project", "true")
	write(t, filepath.Join(user, "tool_call", "30-data"), "x", 0o600)
	write(t, filepath.Join(user, "note.txt"), "x", 0o600)
	if err := os.Mkdir(filepath.Join(user, "tool_call", "lib"), 0o700); err != nil {
		t.Fatal(err)
	}
	var r reports
	b := New(Options{UserDir: user, ProjectDir: project, Trusted: func(string) bool { return true }, Report: r.add,
		Programs: []Program{answers(eventToolCall, "15-settings", ""), {Event: "no_event", Command: []string{"x"}}, {Event: eventToolCall}}})
	var got []string
	for _, h := range b.hooks(eventToolCall) {
		got = append(got, h.name)
	}
	equal(t, "hooks", got, []string{"10-first", "15-settings", "20-second", "05-project"})
	if p := b.Programs(); len(p) != 4 || p[1].Name != "15-settings" || p[3].Name != "05-project" || !p[3].Project || p[3].Command[0] != filepath.Join(project, "tool_call", "05-project") {
		t.Errorf("%+v", p)
	}
	r.expect(t, "there is no such event", "no command is given", "tool_cal: there is no event with this name", "30-data is not executable")
}

// Programs run in the project's folder, whether found there or named by a path.
func TestProgramsRunInTheProject(t *testing.T) {
	dir, user := t.TempDir(), t.TempDir()
	script(t, user, eventToolCall, "pwd", `printf '{"arguments":{"pwd":"%s"}}' "$(basename "$PWD")"`)
	script(t, dir, eventToolCall, "mine", `cat >/dev/null; exit 2`)
	want := `{"pwd":"` + filepath.Base(dir) + `"}`
	b := New(Options{UserDir: user, Dir: dir})
	if a, err := b.ToolCall(t.Context(), ToolCall{}); err != nil || string(a.Arguments) != want {
		t.Errorf("%s, %v; want %s", a.Arguments, err, want)
	}
	b = New(Options{Dir: dir, Programs: []Program{{Event: eventToolCall, Command: []string{"tool_call/mine"}}}})
	if a, err := b.ToolCall(t.Context(), ToolCall{}); err != nil || a.Why != "the hook mine cancelled it" {
		t.Errorf("%+v, %v", a, err)
	}
}

// A project's hooks run only with the content that was trusted: not before, and
// no longer when the agent, say, has changed a file next to them.
func TestTrust(t *testing.T) {
	dir := t.TempDir()
	script(t, dir, eventToolCall, "p", `printf '{"arguments":{"ran":true}}'`)
	trusted := map[string]bool{}
	var r reports
	opts := Options{ProjectDir: dir, Report: r.add, Trusted: func(hash string) bool { return trusted[hash] }}
	ran := func(b *Bus) bool {
		a, err := b.ToolCall(t.Context(), ToolCall{})
		return err == nil && a.Arguments != nil
	}
	if b := New(opts); ran(b) {
		t.Error("it ran before it was trusted")
	}
	var not *Untrusted
	if len(r.errs) != 1 || !errors.As(r.errs[0], &not) || not.Dir != dir || !slices.Equal(not.Programs, []string{"tool_call/p"}) {
		t.Fatalf("reported %v", r.errs)
	}
	r.errs = nil
	trusted[not.Hash] = true
	b := New(opts)
	if !ran(b) {
		t.Error("it did not run")
	}
	r.expect(t)
	helper := filepath.Join(dir, "lib.sh")
	for what, change := range map[string]func(){
		"a new file": func() { write(t, helper, "x", 0o600) },
		"a mode":     func() { os.Chmod(filepath.Join(dir, "tool_call", "p"), 0o600) },
		"a link":     func() { os.Symlink("/etc/passwd", helper) },
	} {
		change()
		if ran(b) {
			t.Errorf("it ran after a change: %s", what)
		}
		os.Remove(helper)
		os.Chmod(filepath.Join(dir, "tool_call", "p"), 0o700)
		if !ran(b) {
			t.Errorf("it did not run after the change was taken back: %s", what)
		}
	}
	opts.Trusted = nil
	if ran(New(opts)) {
		t.Error("no one can be asked, so nothing is trusted")
	}
}

func TestHashFolder(t *testing.T) {
	dir := t.TempDir()
	if _, err := HashFolder(filepath.Join(dir, "missing")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
	hash := func() string {
		h, err := HashFolder(dir)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	seen := map[string]string{hash(): "empty"}
	for _, step := range [][2]string{{"a", "x"}, {"a", "y"}, {"b", ""}, {"b", "y"}} {
		write(t, filepath.Join(dir, step[0]), step[1], 0o600)
		h := hash()
		if before := seen[h]; before != "" {
			t.Errorf("%v hashes as %s", step, before)
		}
		seen[h] = step[0] + step[1]
	}
}
