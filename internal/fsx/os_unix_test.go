//go:build unix

package fsx

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"
)

// A pipe is refused at once, not waited for.
func TestOpenRefusesPipes(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pipe.jsonl")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	for what, open := range map[string]func(string) (File, error){"Open": OS{}.Open, "OpenAppend": OS{}.OpenAppend} {
		if f, err := open(name); !errors.Is(err, ErrNotRegular) || f != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}
