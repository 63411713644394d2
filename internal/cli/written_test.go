package cli

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coppice-dev/coppice/internal/testkit/amount"
)

// broken is an output that accepts nothing.
type broken struct{ err error }

func (b broken) Write([]byte) (int, error) { return 0, b.err }

// Output that could not be printed fails the run, whatever the command and
// format; a reader that went away gets no error.
func TestOutputThatCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	sample(t, dir)
	home := func(name string) string {
		return map[string]string{"HOME": dir, "COPPICE_MODEL": "anthropic/claude-sonnet-4-6"}[name] // nothing has to be said about a stand-in
	}
	commands := [][]string{
		{"tree", "s.jsonl"}, {"tree", "s.jsonl", "--json"},
		{"context", "s.jsonl"}, {"context", "s.jsonl", "--json"}, {"context", "s.jsonl", "--as", "anthropic"},
		{"stats", "s.jsonl"}, {"stats", "s.jsonl", "--json"},
		{"check", "s.jsonl"}, {"check", "s.jsonl", "--json"},
		{"read", "s.jsonl", "00000001"}, {"read", "s.jsonl", "00000001", "--json"},
		{"serialize", "s.jsonl"}, {"search", "s.jsonl", "words"}, {"search", "s.jsonl", "words", "--json"},
		{"compact", "s.jsonl", "--plan"}, {"compact", "s.jsonl", "--plan", "--json"},
		{"export", "s.jsonl", "-o", "-"}, {"sessions"}, {"sessions", "--json"},
		{"models"}, {"models", "--json"}, {"settings"}, {"settings", "--json"}, {"doctor"}, {"doctor", "--json"},
		{"version"}, {"help"}, {"completion", "bash"}, {"name", "s.jsonl", "a name"}, {"label", "s.jsonl", "00000001", "x", "--json"},
	}
	for i, args := range commands {
		for j, c := range []struct {
			err  error
			code exitCode
			said string
		}{
			{&os.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.ENOSPC}, codeFailed, "coppice: output: no space left on device\ntry: "},
			{errors.New("it is gone"), codeFailed, "coppice: output: it is gone\n"},
			{&os.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.EPIPE}, codePipe, ""},
		} {
			if !amount.Tries(3, i, j) {
				continue
			}
			t.Run(strings.Join(args, " ")+": "+c.err.Error(), func(t *testing.T) {
				var errs bytes.Buffer
				code := Run(t.Context(), Env{Args: append([]string{"--session-dir", filepath.Join(dir, "sessions")}, args...), In: strings.NewReader(""),
					Out: broken{c.err}, Err: &errs, Getenv: home, Dir: dir,
					Now: func() time.Time { return time.Unix(1767225600, 0) }})
				if code != int(c.code) {
					t.Errorf("exit code %d, want %d", code, c.code)
				}
				if !strings.HasPrefix(errs.String(), c.said) || c.said == "" && errs.Len() > 0 {
					t.Errorf("said %q, want %q", errs.String(), c.said)
				}
			})
		}
	}
}
