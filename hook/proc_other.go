//go:build !unix

package hook

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// ownGroup does nothing: there are no process groups here, so a program is
// killed when the context is done.
func ownGroup(*exec.Cmd) {}

func killGroup(*exec.Cmd) {}

// runnable reports whether a file in a hook folder is a program.
func runnable(name string, _ uint32) bool {
	return slices.Contains([]string{".exe", ".com", ".bat", ".cmd"}, strings.ToLower(filepath.Ext(name)))
}
