package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-dev/coppice/provider/fake"
	"github.com/coppice-dev/coppice/settings"
)

// Every key has a place in the type of the package that uses it, and every
// place a key.
func TestEveryKeyHasAPlace(t *testing.T) {
	if _, err := settings.Schema(new(config).parts()...); err != nil {
		t.Error(err)
	}
	if _, problems := settings.Resolve(settings.Input{}, new(config).parts()...); len(problems) > 0 {
		t.Errorf("the defaults are wrong: %v", problems)
	}
}

// Without a screen, permissions are what the settings say; --yolo allows what
// they do not deny.
func TestRunFollowsPermissions(t *testing.T) {
	tests := []struct {
		name, settings string
		args           []string
		written        bool
		says           string
	}{
		{"nothing said", "", nil, false, "no one can be asked"},
		{"allowed by a rule", `"permissions":{"allow":["write *.txt"]}`, nil, true, ""},
		{"another rule", `"permissions":{"allow":["write *.md"]}`, nil, false, "no one can be asked"},
		{"allowed by default", `"permissions":{"default":"allow"}`, nil, true, ""},
		{"asked in spite of it", `"permissions":{"default":"allow","ask":["write"]}`, nil, false, "no one can be asked"},
		{"yolo", "", []string{"--yolo"}, true, ""},
		{"denied in spite of it", `"permissions":{"deny":["write"]}`, []string{"--yolo"}, false, "the settings do not allow write"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			server := fake.New(fake.Call("1", "write", `{"path":"b.txt","content":"x"}`), fake.Say("Done."))
			defer server.Close()
			dir := t.TempDir()
			code, _, errs := runSet(t, server, dir, tt.settings, append([]string{"run", "-p", "write it"}, tt.args...)...)
			_, err := os.Stat(filepath.Join(dir, "b.txt"))
			if code != 0 || (err == nil) != tt.written || !strings.Contains(errs, tt.says) {
				t.Errorf("exit %d, written %v: %s", code, err == nil, errs)
			}
		})
	}
}

// Settings decide how often a call is retried and what an error means.
func TestRunFollowsRetryAndErrors(t *testing.T) {
	for _, tt := range []struct {
		name, settings string
		refusal        fake.Refusal
		requests       int
		says           string
	}{
		{"twice more", `"retry":{"maxRetries":2,"baseDelayMs":1}`, fake.Refusal{Status: 503, Message: "down"}, 3, "transient"},
		{"never", `"retry":{"enabled":false,"baseDelayMs":1}`, fake.Refusal{Status: 503, Message: "down"}, 1, "transient"},
		{"an error of one's own", `"errors":{"patterns":[{"pattern":"purse is empty","class":"quota"}]}`, fake.Refusal{Status: 400, Message: "the purse is empty"}, 1, "quota"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server := fake.New(fake.Step{Refuse: &tt.refusal})
			defer server.Close()
			code, out, errs := runSet(t, server, t.TempDir(), tt.settings, "run", "-p", "hi", "--json")
			if n := len(server.Requests()); code != 1 || n != tt.requests || !strings.Contains(out, `"type":"error","error":"`+tt.says) {
				t.Errorf("exit %d, %d requests\n%s\n%s", code, n, out, errs)
			}
		})
	}
}

// A read that a later one repeats is pruned above the threshold, unless the
// settings keep it.
func TestRunFollowsPrune(t *testing.T) {
	for more, want := range map[string]bool{"": true, `,"prune":{"superseded":false}`: false} {
		server := fake.New(fake.Call("1", "read", `{"path":"a.txt"}`), fake.Say("Read."), fake.Call("2", "read", `{"path":"a.txt"}`), fake.Say("Read again."))
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte(strings.Repeat("a line of words\n", 1200)), 0o600); err != nil {
			t.Fatal(err)
		}
		with := `"compaction":{"thresholdTokens":8000,"background":false,"keepRecentTokens":100}` + more
		var all []string
		for _, args := range [][]string{{"run", "-p", "read it", "--json"}, {"run", "--session", "-", "-p", "again", "--json"}} {
			code, out, errs := runSet(t, server, dir, with, args...)
			if code != 0 {
				t.Fatalf("exit %d\n%s", code, errs)
			}
			all = append(all, strings.Split(out, "\n")...)
		}
		server.Close()
		got := slices.ContainsFunc(all, func(line string) bool { return strings.HasPrefix(line, `{"type":"prune"`) })
		if got != want {
			t.Errorf("%q: pruned %v", more, got)
		}
	}
}

// Hooks from the settings see a whole run, and their failures appear only on
// standard error.
func TestRunAsksHooks(t *testing.T) {
	server := fake.New(fake.Say("Hello."))
	defer server.Close()
	code, out, errs := runSet(t, server, t.TempDir(), `"hooks":{"turn_start":[{"command":["no-such-program-anywhere"],"name":"mine"}]}`, "run", "-p", "hi", "--json")
	if code != 0 || !strings.Contains(errs, "coppice: hook mine (turn_start): ") {
		t.Errorf("exit %d: %s", code, errs)
	}
	for line := range strings.Lines(out) {
		if !strings.HasPrefix(line, "{") || strings.Contains(line, "no-such-program") {
			t.Errorf("standard output has %s", line)
		}
	}
}
